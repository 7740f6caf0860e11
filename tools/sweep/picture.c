/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws sweep.svg and the chart of sweep.html: the times over the numeric key with most values, a
 * line for each combination of the others; or bars where no key has numbers only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tools/chart.h"
#include "tools/sweep/sweep.h"

/* What is drawn. */
struct picture {
    const struct asim_sweep *sweep;
    struct asim_chart chart;
    size_t x; /* the horizontal key */
    int is_numeric;
    char up[120]; /* what is drawn */
};

/* A number above 0, or 0. */
static double value_of(const char *text)
{
    uint64_t whole;
    char *end;
    double number;

    if (!asim_text_size(text, &whole) || !asim_text_rate(text, &whole) ||
        !asim_text_time(text, &whole))
        return (double)whole;
    number = strtod(text, &end);
    return end != text && (!*end || !strcmp(end, "x")) && number > 0 ? number : 0;
}

static int is_numeric(const struct asim_sweep_key *key)
{
    for (size_t i = 0; i < key->values.n; i++)
        if (value_of(key->values.at[i]) <= 0)
            return 0;
    return 1;
}

/* A size, as 64MiB; a bare number is none. */
static int is_bytes(const struct asim_sweep_key *key)
{
    const char *text = key->values.at[0];
    uint64_t bytes;

    return text[strspn(text, "0123456789.")] && !asim_text_size(text, &bytes);
}

/* The largest value over the smallest. */
static double spans(const struct asim_sweep_key *key)
{
    double low = value_of(key->values.at[0]), high = low;

    for (size_t i = 1; i < key->values.n; i++) {
        double value = value_of(key->values.at[i]);

        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    return high / low;
}

/* The numeric key with most values, else the key with most values. */
static void choose_x(struct picture *picture)
{
    const struct asim_sweep_key *key;
    size_t best = 0;

    for (size_t k = 0; k < picture->sweep->keys.n; k++) {
        size_t rank;

        key = &picture->sweep->keys.at[k];
        rank = key->values.n > 1 ? key->values.n + (is_numeric(key) ? 1000000u : 0u) : 0;

        if (k == asim_sweep_seed(picture->sweep)) /* a spread, unless nothing else varies */
            rank = rank ? 1 : 0;
        if (k && rank <= best)
            continue;
        best = rank;
        picture->x = k;
        picture->is_numeric = is_numeric(key);
    }
    key = &picture->sweep->keys.at[picture->x];
    picture->chart.across = key->name;
    picture->chart.is_bytes = picture->is_numeric && is_bytes(key);
    picture->chart.is_log = picture->is_numeric && spans(key) > 20;
    if (!picture->is_numeric) {
        picture->chart.words = (const char *const *)key->values.at;
        picture->chart.n_words = key->values.n;
    }
}

static double x_of(const struct picture *picture, size_t point)
{
    const struct asim_sweep_key *key = &picture->sweep->keys.at[picture->x];
    const char *value = asim_sweep_at(picture->sweep, point, picture->x);

    if (picture->is_numeric)
        return value_of(value);
    for (size_t i = 0; i < key->values.n; i++)
        if (!strcmp(key->values.at[i], value))
            return (double)i;
    return 0;
}

static int is_drawn(const struct asim_sweep_point *point)
{
    return point->state == ASIM_POINT_FINISHED && point->figure[0] > 0;
}

/* 1 if both points differ in the horizontal key only. */
static int is_same_line(const struct picture *picture, size_t a, size_t b)
{
    for (size_t k = 0; k < picture->sweep->keys.n; k++)
        if (k != picture->x && k != asim_sweep_seed(picture->sweep) &&
            strcmp(asim_sweep_at(picture->sweep, a, k), asim_sweep_at(picture->sweep, b, k)))
            return 0;
    return 1;
}

/* The values of the other keys that vary; numbers with their key. */
static void name_line(const struct picture *picture, char *name, size_t size, size_t point)
{
    const struct asim_sweep *sweep = picture->sweep;
    size_t used = 0;

    *name = '\0';
    for (size_t k = 0; k < sweep->keys.n && used < size; k++) {
        const struct asim_sweep_key *key = &sweep->keys.at[k];
        int has_name = is_numeric(key);

        if (k == picture->x || k == asim_sweep_seed(sweep) || key->values.n < 2)
            continue;
        used += (size_t)snprintf(name + used, size - used, "%s%s%s%s", used ? ", " : "",
                                 has_name ? key->name : "", has_name ? "=" : "",
                                 asim_sweep_at(sweep, point, k));
    }
}

ASIM_ORDER(by_x, struct asim_chart_point, ->x)

static int add_line(struct picture *picture, size_t first)
{
    const struct asim_sweep *sweep = picture->sweep;
    struct asim_chart_series *series = asim_chart_add(&picture->chart);
    int code = !series;

    if (series)
        name_line(picture, series->name, sizeof series->name, first);
    for (size_t i = first; i < sweep->n && !code; i++) {
        double unit = sweep->target->figures[0].unit;
        struct asim_sweep_spread spread = asim_sweep_spread(sweep, i, 0);
        struct asim_chart_point point = {x_of(picture, i), spread.median / unit,
                                         spread.least / unit, spread.most / unit};
        int is_drawn_here = asim_sweep_is_first_seed(sweep, i) && spread.median > 0;

        if (picture->x == asim_sweep_seed(sweep)) { /* each seed by itself */
            point = (struct asim_chart_point){point.x, sweep->points[i].figure[0] / unit, 0, 0};
            is_drawn_here = is_drawn(&sweep->points[i]);
        }
        if (is_drawn_here && is_same_line(picture, first, i))
            code = ASIM_VEC_PUSH(series->points, point);
    }
    if (!code && series->points.n)
        qsort(series->points.at, series->points.n, sizeof *series->points.at, by_x);
    return code;
}

/* A line begins at the first of its points. */
static int is_first(const struct picture *picture, size_t point)
{
    for (size_t i = 0; i < point; i++)
        if (is_same_line(picture, i, point))
            return 0;
    return 1;
}

static int make(struct picture *picture, struct asim_err *err)
{
    const struct asim_sweep *sweep = picture->sweep;
    size_t seed = asim_sweep_seed(sweep);
    int code = 0;

    choose_x(picture);
    snprintf(picture->up, sizeof picture->up, "%s", sweep->target->figures[0].axis);
    if (seed < sweep->keys.n && seed != picture->x)
        snprintf(picture->up + strlen(picture->up), sizeof picture->up - strlen(picture->up),
                 "; median of %zu seeds, from the least to the most",
                 sweep->keys.at[seed].values.n);
    picture->chart.up = picture->up;
    for (size_t i = 0; i < sweep->n && !code; i++)
        if (is_first(picture, i) && add_line(picture, i))
            code = asim_err_nomem(err, "drawing the sweep");
    return code;
}

int asim_sweep_draw(const struct asim_sweep *sweep, struct asim_err *err)
{
    struct picture picture = {.sweep = sweep};
    char path[ASIM_SWEEP_PATH];
    size_t n = 0;
    int code;

    for (size_t i = 0; i < sweep->n; i++)
        n += (size_t)is_drawn(&sweep->points[i]);
    code = n ? make(&picture, err) : 0;
    snprintf(path, sizeof path, "%.1000s/sweep.svg", sweep->folder);
    if (n && !code)
        code = asim_chart_draw(&picture.chart, "sweep", path, err);
    if (!code)
        code = asim_sweep_write_page(sweep, n ? &picture.chart : NULL, err);
    asim_chart_close(&picture.chart);
    return code;
}
