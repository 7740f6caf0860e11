/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares runs: what differs in what they were told, their times as bars, and their figures.
 */
#include <jansson.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/quote.h"
#include "tools/report/fct.h"
#include "tools/report/html.h"
#include "tools/report/show.h"

enum { MOST_DIFFERENCES = 40, NAME = 80 };

/* --- what differs --- */

/* A key with its value in each run. */
struct differences {
    struct asim_out *out;
    const struct asim_run *runs;
    size_t n;
    uint32_t rows;
};

/* NULL: the run has no such thing, which is no difference. */
typedef const char *value_of_run(const struct asim_run *run, const char *key, void *self);

static const char *value_in(const struct asim_run_figure *at, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(at[i].key, key))
            return at[i].value;
    return "";
}

static const char *option_value(const struct asim_run *run, const char *key, void *self)
{
    (void)self;
    return value_in(run->options.at, run->options.n, key);
}

static const char *figure_value(const struct asim_run *run, const char *key, void *self)
{
    (void)self;
    return value_in(run->figures.at, run->figures.n, key);
}

static const char *network_size(const struct asim_run *run, const char *key, void *self)
{
    return run->is_formulas ? NULL : figure_value(run, key, self);
}

static const char *version_value(const struct asim_run *run, const char *key, void *self)
{
    (void)key;
    (void)self;
    return run->version;
}

struct networks {
    const struct asim_run *first;
    json_t *const *roots; /* [runs] */
};

static const char *network_value(const struct asim_run *run, const char *key, void *self)
{
    const struct networks *networks = self;
    const json_t *root = networks->roots[run - networks->first];
    const char *text = json_string_value(json_object_get(root, key));

    return text || !root ? text : "";
}

static void put_row(struct differences *into, const char *name, const char *key,
                    value_of_run *value, void *self)
{
    const char *first = NULL, *text;
    int same = 1;

    for (size_t i = 0; i < into->n; i++) {
        text = value(&into->runs[i], key, self);
        first = first ? first : text;
        same &= !text || !strcmp(first, text);
    }
    if (same || into->rows == MOST_DIFFERENCES)
        return;
    if (!into->rows++) {
        asim_out_printf(into->out, "<div class=\"wide\"><table class=\"differences\">\n<thead><tr>"
                                   "<th scope=\"col\">what differs</th>");
        for (size_t i = 0; i < into->n; i++)
            asim_out_printf(into->out, "<th scope=\"col\">%c</th>", asim_html_letter(i));
        asim_out_printf(into->out, "</tr></thead>\n<tbody>\n");
    }
    asim_out_printf(into->out, "<tr>");
    asim_html_text(into->out, name);
    for (size_t i = 0; i < into->n; i++) {
        text = value(&into->runs[i], key, self);
        asim_html_text(into->out, text ? text : "");
    }
    asim_out_printf(into->out, "</tr>\n");
}

/* 1 if an earlier run has the option, too: it has its row. */
static int is_listed(const struct asim_run *runs, size_t before, const char *key)
{
    for (size_t i = 0; i < before; i++)
        for (size_t k = 0; k < runs[i].options.n; k++)
            if (!strcmp(runs[i].options.at[k].key, key))
                return 1;
    return 0;
}

static void compare_networks(struct differences *into, json_t **roots)
{
    struct networks networks = {into->runs, roots};
    char name[NAME];
    const char *key;
    json_t *value, *first = NULL;

    for (size_t i = 0; i < into->n; i++) {
        roots[i] = json_loads(
            value_in(into->runs[i].settings.at, into->runs[i].settings.n, "network.json"), 0, NULL);
        first = first ? first : roots[i];
    }
    json_object_foreach(first, key, value)
    {
        snprintf(name, sizeof name, "network: %.60s", key);
        put_row(into, name, key, network_value, &networks);
    }
    for (size_t i = 0; i < into->n; i++)
        json_decref(roots[i]);
}

/* Of older runs the options are not known. */
static int what_differs(struct asim_out *out, const struct asim_run *runs, size_t n,
                        struct asim_err *err)
{
    static const char *const sizes[] = {"ranks", "ops", "hosts", "switches", "links"};
    enum { OF_RANKS = 2 };
    struct differences into = {out, runs, n, 0};
    json_t **roots = calloc(n, sizeof *roots);
    char name[NAME];

    if (!roots)
        return asim_err_nomem(err, "comparing runs");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < runs[i].options.n; k++) {
            const char *key = runs[i].options.at[k].key;

            snprintf(name, sizeof name, "--%.60s", key);
            if (!is_listed(runs, i, key))
                put_row(&into, name, key, option_value, NULL);
        }
    put_row(&into, "version of asim", "", version_value, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        put_row(&into, sizes[i], sizes[i], i < OF_RANKS ? figure_value : network_size, NULL);
    compare_networks(&into, roots);
    free(roots);
    asim_out_printf(out, into.rows ? "</tbody></table></div>\n"
                                   : "<p>No option, topology, key of the network or version "
                                     "differs; files of inputs may.</p>\n");
    return 0;
}

/* --- times as bars --- */

static const char *show_faster(char *buf, double than, double time)
{
    if (!(than > 0) || !(time > 0))
        *buf = '\0';
    else if (time < 0.995 * than)
        snprintf(buf, ASIM_SHOW_BYTES, "%.*f × faster", than / time < 1.095 ? 2 : 1, than / time);
    else if (time > 1.005 * than)
        snprintf(buf, ASIM_SHOW_BYTES, "%.*f × slower", time / than < 1.095 ? 2 : 1, time / than);
    else
        snprintf(buf, ASIM_SHOW_BYTES, "as fast");
    return buf;
}

/* Of traffic without a job, whose time is that of its last flow. */
static void put_slowdowns(struct asim_out *out, const struct asim_run *run)
{
    const uint64_t small = 100000;

    asim_out_printf(out,
                    "slowdown, 99 %% of the flows below: <strong>%.2f</strong> up to 100 kB, "
                    "<strong>%.2f</strong> above",
                    asim_fct_slowdown(run, 0, small), asim_fct_slowdown(run, small, UINT64_MAX));
}

static void put_time(struct asim_out *out, const struct asim_run *run, double first, double longest)
{
    struct asim_time_part parts[ASIM_PARTS];
    char time[ASIM_SHOW_BYTES], faster[ASIM_SHOW_BYTES];

    asim_html_whole_parts(parts, run);
    asim_html_bar(out, parts, longest);
    asim_out_printf(out, "<strong>%s</strong>", asim_show_time(time, (double)run->finish));
    show_faster(faster, first, (double)run->finish);
    if (*faster)
        asim_out_printf(out, ", %s%s", faster, strcmp(faster, "as fast") ? " than A" : " as A");
}

static void bars(struct asim_out *out, const struct asim_run *runs, size_t n)
{
    double longest = 0;

    for (size_t i = 0; i < n; i++)
        longest = longest > (double)runs[i].finish ? longest : (double)runs[i].finish;
    asim_html_legend(out, runs, n);
    asim_out_printf(out, "<ol class=\"runs\">\n");
    for (size_t i = 0; i < n; i++) {
        struct asim_verdict verdict;

        asim_verdict_of(&verdict, &runs[i]);
        asim_out_printf(out, "<li><a href=\"#run-%zu\">", i);
        asim_quote_xml(out, runs[i].title);
        asim_out_printf(out, "</a> <code>");
        asim_quote_xml(out, runs[i].folder);
        asim_out_printf(out, "</code><br/>");
        if (runs[i].slowdowns[1].n && !asim_run_has_job(&runs[i]))
            put_slowdowns(out, &runs[i]);
        else
            put_time(out, &runs[i], i ? (double)runs[0].finish : 0, longest);
        if (verdict.limit || runs[i].changes.n || runs[i].serving.requests) {
            asim_out_printf(out, "; limited by ");
            asim_quote_xml(out, verdict.what);
        }
        asim_out_printf(out, "</li>\n");
    }
    asim_out_printf(out, "</ol>\n");
}

/* --- figures --- */

void asim_html_difference(struct asim_out *out, double a, double b)
{
    char text[40] = "";

    if (a > 0)
        asim_show_difference(text, (b - a) / a);
    else if (b > 0)
        snprintf(text, sizeof text, "from 0");
    asim_html_number(out, text, a > 0 ? (b - a) / a : 0);
}

/* What runs are compared by: sums over the ranks, in the order of `names`. */
enum { WAITING = 4, LAST_OF_RANKS = 5, BUSIEST = 9, FIGURES = 12 };

static void figures_of(double values[], const struct asim_run *run)
{
    const uint64_t small = 100000;

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
    values[BUSIEST] = run->n_worst ? run->links.at[run->worst[0]].utilisation : 0;
    values[10] = asim_fct_slowdown(run, 0, small);
    values[11] = asim_fct_slowdown(run, small, UINT64_MAX);
}

static int have_breakdown(const struct asim_run *runs, size_t n)
{
    int all = 1;

    for (size_t i = 0; i < n; i++)
        all &= runs[i].has_breakdown;
    return all;
}

/* Marks, pauses and drops at the flow level; of formulas links, too. */
static int is_unknown(int figure, const struct asim_run *run)
{
    return figure >= 6 &&
           ((run->is_flow_level && figure <= 8) || (run->is_formulas && figure <= BUSIEST));
}

static void put_figure(struct asim_out *out, int figure, double value)
{
    char text[40];

    if (figure < 5) {
        asim_html_time(out, value);
    } else if (figure < BUSIEST) {
        asim_html_count(out, (uint64_t)value);
    } else {
        snprintf(text, sizeof text, figure == BUSIEST ? "%.1f %%" : "%.2f",
                 figure == BUSIEST ? 100 * value : value);
        asim_html_number(out, text, value);
    }
}

/* Jobs that do nothing of the kind, or flows that were not recorded. */
static int is_left_out(int figure, double (*values)[FIGURES], size_t n)
{
    int is_optional = (figure && figure <= LAST_OF_RANKS) || figure > BUSIEST, some = 0;

    for (size_t i = 0; i < n; i++)
        some |= values[i][figure] > 0;
    return is_optional && !some;
}

static void compare_row(struct asim_out *out, int figure, const struct asim_run *runs,
                        double (*values)[FIGURES], size_t n)
{
    static const char *const names[FIGURES] = {"finish",
                                               "computation, mean rank",
                                               "hidden communication, mean rank",
                                               "exposed communication, mean rank",
                                               "waiting, mean rank",
                                               "messages",
                                               "ECN marks",
                                               "PFC pauses",
                                               "drops",
                                               "busiest link",
                                               "flows up to 100 kB: slowdown, 99 % below",
                                               "larger flows: slowdown, 99 % below"};

    asim_out_printf(out, "<tr>");
    asim_html_text(out, names[figure]);
    for (size_t i = 0; i < n; i++) {
        if (is_unknown(figure, &runs[i]))
            asim_html_number(out, "not modelled", 0);
        else
            put_figure(out, figure, values[i][figure]);
        if (i && (is_unknown(figure, &runs[0]) || is_unknown(figure, &runs[i])))
            asim_html_number(out, "", 0);
        else if (i)
            asim_html_difference(out, values[0][figure], values[i][figure]);
    }
    asim_out_printf(out, "</tr>\n");
}

/* Texts, without differences: of the error that was measured, and the one that is expected. */
static void compare_errors(struct asim_out *out, const struct asim_run *runs, size_t n)
{
    static const char *const names[] = {"error against the recorded step", "expected error"};
    char text[ASIM_SHOW_BYTES];

    for (int row = 0; row < 2; row++) {
        int some = 0;

        for (size_t i = 0; i < n; i++)
            some |= row ? *runs[i].trust != 0 : runs[i].recorded_ms > 0;
        if (!some)
            continue;
        asim_out_printf(out, "<tr>");
        asim_html_text(out, names[row]);
        for (size_t i = 0; i < n; i++) {
            int is_known = row || runs[i].recorded_ms > 0;

            if (!is_known)
                snprintf(text, sizeof text, "not recorded");
            else if (row)
                asim_show_expected_error(text, &runs[i]);
            else
                asim_show_difference(text, runs[i].recorded_error / 100);
            asim_html_number(out, text, 0);
            if (i)
                asim_html_number(out, "", 0);
        }
        asim_out_printf(out, "</tr>\n");
    }
}

static int compare_figures(struct asim_out *out, const struct asim_run *runs, size_t n,
                           struct asim_err *err)
{
    double(*values)[FIGURES] = calloc(n, sizeof *values);

    for (size_t i = 0; values && i < n; i++)
        figures_of(values[i], &runs[i]);
    for (int figure = 0; values && figure < FIGURES; figure++)
        if (!is_left_out(figure, values, n) && (figure != WAITING || have_breakdown(runs, n)))
            compare_row(out, figure, runs, values, n);
    if (values)
        compare_errors(out, runs, n);
    free(values);
    return values ? 0 : asim_err_nomem(err, "comparing runs");
}

int asim_html_comparison(struct asim_out *out, const struct asim_run *runs, size_t n,
                         struct asim_err *err)
{
    char columns[2000] = "figure|#A";
    int code;

    asim_out_printf(out, "<section id=\"comparison\">\n<h2>Comparison</h2>\n");
    code = what_differs(out, runs, n, err);
    bars(out, runs, n);
    for (size_t i = 1; i < n && strlen(columns) + 24 < sizeof columns; i++)
        snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "|#%c|#%c to A",
                 asim_html_letter(i), asim_html_letter(i));
    asim_html_table(out, columns);
    code = code ? code : compare_figures(out, runs, n, err);
    asim_out_printf(out, "</tbody></table></div>\n</section>\n");
    return code;
}
