/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See html.h: time series as SVG, with their numbers beside for the script of the page, which
 * replaces the picture by one that can be zoomed.
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

static void draw(struct asim_out *out, const struct asim_run_series *series, uint64_t end)
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
    asim_out_printf(out, "\"/><text x=\"%d\" y=\"16\" class=\"e\">%s</text>", LEFT - 6,
                    asim_show_bytes(text, most));
    asim_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"e\">0</text>", LEFT - 6, HEIGHT - BOTTOM);
    asim_out_printf(out, "<text x=\"%d\" y=\"%d\" class=\"e\">%s</text></svg>\n", WIDTH - 10,
                    HEIGHT - 6, asim_show_time(text, (double)end));
}

/* [[times, µs], [mean], [max]] */
static void numbers(struct asim_out *out, const struct asim_run_series *series)
{
    asim_out_printf(out, "<script type=\"application/json\">[[");
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(out, "%s%.12g", i ? "," : "", (double)series->points.at[i].t / 1000);
    asim_out_printf(out, "],[");
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(out, "%s%.9g", i ? "," : "", series->points.at[i].mean / 1000);
    asim_out_printf(out, "],[");
    for (size_t i = 0; i < series->points.n; i++)
        asim_out_printf(out, "%s%.9g", i ? "," : "", series->points.at[i].max / 1000);
    asim_out_printf(out, "]]</script>\n");
}

void asim_html_series(struct asim_out *out, const struct asim_run *run, size_t number)
{
    char name[ASIM_LINK_NAME_BYTES];

    (void)number;
    if (!run->n_worst)
        return;
    asim_out_printf(out, "<h4>Queue of the busiest link over time: ");
    asim_quote_xml(out, asim_show_link(name, run, &run->links.at[run->worst[0]]));
    asim_out_printf(out, "</h4>\n");
    if (!run->has_queues) {
        asim_out_printf(out, "<p class=\"missing\">Not recorded. Run with "
                             "<code>--reports=queues</code>.</p>\n");
        return;
    }
    if (!run->queue.points.n) {
        asim_out_printf(out, "<p>Its queue never held a frame, or it is the port of a host's NIC, "
                             "whose queue is not recorded.</p>\n");
        return;
    }
    asim_out_printf(out, "<div class=\"chart\" data-label=\"queued kB\">");
    draw(out, &run->queue, run->finish);
    numbers(out, &run->queue);
    asim_out_printf(out, "</div>\n");
}
