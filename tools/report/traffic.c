/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Shows where the bytes went, with a picture of the bytes from rank to rank.
 */
#include <stdio.h>
#include "base/io/quote.h"
#include "tools/report/html.h"

static void percent(struct asim_out *out, double part)
{
    char shown[ASIM_SHOW_BYTES];

    snprintf(shown, sizeof shown, "%.1f %%", 100 * part);
    asim_html_number(out, shown, part);
}

static void volume(struct asim_out *out, uint64_t bytes)
{
    char shown[ASIM_SHOW_BYTES];

    asim_html_number(out, asim_show_bytes(shown, (double)bytes), (double)bytes);
}

static void tier_table(struct asim_out *out, const struct asim_run *run)
{
    asim_html_table(out, "links|direction|#links|#bytes|#on the busiest|#mean use|#busiest");
    for (size_t i = 0; i < run->tiers.n; i++) {
        const struct asim_run_tier *tier = &run->tiers.at[i];

        asim_out_printf(out, "<tr>");
        asim_html_text(out, tier->class);
        asim_html_text(out, tier->direction);
        asim_html_count(out, tier->links);
        volume(out, tier->bytes);
        volume(out, tier->most_bytes);
        percent(out, tier->mean);
        percent(out, tier->worst);
        asim_out_printf(out, "</tr>\n");
    }
    asim_out_printf(out, "</tbody></table></div>\n");
}

static void sentences(struct asim_out *out, const struct asim_run *run)
{
    char line[300];

    for (size_t i = 0; i < run->ratios.n; i++) {
        asim_out_printf(out, "<p>Oversubscription of ");
        asim_quote_xml(out, asim_show_ratio(line, sizeof line, &run->ratios.at[i]));
        asim_out_printf(out, ".</p>\n");
    }
    if (run->ways.flows) {
        asim_out_printf(out, "<p>");
        asim_quote_xml(out, asim_show_ways(line, sizeof line, &run->ways));
        asim_out_printf(out, ".</p>\n");
    }
}

static void type_table(struct asim_out *out, const struct asim_run *run)
{
    asim_html_table(out, "collective|#messages|#bytes");
    for (size_t i = 0; i < run->traffic.n; i++) {
        asim_out_printf(out, "<tr>");
        asim_html_text(out, run->traffic.at[i].type);
        asim_html_count(out, run->traffic.at[i].messages);
        volume(out, run->traffic.at[i].bytes);
        asim_out_printf(out, "</tr>\n");
    }
    asim_out_printf(out, "</tbody></table></div>\n");
}

/* Ten steps of colour, as those of links; a pair without bytes has no cell. */
static void grid_cell(struct asim_out *out, const struct asim_run *run, uint32_t from, uint32_t to,
                      double most)
{
    int step = (int)(10 * run->grid[from][to] / most);
    char bytes[ASIM_SHOW_BYTES];

    if (!(run->grid[from][to] > 0))
        return;
    asim_out_printf(out,
                    "<rect class=\"b%d\" x=\"%u\" y=\"%u\" width=\"15\" height=\"15\"><title>%u to "
                    "%u: %s</title></rect>\n",
                    step < 10 ? step : 9, 60 + 16 * to, 20 + 16 * from, from * run->grid_ranks,
                    to * run->grid_ranks, asim_show_bytes(bytes, run->grid[from][to]));
}

static void grid(struct asim_out *out, const struct asim_run *run)
{
    uint32_t side = run->grid_side;
    double most = 0;
    char bytes[ASIM_SHOW_BYTES];

    for (uint32_t i = 0; i < side * side; i++)
        most = run->grid[i / side][i % side] > most ? run->grid[i / side][i % side] : most;
    if (!(most > 0))
        return;
    asim_out_printf(out,
                    "<figure><svg class=\"grid\" style=\"max-width:%upx\" viewBox=\"0 0 %u %u\" "
                    "role=\"img\" aria-label=\"Bytes from rank to rank\">\n",
                    64 + 16 * side, 64 + 16 * side, 24 + 16 * side);
    for (uint32_t i = 0; i<side; i += side> 16 ? 4 : 1)
        asim_out_printf(
            out, "<text class=\"e\" x=\"54\" y=\"%u\">%u</text><text x=\"%u\" y=\"14\">%u</text>\n",
            32 + 16 * i, i * run->grid_ranks, 68 + 16 * i, i * run->grid_ranks);
    for (uint32_t i = 0; i < side * side; i++)
        grid_cell(out, run, i / side, i % side, most);
    asim_out_printf(out, "</svg>\n<figcaption><span class=\"scale\">");
    for (int step = 0; step < 10; step++)
        asim_out_printf(out, "<i class=\"b%d\"></i>", step);
    asim_out_printf(out,
                    "</span> bytes from rank (row) to rank (column), 0 to %s; %u rank%s a "
                    "cell</figcaption></figure>\n",
                    asim_show_bytes(bytes, most), run->grid_ranks, run->grid_ranks == 1 ? "" : "s");
}

void asim_html_traffic(struct asim_out *out, const struct asim_run *run, size_t number)
{
    if (!run->tiers.n)
        return;
    asim_html_section(out, "traffic", number, "Where the bytes go");
    sentences(out, run);
    tier_table(out, run);
    if (run->has_traffic && run->traffic.n) {
        asim_out_printf(out, "<h4>From rank to rank</h4>\n");
        type_table(out, run);
        grid(out, run);
    } else if (!run->has_traffic) {
        asim_out_printf(out, "<p class=\"missing\">Bytes from rank to rank: not recorded. Run with "
                             "<code>--reports=traffic</code>.</p>\n");
    }
    asim_out_printf(out, "</section>\n");
}
