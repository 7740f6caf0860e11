/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws charts. Ticks are 1, 2 or 5 times a power of ten, of bytes powers of two.
 */
#include "tools/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/out.h"
#include "base/io/quote.h"
#include "tools/page.h"

enum { WIDTH = 900, LEFT = 80, RIGHT = 40, TOP = 34, HEIGHT = 360, LINE = 19, COLOURS = 8 };
enum { MOST_TICKS = 40, MOST_SERIES = 24 };

/* Where the palette is not understood. */
static const char *const colours[COLOURS] = {"#2f6fde", "#d9542b", "#2a9d5c", "#8e4ec6",
                                             "#b8860b", "#0f8b8d", "#c2185b", "#607d8b"};

struct axis {
    double low, high; /* logarithms to base 10 where is_log */
    int is_log;
};

struct drawing {
    const struct asim_chart *chart;
    struct asim_out *out;
    struct axis x, y;
    int below; /* further lines of words under the axis */
};

struct asim_chart_series *asim_chart_add(struct asim_chart *chart)
{
    struct asim_chart_series fresh = {.is_rings = 0};

    return ASIM_VEC_PUSH(chart->series, fresh) ? NULL : &chart->series.at[chart->series.n - 1];
}

void asim_chart_close(struct asim_chart *chart)
{
    for (size_t s = 0; s < chart->series.n; s++)
        free(chart->series.at[s].points.at);
    free(chart->series.at);
}

static double on(const struct axis *axis, double value)
{
    double at = axis->is_log ? log10(value) : value;

    return (at - axis->low) / (axis->high - axis->low);
}

static double across(const struct drawing *drawing, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * on(&drawing->x, x);
}

static double up(const struct drawing *drawing, double y)
{
    return TOP + HEIGHT * (1 - on(&drawing->y, y));
}

/* The smallest of 1, 2, 5, 10, … that is not below. */
static double round_up(double value)
{
    double power = pow(10, floor(log10(value)));

    for (int i = 0; i < 3; i++)
        if (value <= (double[]){1, 2, 5}[i] * power * (1 + 1e-9))
            return (double[]){1, 2, 5}[i] * power;
    return 10 * power;
}

/* 1, 2 and 5 times powers of ten; over more than three of these only the powers. */
static int find_log_ticks(double ticks[MOST_TICKS], const struct axis *axis)
{
    int each = axis->high - axis->low > 3 ? 1 : 3, n = 0;

    for (int k = each * (int)floor(axis->low); k <= each * ceil(axis->high) && n < MOST_TICKS;
         k++) {
        int power = (int)floor((double)k / each);
        double tick = (double[]){1, 2, 5}[k - each * power] * pow(10, power);

        if (log10(tick) > axis->low - 1e-9 && log10(tick) < axis->high + 1e-9)
            ticks[n++] = tick;
    }
    return n;
}

/* Ticks of the axis, ascending; returns how many. */
static int find_ticks(double ticks[MOST_TICKS], const struct axis *axis)
{
    double step = round_up((axis->high - axis->low) / 8);
    int n = 0;

    if (axis->is_log)
        return find_log_ticks(ticks, axis);
    for (double at = ceil(axis->low / step - 1e-9); at * step <= axis->high * (1 + 1e-9); at++)
        if (n < MOST_TICKS)
            ticks[n++] = at * step + 0.0; /* no -0 */
    return n;
}

/* Letters of a word that go on its next line: all where they fit, else up to a comma. */
static size_t take_line(const struct asim_chart *chart, const char *word)
{
    const size_t letter = 7, most = (WIDTH - LEFT - RIGHT) / (letter * chart->n_words);
    size_t n = strcspn(word, ","), all = strlen(word);

    if (all <= most)
        return all;
    for (size_t next; word[n] && n + 1 < most; n = next) {
        next = n + 1 + strcspn(word + n + 1, ",");
        if (next >= most)
            break;
    }
    n += word[n] != '\0';
    return n <= most ? n : most > 1 ? most : 1;
}

static int count_below(const struct asim_chart *chart)
{
    int below = 0, lines;

    for (size_t w = 0; w < chart->n_words; w++) {
        lines = 0;
        for (const char *at = chart->words[w]; *at; at += take_line(chart, at))
            lines++;
        below = lines - 1 > below ? lines - 1 : below;
    }
    return below;
}

/* The axis from 0 or, over more than 20-fold, logarithmic between ticks. Returns 0 where no point
 * is drawn. */
static int measure(struct drawing *drawing)
{
    const struct asim_chart *chart = drawing->chart;
    double low = INFINITY, high = -INFINITY, left = INFINITY, right = -INFINITY;

    for (size_t s = 0; s < chart->series.n; s++)
        for (size_t i = 0; i < chart->series.at[s].points.n; i++) {
            const struct asim_chart_point *point = &chart->series.at[s].points.at[i];

            low = fmin(low, point->low < point->high ? point->low : point->y);
            high = fmax(high, point->low < point->high ? point->high : point->y);
            left = fmin(left, point->x);
            right = fmax(right, point->x);
        }
    if (!isfinite(low))
        return 0;
    high = high > 0 ? high : 1;
    drawing->y.is_log = !chart->n_words && !chart->is_from_zero && low > 0 && high > 20 * low;
    if (drawing->y.is_log) {
        drawing->y.low = log10(round_up(low * 0.501));
        drawing->y.high = log10(round_up(high));
        while (pow(10, drawing->y.low) > low)
            drawing->y.low -= log10(2);
    } else {
        double step = round_up(high / 8);

        drawing->y.high = ceil(high / step - 1e-9) * step;
    }
    drawing->x.is_log = chart->is_log && left > 0;
    drawing->x.low = drawing->x.is_log ? log10(left) : left;
    drawing->x.high = drawing->x.is_log ? log10(right) : right;
    if (chart->n_words)
        drawing->x = (struct axis){-0.5, (double)chart->n_words - 0.5, 0};
    drawing->below = chart->n_words ? count_below(chart) : 0;
    if (drawing->x.high <= drawing->x.low) {
        drawing->x.low -= 0.5;
        drawing->x.high += 0.5;
    }
    return 1;
}

static void mark(struct drawing *drawing, double x, const char *text)
{
    asim_out_printf(drawing->out,
                    "<path class=\"tick\" stroke=\"#ccc\" d=\"M%.1f %dv%d\"/><text x=\"%.1f\" "
                    "y=\"%d\" class=\"m\" text-anchor=\"middle\">",
                    across(drawing, x), (int)TOP, (int)HEIGHT, across(drawing, x),
                    TOP + HEIGHT + 18);
    asim_quote_xml(drawing->out, text);
    asim_out_printf(drawing->out, "</text>\n");
}

/* Powers of two, about eight of them. */
static void mark_bytes(struct drawing *drawing)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int low = (int)ceil(drawing->x.low / log10(2) - 1e-9);
    int high = (int)floor(drawing->x.high / log10(2) + 1e-9), step = 1;
    char text[40];

    while ((high - low) / step > 8)
        step++;
    for (int power = low; power <= high && power < 60; power += step) {
        snprintf(text, sizeof text, "%d %s", 1 << power % 10, units[power / 10]);
        mark(drawing, exp2(power), text);
    }
}

static void draw_word(struct drawing *drawing, size_t w)
{
    char line[200];
    int y = TOP + HEIGHT + 18;

    for (const char *at = drawing->chart->words[w]; *at; y += LINE) {
        size_t n = take_line(drawing->chart, at);

        snprintf(line, sizeof line, "%.*s", (int)n, at);
        asim_out_printf(drawing->out,
                        "<text x=\"%.1f\" y=\"%d\" class=\"m\" text-anchor=\"middle\">",
                        across(drawing, (double)w), y);
        asim_quote_xml(drawing->out, line);
        asim_out_printf(drawing->out, "</text>\n");
        at += n;
    }
}

static void draw_axes(struct drawing *drawing)
{
    const struct asim_chart *chart = drawing->chart;
    struct asim_out *out = drawing->out;
    double ticks[MOST_TICKS];
    char text[40];
    int n = find_ticks(ticks, &drawing->y);

    for (int i = 0; i < n; i++)
        asim_out_printf(out,
                        "<path class=\"tick\" stroke=\"#ccc\" d=\"M%d %.1fh%d\"/><text x=\"%d\" "
                        "y=\"%.1f\" class=\"e\" text-anchor=\"end\">%g</text>\n",
                        (int)LEFT, up(drawing, ticks[i]), WIDTH - LEFT - RIGHT, LEFT - 8,
                        up(drawing, ticks[i]) + 4, ticks[i]);
    for (size_t w = 0; w < chart->n_words; w++)
        draw_word(drawing, w);
    if (chart->is_bytes && drawing->x.is_log) {
        mark_bytes(drawing);
    } else if (!chart->n_words) {
        n = find_ticks(ticks, &drawing->x);
        for (int i = 0; i < n; i++) {
            snprintf(text, sizeof text, "%g", ticks[i]);
            mark(drawing, ticks[i], text);
        }
    }
    asim_out_printf(out, "<text class=\"s\" x=\"%d\" y=\"%d\">", LEFT - 60, TOP - 14);
    asim_quote_xml(out, chart->up);
    asim_out_printf(out, "</text>\n<text x=\"%d\" y=\"%d\" class=\"m\" text-anchor=\"middle\">",
                    LEFT + (WIDTH - LEFT - RIGHT) / 2, TOP + HEIGHT + 40 + LINE * drawing->below);
    asim_quote_xml(out, chart->across);
    asim_out_printf(out, "</text>\n");
}

/* From the least to the most, where they differ; of a line in its colour, else NULL. */
static void draw_spread(struct drawing *drawing, const struct asim_chart_point *point, double x,
                        const char *colour)
{
    double low = up(drawing, point->low), high = up(drawing, point->high);

    if (point->low < point->high)
        asim_out_printf(drawing->out,
                        "<path %s d=\"M%.1f %.1fV%.1fm-4 0h8M%.1f %.1fh8\"><title>%g to "
                        "%g</title></path>\n",
                        colour ? colour : "stroke=\"#888\" style=\"stroke: var(--fg)\"", x, low,
                        high, x - 4, low, point->low, point->high);
}

static void draw_bars(struct drawing *drawing, size_t s)
{
    const struct asim_chart *chart = drawing->chart;
    const struct asim_chart_series *series = &chart->series.at[s];
    double word = across(drawing, 1) - across(drawing, 0), share = 0.8;
    size_t n = chart->series.n < MOST_SERIES ? chart->series.n : MOST_SERIES;
    double wide = fmin(share * word / (double)n, 70), left = -wide * (double)n / 2;

    for (size_t i = 0; i < series->points.n; i++) {
        const struct asim_chart_point *point = &series->points.at[i];
        double x = across(drawing, point->x) + left + wide * (double)s, y = up(drawing, point->y);

        asim_out_printf(drawing->out,
                        "<rect class=\"f%zu\" fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                        "height=\"%.1f\"><title>%g</title></rect>\n",
                        s % COLOURS, colours[s % COLOURS], x, y, wide * 0.94, up(drawing, 0) - y,
                        point->y);
        draw_spread(drawing, point, x + wide * 0.47, NULL);
        if (wide > 34)
            asim_out_printf(
                drawing->out,
                "<text x=\"%.1f\" y=\"%.1f\" class=\"m\" text-anchor=\"middle\">%.3g</text>\n",
                x + wide * 0.47, fmin(y, up(drawing, point->high)) - 4, point->y);
    }
}

static void draw_line(struct drawing *drawing, size_t s, size_t number)
{
    static const char *const dashes[] = {"", "6 4", "2 3"};
    const struct asim_chart_series *series = &drawing->chart->series.at[s];
    struct asim_out *out = drawing->out;
    size_t colour = number % COLOURS;
    char paint[60];

    snprintf(paint, sizeof paint, "class=\"s%zu\" stroke=\"%s\"", colour, colours[colour]);
    if (!series->is_rings) {
        asim_out_printf(out,
                        "<path class=\"s%zu\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                        "stroke-dasharray=\"%s\" d=\"",
                        colour, colours[colour], dashes[number / COLOURS % 3]);
        for (size_t i = 0; i < series->points.n; i++)
            asim_out_printf(out, "%c%.1f %.1f", i ? 'L' : 'M',
                            across(drawing, series->points.at[i].x),
                            up(drawing, series->points.at[i].y));
        asim_out_printf(out, "\"/>\n");
    }
    for (size_t i = 0; i < series->points.n; i++)
        draw_spread(drawing, &series->points.at[i], across(drawing, series->points.at[i].x), paint);
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(
            out,
            "<circle class=\"%s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
            "%s=\"%s\"%s><title>%g</title></circle>\n",
            series->is_rings ? "s" : "f", colour, across(drawing, series->points.at[i].x),
            up(drawing, series->points.at[i].y), series->is_rings ? "stroke" : "fill",
            colours[colour], series->is_rings ? " fill=\"none\"" : "", series->points.at[i].y);
}

/* The names stand below. */
static void draw_name(struct drawing *drawing, const char *name, size_t number)
{
    int y = TOP + HEIGHT + 66 + LINE * (drawing->below + (int)number);

    asim_out_printf(drawing->out,
                    "<rect class=\"f%zu\" fill=\"%s\" x=\"%d\" y=\"%d\" width=\"24\" "
                    "height=\"%d\"/><text class=\"s\" x=\"%d\" y=\"%d\">",
                    number % COLOURS, colours[number % COLOURS], (int)LEFT, y - 9,
                    drawing->chart->n_words ? 10 : 3, LEFT + 34, y);
    asim_quote_xml(drawing->out, name);
    asim_out_printf(drawing->out, "</text>\n");
}

static size_t count_names(const struct asim_chart *chart)
{
    size_t names = 0;

    for (size_t s = 0; s < chart->series.n && s < MOST_SERIES; s++)
        names += *chart->series.at[s].name != '\0';
    return names;
}

static void draw(struct drawing *drawing)
{
    const struct asim_chart *chart = drawing->chart;
    size_t names = 0;

    draw_axes(drawing);
    for (size_t s = 0; s < chart->series.n && s < MOST_SERIES; s++) {
        const struct asim_chart_series *series = &chart->series.at[s];

        if (chart->n_words)
            draw_bars(drawing, s);
        else
            draw_line(drawing, s, series->is_rings && names ? names - 1 : names);
        if (*series->name)
            draw_name(drawing, series->name, names++);
    }
    asim_out_printf(drawing->out, "</svg>\n");
}

static size_t height_of(const struct drawing *drawing)
{
    return TOP + HEIGHT + 66 + LINE * ((size_t)drawing->below + count_names(drawing->chart));
}

/* A string of JSON as text of an element. */
static void put_text(struct asim_out *out, const char *text)
{
    char piece[500];

    asim_out_printf(out, "\"");
    while (*text) {
        size_t n = strcspn(text, "\"\\\t\n\r");

        n = n < sizeof piece ? n : sizeof piece - 1;
        snprintf(piece, sizeof piece, "%.*s", (int)n, text);
        asim_quote_xml(out, piece);
        text += n;
        if (*text == '"' || *text == '\\')
            asim_out_printf(out, "\\%c", *text++);
        else if (*text && strchr("\t\n\r", *text))
            asim_out_printf(out, " "), text++;
    }
    asim_out_printf(out, "\"");
}

/* What the script of the page draws from; axes are those of the picture. */
static void put_numbers(const struct drawing *drawing)
{
    const struct asim_chart *chart = drawing->chart;
    struct asim_out *out = drawing->out;

    asim_out_printf(out, "<div class=\"numbers\" hidden=\"\">{\"across\":");
    put_text(out, chart->across);
    asim_out_printf(out, ",\"up\":");
    put_text(out, chart->up);
    asim_out_printf(out, ",\"bytes\":%d,\"x\":[%.9g,%.9g,%d],\"y\":[%.9g,%.9g,%d],\"words\":[",
                    chart->is_bytes, drawing->x.low, drawing->x.high, drawing->x.is_log,
                    drawing->y.low, drawing->y.high, drawing->y.is_log);
    for (size_t w = 0; w < chart->n_words; w++) {
        asim_out_printf(out, "%s", w ? "," : "");
        put_text(out, chart->words[w]);
    }
    asim_out_printf(out, "],\"series\":[");
    for (size_t s = 0; s < chart->series.n && s < MOST_SERIES; s++) {
        const struct asim_chart_series *series = &chart->series.at[s];

        asim_out_printf(out, "%s{\"rings\":%d,\"name\":", s ? "," : "", series->is_rings);
        put_text(out, series->name);
        asim_out_printf(out, ",\"points\":[");
        for (size_t i = 0; i < series->points.n; i++) {
            const struct asim_chart_point *point = &series->points.at[i];

            asim_out_printf(out, "%s[%.12g,%.9g,%.9g,%.9g]", i ? "," : "", point->x, point->y,
                            point->low, point->high);
        }
        asim_out_printf(out, "]}");
    }
    asim_out_printf(out, "]}</div>\n");
}

void asim_chart_put(const struct asim_chart *chart, struct asim_out *out)
{
    struct drawing drawing = {.chart = chart, .out = out};

    if (!measure(&drawing))
        return;
    asim_out_printf(out,
                    "<div class=\"chart\"><svg class=\"plot\" viewBox=\"0 0 %d %zu\" "
                    "role=\"img\">\n",
                    (int)WIDTH, height_of(&drawing));
    draw(&drawing);
    put_numbers(&drawing);
    asim_out_printf(out, "</div>\n");
}

static void write_picture(struct drawing *drawing)
{
    asim_out_printf(drawing->out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %zu\" "
                    "font-family=\"sans-serif\" font-size=\"13\">\n<style>\n%s"
                    "svg { background: var(--bg); }\ntext { fill: var(--fg); }\n</style>\n",
                    (int)WIDTH, height_of(drawing), asim_page_file("palette.css"));
    draw(drawing);
}

static void write_page(struct drawing *drawing, const char *command)
{
    asim_page_begin(drawing->out);
    asim_quote_xml(drawing->out, drawing->chart->up);
    asim_page_body(drawing->out, command);
    asim_chart_put(drawing->chart, drawing->out);
    asim_page_end(drawing->out, 1);
}

static int ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);

    return n > m && !strcmp(path + n - m, end);
}

int asim_chart_check_name(const char *option, const char *path, struct asim_err *err)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    if (!strchr(name, '.') || ends_in(path, ".svg") || ends_in(path, ".html"))
        return 0;
    return asim_err_set(err, ASIM_EUSAGE,
                        "--%s=%s: a name that ends in .svg is a picture, one in .html a page; "
                        "there are no others.",
                        option, path);
}

int asim_chart_draw(const struct asim_chart *chart, const char *command, const char *path,
                    struct asim_err *err)
{
    struct asim_out out = {0};
    struct drawing drawing = {.chart = chart, .out = &out};
    int code = measure(&drawing) ? asim_out_open(&out, path, err)
                                 : asim_err_set(err, ASIM_EINVAL, "there is nothing to draw.");

    if (code)
        return code;
    if (ends_in(path, ".html"))
        write_page(&drawing, command);
    else
        write_picture(&drawing);
    return asim_out_commit(&out, err);
}
