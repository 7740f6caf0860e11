/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws time series as SVG, with their numbers beside for the script of the page, which replaces
 * the picture by one that can be zoomed.
 */
#include <stdio.h>
#include "base/io/quote.h"
#include "tools/report/html.h"

enum { WIDTH = 1160, HEIGHT = 200, LEFT = 70, BOTTOM = 24 };

static double largest(const struct asim_run_series *series)
{
    double most = 0;

    for (size_t i = 0; i < series->points.n; i++)
        most = most > series->points.at[i].max ? most : series->points.at[i].max;
    return most > 0 ? most : 1;
}

static void draw(struct asim_out *out, const struct asim_run_series *series, uint64_t end,
                 const char *label, double unit)
{
    double most = largest(series), wide = WIDTH - LEFT - 10, high = HEIGHT - BOTTOM - 10;
    char text[ASIM_SHOW_BYTES];

    asim_out_printf(out, "<svg class=\"series\" viewBox=\"0 0 %d %d\" role=\"img\">", (int)WIDTH,
                    (int)HEIGHT);
    asim_out_printf(out, "<path class=\"axis\" d=\"M%d 10V%dH%d\"/><polyline points=\"", (int)LEFT,
                    HEIGHT - BOTTOM, WIDTH - 10);
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(out, "%s%.1f,%.1f", i ? " " : "",
                        LEFT + wide * (double)series->points.at[i].t / (double)(end ? end : 1),
                        10 + high * (1 - series->points.at[i].max / most));
    asim_out_printf(out, "\"/><text x=\"%d\" y=\"16\" class=\"e\">%.4g</text>", LEFT - 6,
                    most / unit);
    asim_out_printf(out, "<text x=\"%d\" y=\"16\" class=\"s\">%s</text>", LEFT + 8, label);
    asim_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"e\">0</text>", LEFT - 6, HEIGHT - BOTTOM);
    asim_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"e\">%s</text></svg>\n", WIDTH - 10,
                    HEIGHT - 6, asim_show_time(text, (double)end));
}

/* [[times, µs], [mean], [max]] */
static void numbers(struct asim_out *out, const struct asim_run_series *series, double unit)
{
    asim_out_printf(out, "<div class=\"numbers\" hidden=\"\">[[");
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(out, "%s%.12g", i ? "," : "", (double)series->points.at[i].t / 1000);
    asim_out_printf(out, "],[");
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(out, "%s%.9g", i ? "," : "", series->points.at[i].mean / unit);
    asim_out_printf(out, "],[");
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(out, "%s%.9g", i ? "," : "", series->points.at[i].max / unit);
    asim_out_printf(out, "]]</div>\n");
}

static int is_flat(const struct asim_run_series *series)
{
    for (size_t i = 0; i < series->points.n; i++)
        if (series->points.at[i].max > 0)
            return 0;
    return 1;
}

/* A chart with its heading, or how to record it; nothing where there is nothing to see. */
static void chart(struct asim_out *out, const struct asim_run *run, int kind,
                  const struct asim_run_link *link)
{
    static const struct {
        const char *title, *label, *option;
        double unit; /* values are divided by it */
    } kinds[ASIM_SERIES] = {
        {"The longest queue of a switch, largest in each bin: ", "queued kB", "--reports=queues",
         1000},
        {"Messages over the busiest link, estimated from their times: ", "Gb/s", NULL, 1},
        {"PAUSE frames of all nodes that took effect", "frames", NULL, 1}};
    const struct asim_run_series *series = &run->series[kind];
    char name[ASIM_LINK_NAME_BYTES];

    if (series->is_recorded ? is_flat(series) : !kinds[kind].option)
        return;
    asim_out_printf(out, "<h4>%s", kinds[kind].title);
    if (link)
        asim_quote_xml(out, asim_show_link(name, run, link));
    asim_out_printf(out, "</h4>\n");
    if (!series->is_recorded) {
        asim_out_printf(out, "<p class=\"missing\">Not recorded. Run with <code>%s</code>.</p>\n",
                        kinds[kind].option);
        return;
    }
    asim_out_printf(out, "<div class=\"chart\" data-label=\"%s\">", kinds[kind].label);
    draw(out, series, run->finish, kinds[kind].label, kinds[kind].unit);
    numbers(out, series, kinds[kind].unit);
    asim_out_printf(out, "</div>\n");
}

void asim_html_series(struct asim_out *out, const struct asim_run *run)
{
    if (run->longest != ASIM_RUN_NONE && !run->is_flow_level)
        chart(out, run, ASIM_SERIES_QUEUE, &run->links.at[run->longest]);
    else if (run->has_links && !run->is_flow_level)
        asim_out_printf(out, "<p>No queue of a switch ever held a frame.</p>\n");
    if (run->n_worst)
        chart(out, run, ASIM_SERIES_GOODPUT, &run->links.at[run->worst[0]]);
    chart(out, run, ASIM_SERIES_PAUSES, NULL);
}
