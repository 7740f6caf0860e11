/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws sweep.svg. Both axes are logarithmic, since sizes and times of a sweep span decades; values
 * of the horizontal key that are no numbers stand side by side.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/quote.h"
#include "base/text.h"
#include "tools/sweep/sweep.h"

enum {
    WIDTH = 1000,
    HEIGHT = 560,
    LEFT = 80,
    TOP = 30,
    PLOT_W = 560,
    PLOT_H = 460,
    MOST_LINES = 24
};

/* What is drawn. */
struct picture {
    const struct asim_sweep *sweep;
    struct asim_out out;
    size_t x; /* the horizontal key */
    int is_numeric;
    double x_low, x_high, y_low, y_high; /* logarithms to base 10; x: numbers or positions */
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

/* The numeric key with most values, else the key with most values. */
static void choose_x(struct picture *picture)
{
    size_t best = 0;

    for (size_t k = 0; k < picture->sweep->keys.n; k++) {
        const struct asim_sweep_key *key = &picture->sweep->keys.at[k];
        size_t rank = key->values.n > 1 ? key->values.n + (is_numeric(key) ? 1000000u : 0u) : 0;

        if (k && rank <= best)
            continue;
        best = rank;
        picture->x = k;
        picture->is_numeric = is_numeric(key);
    }
}

static double x_of(const struct picture *picture, size_t point)
{
    const struct asim_sweep_key *key = &picture->sweep->keys.at[picture->x];
    const char *value = asim_sweep_at(picture->sweep, point, picture->x);

    if (picture->is_numeric)
        return log10(value_of(value));
    for (size_t i = 0; i < key->values.n; i++)
        if (!strcmp(key->values.at[i], value))
            return (double)i;
    return 0;
}

static double y_of(const struct picture *picture, size_t point)
{
    return log10((double)picture->sweep->points[point].finish_ns / 1e6);
}

static int is_drawn(const struct asim_sweep_point *point)
{
    return point->state == ASIM_POINT_FINISHED && point->finish_ns;
}

/* Whole decades above and below; at least one. */
static int measure(struct picture *picture)
{
    int n = 0;

    for (size_t i = 0; i < picture->sweep->n; i++) {
        double x = x_of(picture, i), y;

        if (!i || x < picture->x_low)
            picture->x_low = x;
        if (!i || x > picture->x_high)
            picture->x_high = x;
        if (!is_drawn(&picture->sweep->points[i]))
            continue;
        y = y_of(picture, i);
        picture->y_low = !n || y < picture->y_low ? y : picture->y_low;
        picture->y_high = !n || y > picture->y_high ? y : picture->y_high;
        n++;
    }
    picture->y_low = floor(picture->y_low);
    picture->y_high = ceil(picture->y_high);
    if (picture->y_high <= picture->y_low)
        picture->y_high = picture->y_low + 1;
    if (picture->x_high <= picture->x_low)
        picture->x_high = picture->x_low + 1;
    return n;
}

static double place_x(const struct picture *picture, double x)
{
    return LEFT + (x - picture->x_low) / (picture->x_high - picture->x_low) * PLOT_W;
}

static double place_y(const struct picture *picture, double y)
{
    return TOP + PLOT_H - (y - picture->y_low) / (picture->y_high - picture->y_low) * PLOT_H;
}

static void draw_axes(struct picture *picture)
{
    const struct asim_sweep_key *key = &picture->sweep->keys.at[picture->x];
    struct asim_out *out = &picture->out;

    for (double y = picture->y_low; y <= picture->y_high + 0.5; y++) {
        asim_out_printf(out, "<path class=\"grid\" d=\"M%d %.1fh%d\"/>\n", LEFT,
                        place_y(picture, y), PLOT_W);
        asim_out_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8,
                        place_y(picture, y) + 4, pow(10, y));
    }
    for (size_t i = 0; i < key->values.n; i++) {
        double x = picture->is_numeric ? log10(value_of(key->values.at[i])) : (double)i;

        asim_out_printf(out, "<path class=\"grid\" d=\"M%.1f %dv%d\"/>\n", place_x(picture, x), TOP,
                        PLOT_H);
        asim_out_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                        place_x(picture, x), TOP + PLOT_H + 18);
        asim_quote_xml(out, key->values.at[i]);
        asim_out_printf(out, "</text>\n");
    }
    asim_out_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + PLOT_W / 2,
                    TOP + PLOT_H + 44);
    asim_quote_xml(out, key->name);
    asim_out_printf(out, "</text>\n<text x=\"%d\" y=\"%d\">time, ms</text>\n", LEFT - 60, TOP - 12);
}

/* 1 if both points differ in the horizontal key only. */
static int is_same_line(const struct picture *picture, size_t a, size_t b)
{
    for (size_t k = 0; k < picture->sweep->keys.n; k++)
        if (k != picture->x &&
            strcmp(asim_sweep_at(picture->sweep, a, k), asim_sweep_at(picture->sweep, b, k)))
            return 0;
    return 1;
}

static void name_line(struct picture *picture, size_t point)
{
    const struct asim_sweep *sweep = picture->sweep;
    const char *space = "";

    for (size_t k = 0; k < sweep->keys.n; k++) {
        if (k == picture->x || sweep->keys.at[k].values.n < 2)
            continue;
        asim_out_printf(&picture->out, "%s", space);
        asim_quote_xml(&picture->out, asim_sweep_at(sweep, point, k));
        space = ", ";
    }
    if (!*space)
        asim_out_printf(&picture->out, "all");
}

static void draw_line(struct picture *picture, size_t first, int number)
{
    static const char *const colours[] = {"#2f6fde", "#d9542b", "#2a9d5c", "#8e4ec6",
                                          "#b8860b", "#0f8b8d", "#c2185b", "#607d8b"};
    static const char *const dashes[] = {"", "6 4", "2 3"};
    const char *colour = colours[number % 8], *dash = dashes[number / 8 % 3];
    struct asim_out *out = &picture->out;
    const char *letter = "M";

    asim_out_printf(
        out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"",
        colour, dash);
    for (size_t i = first; i < picture->sweep->n; i++) {
        if (!is_drawn(&picture->sweep->points[i]) || !is_same_line(picture, first, i))
            continue;
        asim_out_printf(out, "%s%.1f %.1f", letter, place_x(picture, x_of(picture, i)),
                        place_y(picture, y_of(picture, i)));
        letter = "L";
    }
    asim_out_printf(out, "\"/>\n");
    for (size_t i = first; i < picture->sweep->n; i++)
        if (is_drawn(&picture->sweep->points[i]) && is_same_line(picture, first, i))
            asim_out_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                            place_x(picture, x_of(picture, i)), place_y(picture, y_of(picture, i)),
                            colour);
    asim_out_printf(
        out, "<path stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"M%d %dh26\"/>\n",
        colour, dash, LEFT + PLOT_W + 24, TOP + 10 + number * 20);
    asim_out_printf(out, "<text x=\"%d\" y=\"%d\">", LEFT + PLOT_W + 56, TOP + 14 + number * 20);
    name_line(picture, first);
    asim_out_printf(out, "</text>\n");
}

/* A line begins at the first of its points. */
static int is_first(const struct picture *picture, size_t point)
{
    for (size_t i = 0; i < point; i++)
        if (is_same_line(picture, i, point))
            return 0;
    return 1;
}

int asim_sweep_draw(const struct asim_sweep *sweep, struct asim_err *err)
{
    struct picture picture = {.sweep = sweep};
    char path[ASIM_SWEEP_PATH];
    int lines = 0;

    choose_x(&picture);
    if (!measure(&picture))
        return 0;
    snprintf(path, sizeof path, "%.1000s/sweep.svg", sweep->folder);
    if (asim_out_open(&picture.out, path, err))
        return ASIM_EIO;
    asim_out_printf(
        &picture.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" "
        "font-size=\"13\">\n<style>.grid{stroke:#8884;}svg{background:#fff}text{fill:#222}@media("
        "prefers-color-scheme:dark){svg{background:#161a20}text{fill:#dde}}</style>\n",
        WIDTH, HEIGHT);
    draw_axes(&picture);
    for (size_t i = 0; i < sweep->n && lines < MOST_LINES; i++)
        if (is_first(&picture, i))
            draw_line(&picture, i, lines++);
    asim_out_printf(&picture.out, "</svg>\n");
    return asim_out_commit(&picture.out, err);
}
