/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The page of `asim report`: head, verdicts, comparison, and the sections of each run. Everything
 * is inside the file, and nothing in it depends on the time or the machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/quote.h"
#include "cli/embedded.h"
#include "tools/report/html.h"
#include "tools/report/report.h"

static const char *embedded(const char *name)
{
    for (const struct asim_embedded *file = report_page_files; file->name; file++)
        if (!strcmp(file->name, name))
            return file->text;
    return "";
}

/* "A", "B", … of the run. */
static char letter(size_t number)
{
    return (char)('A' + number);
}

/* The last part of the folder's name. */
static const char *short_name(const struct asim_run *run)
{
    const char *slash = strrchr(run->folder, '/');

    return slash && slash[1] ? slash + 1 : run->folder;
}

static void head(struct asim_out *out, const struct asim_run *runs, size_t n)
{
    asim_out_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
                         "<link rel=\"icon\" href=\"data:,\"/>\n<title>asim report: ");
    for (size_t i = 0; i < n; i++) {
        asim_out_printf(out, "%s", i ? ", " : "");
        asim_quote_xml(out, short_name(&runs[i]));
    }
    asim_out_printf(out, "</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n",
                    embedded("uPlot.min.css"), embedded("style.css"));
}

static void tile(struct asim_out *out, const char *what, const char *value)
{
    asim_out_printf(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", what, value);
}

static void count_tile(struct asim_out *out, const char *what, uint64_t value)
{
    char text[ASIM_SHOW_BYTES];

    tile(out, what, asim_show_count(text, value));
}

static void verdict_card(struct asim_out *out, const struct asim_run *run)
{
    struct asim_verdict verdict;
    char time[ASIM_SHOW_BYTES];

    asim_verdict_of(&verdict, run);
    asim_out_printf(out, "<div class=\"verdict\"><p><strong>What limits this run: ");
    asim_quote_xml(out, verdict.what);
    asim_out_printf(out, ".</strong> ");
    asim_quote_xml(out, verdict.because);
    asim_out_printf(out, "</p>\n");
    if (*verdict.advice) {
        asim_out_printf(out, "<p class=\"advice\">");
        asim_quote_xml(out, verdict.advice);
        asim_out_printf(out, "</p>\n");
    }
    asim_out_printf(out, "</div>\n<dl class=\"tiles\">\n");
    tile(out, "finish", asim_show_time(time, (double)run->finish));
    count_tile(out, "ranks", run->n_ranks);
    count_tile(out, "ops", run->ops_seen);
    count_tile(out, "messages", run->messages);
    if (run->is_flow_level) {
        tile(out, "ECN marks, PFC pauses, drops", "not modelled at the flow level");
    } else {
        count_tile(out, "ECN marks", run->marks);
        count_tile(out, "PFC pauses", run->pauses);
        count_tile(out, "drops", run->drops);
    }
    asim_out_printf(out, "</dl>\n");
}

/* --- warnings --- */

static void warn(struct asim_out *out, int is_bad, const char *text)
{
    asim_out_printf(out, "<li class=\"%s\">", is_bad ? "bad" : "good");
    asim_quote_xml(out, text);
    asim_out_printf(out, "</li>\n");
}

/* Whether the parts of each rank's time add up to its finish. */
static void audit_ranks(struct asim_out *out, const struct asim_run *run)
{
    size_t wrong = 0;
    char text[200];

    for (size_t i = 0; i < run->ranks.n; i++) {
        const struct asim_run_rank *r = &run->ranks.at[i];

        wrong += r->compute + r->exposed + r->waiting + r->cpu + r->idle + r->other != r->finish;
    }
    if (wrong)
        snprintf(text, sizeof text,
                 "The parts of the time of %zu of %zu ranks do not add up to their finish.", wrong,
                 run->ranks.n);
    else
        snprintf(text, sizeof text,
                 "The parts of each rank's time add up to its finish, for %zu of %zu ranks.",
                 run->ranks.n, run->ranks.n);
    warn(out, wrong != 0, text);
}

/* Bytes on a link beyond what it can carry would be an error of asim. */
static void audit_links(struct asim_out *out, const struct asim_run *run)
{
    size_t over = 0;
    char text[200];

    for (size_t l = 0; l < run->links.n; l++)
        over += run->links.at[l].utilisation > 1.0005;
    if (over)
        snprintf(text, sizeof text,
                 "%zu links carry more than their rate allows; this is an error of asim, or delays "
                 "were rounded to whole ns.",
                 over);
    else
        snprintf(text, sizeof text, "No link carries more than its rate allows, of %zu.",
                 run->links.n);
    warn(out, over != 0, text);
}

static void warnings(struct asim_out *out, const struct asim_run *run, size_t number)
{
    char text[300];

    asim_html_section(out, "checks", number, "Warnings and checks");
    asim_out_printf(out, "<ul class=\"checks\">\n");
    for (uint32_t i = 0; i < run->n_doubts; i++)
        warn(out, 1, run->doubts[i]);
    if (strcmp(run->state, "finished")) {
        snprintf(
            text, sizeof text,
            "The run is %s: %zu of %u ranks finished, and the figures are of the time until then.",
            run->state, run->ranks.n, run->n_ranks);
        warn(out, 1, text);
    }
    if (run->drops) {
        snprintf(text, sizeof text, "%" PRIu64 " frames were dropped.", run->drops);
        warn(out, 1, text);
    }
    if (run->ops_seen > run->ops.n) {
        snprintf(text, sizeof text,
                 "Collectives are those of the first %zu of %" PRIu64
                 " ops, and the critical path is left out.",
                 run->ops.n, run->ops_seen);
        warn(out, 1, text);
    }
    if (!run->ops_seen && run->n_ranks)
        warn(out, 1, "No op finished.");
    if (run->ranks.n && !run->messages)
        warn(out, 1, "No message was sent.");
    if (run->ranks.n)
        audit_ranks(out, run);
    if (run->has_links)
        audit_links(out, run);
    asim_out_printf(out, "</ul>\n</section>\n");
}

/* --- comparison --- */

static void difference(struct asim_out *out, double a, double b)
{
    char text[40] = "";

    if (a > 0)
        snprintf(text, sizeof text, "%+.1f %%", 100 * (b - a) / a);
    else if (b > 0)
        snprintf(text, sizeof text, "from 0");
    asim_html_number(out, text, a > 0 ? (b - a) / a : 0);
}

/* What runs are compared by: sums over the ranks, in the order of `names`. */
enum { WAITING = 4, FIGURES = 10 };

static void figures_of(double values[], const struct asim_run *run)
{
    memset(values, 0, FIGURES * sizeof *values);
    values[0] = (double)run->finish;
    for (size_t i = 0; i < run->ranks.n; i++) {
        const struct asim_run_rank *rank = &run->ranks.at[i];
        double part = 1 / (double)run->ranks.n;

        values[1] += part * (double)rank->compute;
        values[2] += part * (double)rank->hidden;
        values[3] += part * (double)rank->exposed;
        values[4] += part * (double)rank->waiting;
    }
    values[5] = (double)run->messages;
    values[6] = (double)run->marks;
    values[7] = (double)run->pauses;
    values[8] = (double)run->drops;
    values[9] = run->n_worst ? run->links.at[run->worst[0]].utilisation : 0;
}

static int have_breakdown(const struct asim_run *runs, size_t n)
{
    int all = 1;

    for (size_t i = 0; i < n; i++)
        all &= runs[i].has_breakdown;
    return all;
}

/* Marks, pauses and drops at the flow level. */
static int is_unknown(int figure, const struct asim_run *run)
{
    return run->is_flow_level && figure >= 6 && figure <= 8;
}

static void compare_row(struct asim_out *out, int figure, const struct asim_run *runs, size_t n)
{
    static const char *const names[] = {"finish",
                                        "computation, mean rank",
                                        "hidden communication, mean rank",
                                        "exposed communication, mean rank",
                                        "waiting, mean rank",
                                        "messages",
                                        "ECN marks",
                                        "PFC pauses",
                                        "drops",
                                        "busiest link"};
    double first[FIGURES], values[FIGURES];
    char text[40];

    asim_out_printf(out, "<tr>");
    asim_html_text(out, names[figure]);
    figures_of(first, &runs[0]);
    for (size_t i = 0; i < n; i++) {
        figures_of(values, &runs[i]);
        if (is_unknown(figure, &runs[i])) {
            asim_html_text(out, "not modelled");
        } else if (figure < 5) {
            asim_html_time(out, values[figure]);
        } else if (figure < 9) {
            asim_html_count(out, (uint64_t)values[figure]);
        } else {
            snprintf(text, sizeof text, "%.1f %%", 100 * values[figure]);
            asim_html_number(out, text, values[figure]);
        }
        if (i && (is_unknown(figure, &runs[0]) || is_unknown(figure, &runs[i])))
            asim_html_text(out, "");
        else if (i)
            difference(out, first[figure], values[figure]);
    }
    asim_out_printf(out, "</tr>\n");
}

static void compare(struct asim_out *out, const struct asim_run *runs, size_t n)
{
    char columns[300] = "figure|#A";

    asim_out_printf(out, "<section id=\"comparison\">\n<h2>Comparison</h2>\n<ol class=\"runs\">\n");
    for (size_t i = 0; i < n; i++) {
        struct asim_verdict verdict;

        asim_verdict_of(&verdict, &runs[i]);
        asim_out_printf(out, "<li><a href=\"#run-%zu\">", i);
        asim_quote_xml(out, runs[i].folder);
        asim_out_printf(out, "</a>: limited by ");
        asim_quote_xml(out, verdict.what);
        asim_out_printf(out, ".</li>\n");
        if (i)
            snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "|#%c|#%c to A",
                     letter(i), letter(i));
    }
    asim_out_printf(out, "</ol>\n");
    asim_html_table(out, columns);
    for (int figure = 0; figure < FIGURES; figure++)
        if (figure != WAITING || have_breakdown(runs, n))
            compare_row(out, figure, runs, n);
    asim_out_printf(out, "</tbody></table></div>\n</section>\n");
}

/* Packet level against analytical, where the folder has compare.csv. */
static void others(struct asim_out *out, const struct asim_run *run, size_t number)
{
    if (!run->n_others)
        return;
    asim_html_section(out, "analytical", number, "Packet level against flow level and formulas");
    asim_html_table(out,
                    "network|#finish|#to the first|#communication, all ranks|#exposed, all ranks");
    for (uint32_t i = 0; i < run->n_others; i++) {
        asim_out_printf(out, "<tr>");
        asim_html_text(out, run->others[i].name);
        asim_html_time(out, (double)run->others[i].finish);
        difference(out, (double)run->others[0].finish, (double)run->others[i].finish);
        asim_html_time(out, (double)run->others[i].comm);
        asim_html_time(out, (double)run->others[i].exposed);
        asim_out_printf(out, "</tr>\n");
    }
    asim_out_printf(out, "</tbody></table></div>\n</section>\n");
}

static void pairs(struct asim_out *out, const struct asim_run_figure *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        asim_out_printf(out, "<tr>");
        asim_html_text(out, at[i].key);
        asim_html_text(out, at[i].value);
        asim_out_printf(out, "</tr>\n");
    }
    asim_out_printf(out, "</tbody></table></div>\n");
}

static void configuration(struct asim_out *out, const struct asim_run *run, size_t number)
{
    asim_html_section(out, "configuration", number, "Configuration and figures");
    asim_out_printf(out, "<p>Folder: <code>");
    asim_quote_xml(out, run->folder);
    asim_out_printf(out, "</code></p>\n");
    for (size_t i = 0; i < run->settings.n; i++) {
        asim_out_printf(out, "<details open=\"open\"><summary>");
        asim_quote_xml(out, run->settings.at[i].key);
        asim_out_printf(out, "</summary><pre>");
        asim_quote_xml(out, run->settings.at[i].value);
        asim_out_printf(out, "</pre></details>\n");
    }
    asim_html_table(out, "summary.json|value");
    pairs(out, run->figures.at, run->figures.n);
    asim_out_printf(out, "</section>\n");
}

static int one_run(struct asim_out *out, const struct asim_run *run, size_t number, size_t n,
                   struct asim_err *err)
{
    int code;

    asim_out_printf(out, "<article id=\"run-%zu\">\n<h2>", number);
    if (n > 1)
        asim_out_printf(out, "%c: ", letter(number));
    asim_quote_xml(out, short_name(run));
    asim_out_printf(out, "</h2>\n");
    verdict_card(out, run);
    warnings(out, run, number);
    asim_html_ranks(out, run, number);
    asim_html_section(out, "network", number, "Network");
    code = asim_html_drawing(out, run, err);
    asim_html_links(out, run);
    asim_html_series(out, run);
    asim_out_printf(out, "</section>\n");
    asim_html_traffic(out, run, number);
    asim_html_collectives(out, run, number);
    asim_html_path(out, run, number);
    asim_html_flows(out, run, number);
    others(out, run, number);
    configuration(out, run, number);
    asim_out_printf(out, "</article>\n");
    return code;
}

static int page(struct asim_out *out, const struct asim_run *runs, size_t n, struct asim_err *err)
{
    int code = 0, has_charts = 0;

    head(out, runs, n);
    asim_out_printf(out, "<header><h1>asim report</h1></header>\n<main>\n");
    if (n > 1)
        compare(out, runs, n);
    for (size_t i = 0; i < n && !code; i++) {
        code = one_run(out, &runs[i], i, n, err);
        for (int k = 0; k < ASIM_SERIES; k++)
            has_charts |= runs[i].series[k].points.n > 0;
    }
    asim_out_printf(out, "</main>\n<script>\n%s\n%s</script>\n</body>\n</html>\n",
                    has_charts ? embedded("uPlot.iife.min.js") : "", embedded("page.js"));
    return code;
}

int asim_report_page(const char *const *folders, size_t n, const char *path, struct asim_err *err)
{
    struct asim_run *runs = calloc(n ? n : 1, sizeof *runs);
    struct asim_out out = {0};
    size_t loaded = 0;
    int code = runs ? 0 : asim_err_nomem(err, "reading runs");

    for (; !code && loaded < n; loaded++)
        code = asim_run_load(&runs[loaded], folders[loaded], 0, err);
    if (!code)
        code = asim_out_open(&out, path, err);
    if (!code)
        code = page(&out, runs, n, err);
    if (!code)
        code = asim_out_commit(&out, err);
    asim_out_discard(&out);
    for (size_t i = 0; i < loaded; i++)
        asim_run_close(&runs[i]);
    free(runs);
    return code;
}
