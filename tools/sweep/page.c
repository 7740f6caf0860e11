/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes sweep.html: the chart, which can be zoomed, and the table of `asim sweep` with a link to
 * the page of each point.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io/quote.h"
#include "tools/chart.h"
#include "tools/page.h"
#include "tools/report/html.h"
#include "tools/sweep/sweep.h"

enum { MOST_ROWS = 2000 };

/* The keys that vary; what they are of. */
static void put_title(struct asim_out *out, const struct asim_sweep *sweep)
{
    size_t n = 0;

    if (sweep->of) {
        asim_out_printf(out, "what if ");
        asim_quote_xml(out, sweep->of);
        asim_out_printf(out, " had another ");
    }
    for (size_t k = 0; k < sweep->keys.n; k++) {
        const struct asim_sweep_key *key = &sweep->keys.at[k];

        if (!asim_sweep_varies(key))
            continue;
        asim_out_printf(out, "%s", n++ ? " × " : "");
        asim_quote_xml(out, key->name);
    }
}

/* What all points have, without what a run had already. */
static void put_same(struct asim_out *out, const struct asim_sweep *sweep)
{
    size_t n = 0;

    for (size_t k = 0; k < sweep->keys.n; k++) {
        const struct asim_sweep_key *key = &sweep->keys.at[k];

        if (asim_sweep_varies(key))
            continue;
        asim_out_printf(out, "%s<code>", n++ ? ", " : "<p class=\"advice\">The same for all: ");
        asim_quote_xml(out, key->name);
        asim_out_printf(out, "=");
        asim_quote_xml(out, key->values.at[0]);
        asim_out_printf(out, "</code>");
    }
    if (n)
        asim_out_printf(out, "</p>\n");
}

static void put_head_cell(struct asim_out *out, const char *text, int is_number)
{
    asim_out_printf(out, "<th scope=\"col\"%s>", is_number ? " class=\"n\"" : "");
    asim_quote_xml(out, text);
    asim_out_printf(out, "</th>");
}

static void put_head(struct asim_out *out, const struct asim_sweep *sweep)
{
    char seeds[60];

    asim_out_printf(out, "<div class=\"wide\"><table class=\"points\">\n<thead><tr>");
    put_head_cell(out, "point", 1);
    for (size_t k = 0; k < sweep->keys.n; k++)
        if (asim_sweep_shows(sweep, k))
            put_head_cell(out, sweep->keys.at[k].name, 0);
    for (size_t f = 0; sweep->target->figures[f].column; f++) {
        put_head_cell(out, sweep->target->figures[f].heading, 1);
        if (!f && asim_sweep_has_seeds(sweep)) {
            snprintf(seeds, sizeof seeds, "least and most of %zu seeds",
                     sweep->keys.at[asim_sweep_seed(sweep)].values.n);
            put_head_cell(out, seeds, 1);
        }
        if (!f && sweep->of)
            put_head_cell(out, "change", 1);
    }
    put_head_cell(out, sweep->of ? "limited by" : "state", 0);
    asim_out_printf(out, "</tr></thead>\n<tbody>\n");
}

/* Its number, with a link where the point has a page; that of one which did not end may be of an
 * earlier run. */
static void put_number(struct asim_out *out, const struct asim_sweep *sweep, size_t i)
{
    char path[ASIM_SWEEP_PATH];

    snprintf(path, sizeof path, "%.1000s/runs/%zu/report.html", sweep->folder, i + 1);
    if (sweep->points[i].state != ASIM_POINT_FINISHED || access(path, R_OK))
        asim_out_printf(out, "<td class=\"n\" data-v=\"%zu\">%zu</td>", i + 1, i + 1);
    else
        asim_out_printf(
            out, "<td class=\"n\" data-v=\"%zu\"><a href=\"runs/%zu/report.html\">%zu</a></td>",
            i + 1, i + 1, i + 1);
}

static void put_figures(struct asim_out *out, const struct asim_sweep *sweep, size_t i)
{
    for (size_t f = 0; sweep->target->figures[f].column; f++) {
        struct asim_sweep_spread spread = asim_sweep_spread(sweep, i, f);
        double unit = sweep->target->figures[f].unit;
        char text[100] = "";

        if (spread.known)
            snprintf(text, sizeof text, "%.6f", spread.median / unit);
        asim_html_number(out, text, spread.median);
        if (!f && asim_sweep_has_seeds(sweep)) {
            snprintf(text, sizeof text, "%.6f – %.6f", spread.least / unit, spread.most / unit);
            asim_html_number(out, spread.known ? text : "", spread.least);
        }
        if (!f && sweep->of) {
            snprintf(text, sizeof text, "%+.1f %%", asim_sweep_change(sweep, spread.median));
            asim_html_number(out, spread.known ? text : "",
                             asim_sweep_change(sweep, spread.median));
        }
    }
}

static void put_state(struct asim_out *out, const struct asim_sweep *sweep, size_t i)
{
    size_t worst = asim_sweep_worst(sweep, i);
    const struct asim_sweep_point *point = &sweep->points[worst];
    char reason[400] = "";

    if (point->state == ASIM_POINT_FAILED || point->state == ASIM_POINT_STALLED)
        asim_sweep_reason(sweep, worst, reason, sizeof reason);
    asim_out_printf(out, "<td class=\"reason\">");
    asim_quote_xml(out, asim_sweep_word(sweep, worst));
    asim_out_printf(out, "%s", *reason ? ": " : "");
    asim_quote_xml(out, reason);
    asim_out_printf(out, "</td>");
}

static void put_rows(struct asim_out *out, const struct asim_sweep *sweep)
{
    size_t rows = 0;

    put_head(out, sweep);
    for (size_t i = 0; i < sweep->n; i++) {
        if (!asim_sweep_is_first_seed(sweep, i) || rows++ >= MOST_ROWS)
            continue;
        asim_out_printf(out, "<tr>");
        put_number(out, sweep, i);
        for (size_t k = 0; k < sweep->keys.n; k++)
            if (asim_sweep_shows(sweep, k))
                asim_html_text(out, asim_sweep_at(sweep, i, k));
        put_figures(out, sweep, i);
        put_state(out, sweep, i);
        asim_out_printf(out, "</tr>\n");
    }
    asim_out_printf(out, "</tbody></table></div>\n");
    if (rows > MOST_ROWS)
        asim_out_printf(out, "<p>and %zu more rows in sweep.csv</p>\n", rows - MOST_ROWS);
}

int asim_sweep_write_page(const struct asim_sweep *sweep, const struct asim_chart *chart,
                          struct asim_err *err)
{
    char path[ASIM_SWEEP_PATH];
    struct asim_out out;

    snprintf(path, sizeof path, "%.1000s/sweep.html", sweep->folder);
    if (asim_out_open(&out, path, err))
        return ASIM_EIO;
    asim_page_begin(&out);
    put_title(&out, sweep);
    asim_page_body(&out, sweep->of ? "what-if" : "sweep");
    asim_out_printf(&out, "<h2>");
    put_title(&out, sweep);
    asim_out_printf(&out, "</h2>\n");
    put_same(&out, sweep);
    if (sweep->of)
        asim_out_printf(&out, "<p>The run itself takes %.6f ms.</p>\n", (double)sweep->of_ns / 1e6);
    if (chart)
        asim_chart_put(chart, &out);
    put_rows(&out, sweep);
    asim_page_end(&out, chart != NULL);
    return asim_out_commit(&out, err);
}
