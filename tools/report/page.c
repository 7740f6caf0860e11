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
#include "tools/page.h"
#include "tools/report/fct.h"
#include "tools/report/html.h"
#include "tools/report/report.h"

static void changes_table(struct asim_out *out, const struct asim_run *run)
{
    char words[160];

    if (!run->changes.n)
        return;
    asim_html_table(out, "what if|#time|#difference|option");
    for (size_t i = 0; i < run->changes.n; i++) {
        const struct asim_run_change *change = &run->changes.at[i];

        asim_out_printf(out, "<tr>");
        asim_html_text(out, asim_verdict_change(words, sizeof words, change));
        asim_html_time(out, (double)run->finish * (1 - change->saved));
        asim_html_number(out, asim_show_difference(words, -change->saved), -change->saved);
        snprintf(words, sizeof words, "%s%.120s", *change->option ? "--" : "", change->option);
        asim_html_text(out, words);
        asim_out_printf(out, "</tr>\n");
    }
    asim_out_printf(out, "</tbody></table></div>\n");
}

/* A number and its per cent sign stay on one line. */
static void put_sentence(struct asim_out *out, const char *text)
{
    for (const char *sign; (sign = strstr(text, " %")); text = sign + 2) {
        char piece[2000];

        snprintf(piece, sizeof piece, "%.*s", (int)(sign - text), text);
        asim_quote_xml(out, piece);
        asim_out_printf(out, "&#160;%%");
    }
    asim_quote_xml(out, text);
}

static void verdict_card(struct asim_out *out, const struct asim_run *run)
{
    struct asim_verdict verdict;

    asim_verdict_of(&verdict, run);
    asim_out_printf(out, "<div class=\"verdict\"><p><strong>What limits this run: ");
    asim_quote_xml(out, verdict.what);
    asim_out_printf(out, ".</strong> ");
    put_sentence(out, verdict.because);
    asim_out_printf(out, "</p>\n");
    if (*verdict.advice) {
        asim_out_printf(out, "<p class=\"advice\">");
        put_sentence(out, verdict.advice);
        asim_out_printf(out, "</p>\n");
    }
    asim_out_printf(out, "</div>\n");
}

/* --- tiles --- */

static void tile(struct asim_out *out, const char *what, const char *value)
{
    asim_out_printf(out, "<div><dt>");
    asim_quote_xml(out, what);
    asim_out_printf(out, "</dt><dd>%s</dd></div>\n", value);
}

/* Shares of the time of the mean rank. */
static void split_tiles(struct asim_out *out, const struct asim_run *run)
{
    struct asim_time_part parts[ASIM_PARTS];
    double all = 0;
    char text[ASIM_SHOW_BYTES];

    asim_html_mean_parts(parts, run);
    for (int i = 0; i < ASIM_PARTS; i++)
        all += parts[i].ns;
    for (int i = 0; i < ASIM_PARTS; i++) {
        if (!(parts[i].ns > 0))
            continue;
        snprintf(text, sizeof text, "%.1f %%", 100 * parts[i].ns / all);
        asim_out_printf(out,
                        "<div class=\"part\"><dt><i class=\"%s\"></i>%s</dt><dd>%s</dd></div>\n",
                        parts[i].class, parts[i].title, text);
    }
}

static void bandwidth_tile(struct asim_out *out, const struct asim_run *run)
{
    const struct asim_run_coll *most = asim_run_main_coll(run);
    char what[100], value[ASIM_SHOW_BYTES];

    if (!most)
        return;
    snprintf(what, sizeof what, "busbw, %.30s of %s over %u", run->names.at[most->coll],
             asim_show_bytes(value, (double)most->bytes), most->members);
    snprintf(value, sizeof value, "%.4g GB/s", most->busbw);
    tile(out, what, value);
}

static void serving_tiles(struct asim_out *out, const struct asim_run *run)
{
    char text[ASIM_SHOW_BYTES];

    if (!run->serving.requests)
        return;
    tile(out, "requests", asim_show_count(text, run->serving.requests));
    tile(out, "TTFT, median", asim_show_time(text, (double)run->serving.ttft_ns));
    tile(out, "TPOT, median", asim_show_time(text, (double)run->serving.tpot_ns));
    snprintf(text, sizeof text, "%.0f", run->serving.tokens_per_s);
    tile(out, "output tokens a second", text);
}

static void accuracy_tiles(struct asim_out *out, const struct asim_run *run)
{
    char text[ASIM_SHOW_BYTES];

    if (run->recorded_ms > 0) {
        tile(out, "recorded", asim_show_time(text, run->recorded_ms * 1e6));
        tile(out, "error against it", asim_show_difference(text, run->recorded_error / 100));
    }
    if (*run->trust)
        tile(out, "expected error", asim_show_expected_error(text, run));
}

/* In place of ranks and messages, where no job runs. */
static void traffic_tiles(struct asim_out *out, const struct asim_run *run)
{
    static const char *const names[] = {"slowdown of flows up to 100 kB, 99 % below",
                                        "slowdown of larger flows, 99 % below"};
    static const uint64_t sizes[] = {0, 100000, UINT64_MAX};
    char text[ASIM_SHOW_BYTES];

    tile(out, "background flows", asim_show_count(text, run->slowdowns[1].n));
    for (int i = 0; i < 2; i++) {
        double slowdown = asim_fct_slowdown(run, sizes[i], sizes[i + 1]);

        snprintf(text, sizeof text, "%.2f", slowdown);
        if (slowdown > 0)
            tile(out, names[i], text);
    }
}

static void tiles(struct asim_out *out, const struct asim_run *run)
{
    char text[3 * ASIM_SHOW_BYTES], a[ASIM_SHOW_BYTES], b[ASIM_SHOW_BYTES], c[ASIM_SHOW_BYTES];

    asim_out_printf(out, "<dl class=\"tiles\">\n");
    tile(out, "time", asim_show_time(text, (double)run->finish));
    split_tiles(out, run);
    bandwidth_tile(out, run);
    serving_tiles(out, run);
    accuracy_tiles(out, run);
    if (run->slowdowns[1].n && !run->messages) {
        traffic_tiles(out, run);
    } else {
        tile(out, "ranks", asim_show_count(text, run->n_ranks));
        tile(out, "messages", asim_show_count(text, run->messages));
    }
    snprintf(text, sizeof text, "%s · %s · %s", asim_show_count(a, run->marks),
             asim_show_count(b, run->pauses), asim_show_count(c, run->drops));
    tile(out, "ECN marks · PFC pauses · drops",
         run->is_flow_level ? "marks by link below; the flow level has no pauses, no drops"
         : run->is_formulas ? "not modelled by formulas"
                            : text);
    asim_out_printf(out, "</dl>\n");
    if (*run->trust) {
        asim_out_printf(out, "<p class=\"advice\">");
        asim_quote_xml(out, run->trust);
        asim_out_printf(out, "</p>\n");
    }
}

/* --- warnings --- */

/* The section begins with its first warning. */
struct warnings {
    struct asim_out *out;
    size_t number, n;
};

static void warn(struct warnings *warnings, const char *text)
{
    struct asim_out *out = warnings->out;

    if (!warnings->n++) {
        asim_html_section(out, "checks", warnings->number, "Warnings and checks");
        asim_out_printf(out, "<ul class=\"checks\">\n");
    }
    asim_out_printf(out, "<li>");
    asim_quote_xml(out, text);
    asim_out_printf(out, "</li>\n");
}

/* Whether the parts of each rank's time add up to its finish. */
static void audit_ranks(struct warnings *to, const struct asim_run *run)
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
    if (wrong)
        warn(to, text);
}

/* Bytes on a link beyond what it can carry would be an error of asim; at the flow level, whose
 * times are estimates, they tell how far one is off at least. */
static void audit_links(struct warnings *to, const struct asim_run *run)
{
    const double full = 1.0005;
    double most = full;
    size_t over = 0;
    char text[200];

    for (size_t l = 0; l < run->links.n; l++) {
        over += run->links.at[l].utilisation > full;
        most = most > run->links.at[l].utilisation ? most : run->links.at[l].utilisation;
    }
    if (!over)
        return;
    snprintf(text, sizeof text, "%zu link%s more than %s rate allows, up to %.1f %%; %s", over,
             over == 1 ? " carries" : "s carry", over == 1 ? "its" : "their", 100 * most,
             run->is_flow_level ? "the flow level's time is too short by that at least."
                                : "this is an error of asim, or delays were rounded to whole ns.");
    warn(to, text);
}

static void check(struct asim_out *out, const struct asim_run *run, size_t number)
{
    struct warnings to = {out, number, 0};
    char text[300];

    for (uint32_t i = 0; i < run->n_doubts; i++)
        warn(&to, run->doubts[i]);
    if (strcmp(run->state, "finished")) {
        snprintf(
            text, sizeof text,
            "The run is %s: %zu of %u ranks finished, and the figures are of the time until then.",
            run->state, run->ranks.n, run->n_ranks);
        warn(&to, text);
    }
    if (run->drops) {
        snprintf(text, sizeof text, "%" PRIu64 " frames were dropped.", run->drops);
        warn(&to, text);
    }
    if (run->ops_seen > run->ops.n) {
        snprintf(text, sizeof text,
                 "Collectives are those of the first %zu of %" PRIu64
                 " ops, and the critical path is left out.",
                 run->ops.n, run->ops_seen);
        warn(&to, text);
    }
    if (!run->ops_seen && run->n_ranks && !run->serving.requests)
        warn(&to, "No op finished.");
    if (run->ranks.n && !run->messages && !run->slowdowns[1].n && !run->serving.requests)
        warn(&to, "No message was sent.");
    if (run->ranks.n)
        audit_ranks(&to, run);
    if (run->has_links)
        audit_links(&to, run);
    if (to.n)
        asim_out_printf(out, "</ul>\n</section>\n");
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
        asim_html_difference(out, (double)run->others[0].finish, (double)run->others[i].finish);
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
    if (run->options.n) {
        asim_html_table(out, "option|value");
        pairs(out, run->options.at, run->options.n);
    }
    asim_out_printf(out, "<details><summary>summary.json</summary>\n");
    asim_html_table(out, "summary.json|value");
    pairs(out, run->figures.at, run->figures.n);
    asim_out_printf(out, "</details>\n");
    for (size_t i = 0; i < run->settings.n; i++) {
        asim_out_printf(out, "<details><summary>");
        asim_quote_xml(out, run->settings.at[i].key);
        asim_out_printf(out, "</summary><pre>");
        asim_quote_xml(out, run->settings.at[i].value);
        asim_out_printf(out, "</pre></details>\n");
    }
    asim_out_printf(out, "</section>\n");
}

/* The rest of the run's folder where it is that of the page or below it, so that a link from the
 * page leads there; else NULL. */
static const char *below(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;

    if (!slash)
        return *folder == '/' ? NULL : folder;
    if (strncmp(path, folder, n) != 0 || (folder[n] && folder[n] != '/'))
        return NULL;
    return folder + n + (folder[n] == '/');
}

static void timeline(struct asim_out *out, const struct asim_run *run, const char *path)
{
    static const char file[] = "timeline.pftrace";
    const char *folder = below(path, run->folder);

    if (!run->has_timeline)
        return;
    asim_out_printf(out, "<p>Every op and message over time: ");
    if (folder && !strpbrk(folder, "#%?:\"")) {
        asim_out_printf(out, "<a href=\"");
        asim_quote_xml(out, folder);
        asim_out_printf(out, "%s%s\">%s</a>", *folder ? "/" : "", file, file);
    } else {
        asim_out_printf(out, "<code>");
        asim_quote_xml(out, run->folder);
        asim_out_printf(out, "/%s</code>", file);
    }
    asim_out_printf(out, "; open it at ui.perfetto.dev.</p>\n");
}

/* What answers most comes first: the network, then the ranks. */
static int details(struct asim_out *out, const struct asim_run *run, size_t number,
                   struct asim_err *err)
{
    int code = 0;

    if (run->ranks.n && asim_run_has_job(run))
        code = asim_html_ranks(out, run, number, err);
    if (!code && run->ops.n && run->finish)
        code = asim_html_gantt(out, run, number, err);
    asim_html_section(out, "links", number, "Links and queues");
    if (!code)
        code = asim_html_links(out, run, err);
    asim_html_series(out, run);
    asim_out_printf(out, "</section>\n");
    asim_html_traffic(out, run, number);
    asim_html_collectives(out, run, number);
    asim_html_path(out, run, number);
    if (!code)
        code = asim_html_flows(out, run, number, err);
    others(out, run, number);
    configuration(out, run, number);
    return code;
}

struct page {
    struct asim_out out;
    const char *path;
    const struct asim_run *runs;
    size_t n;
};

/* Of one of several runs the details are folded. */
static int one_run(struct page *page, size_t number, struct asim_err *err)
{
    const struct asim_run *run = &page->runs[number];
    struct asim_out *out = &page->out;
    int code;

    asim_out_printf(out, "<article id=\"run-%zu\">\n<h2>", number);
    if (page->n > 1)
        asim_out_printf(out, "%c: ", asim_html_letter(number));
    asim_quote_xml(out, run->title);
    asim_out_printf(out, "</h2>\n");
    verdict_card(out, run);
    tiles(out, run);
    changes_table(out, run);
    timeline(out, run, page->path);
    check(out, run, number);
    code = asim_html_drawing(out, run, number, err);
    if (page->n > 1)
        asim_out_printf(out,
                        "<details class=\"run\"><summary>Ranks, links and figures of "
                        "%c</summary>\n",
                        asim_html_letter(number));
    if (!code)
        code = details(out, run, number, err);
    asim_out_printf(out, "%s</article>\n", page->n > 1 ? "</details>\n" : "");
    return code;
}

static int write_page(struct page *page, struct asim_err *err)
{
    int code = 0, has_charts = 0;

    asim_page_begin(&page->out);
    for (size_t i = 0; i < page->n; i++) {
        asim_out_printf(&page->out, "%s", i ? ", " : "");
        asim_quote_xml(&page->out, page->runs[i].title);
    }
    asim_page_body(&page->out, "report");
    if (page->n > 1)
        code = asim_html_comparison(&page->out, page->runs, page->n, err);
    for (size_t i = 0; i < page->n && !code; i++) {
        code = one_run(page, i, err);
        has_charts |= page->runs[i].has_flows;
        for (int k = 0; k < ASIM_SERIES; k++)
            has_charts |= page->runs[i].series[k].points.n > 0;
    }
    asim_page_end(&page->out, has_charts);
    return code;
}

int asim_report_page(const char *const *folders, size_t n, const char *path, struct asim_err *err)
{
    struct asim_run *runs = calloc(n ? n : 1, sizeof *runs);
    struct page page = {.path = path, .runs = runs, .n = n};
    size_t loaded = 0;
    int code = runs ? 0 : asim_err_nomem(err, "reading runs");

    for (; !code && loaded < n; loaded++)
        code = asim_run_load(&runs[loaded], folders[loaded], 0, err);
    if (!code)
        code = asim_out_open(&page.out, path, err);
    if (!code)
        code = write_page(&page, err);
    if (!code)
        code = asim_out_commit(&page.out, err);
    asim_out_discard(&page.out);
    for (size_t i = 0; i < loaded; i++)
        asim_run_close(&runs[i]);
    free(runs);
    return code;
}
