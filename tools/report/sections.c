/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the tables of a run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tools/report/html.h"

enum { MOST_RANKS = 256, MOST_COLLS = 200, MOST_STEPS = 40, CELL_BYTES = 64 };

static void end_table(struct asim_out *out)
{
    asim_out_printf(out, "</tbody></table></div>\n");
}

static void not_recorded(struct asim_out *out, const char *what, const char *option)
{
    asim_out_printf(out, "<p class=\"missing\">%s: not recorded. Run with <code>%s</code>.</p>\n",
                    what, option);
}

/* --- time of the ranks --- */

struct part {
    const char *class, *title;
    uint64_t ns;
};

/* Parts of a rank's time that add up to its finish. */
static int parts_of(struct part parts[8], const struct asim_run *run,
                    const struct asim_run_rank *rank)
{
    uint64_t alone = rank->compute > rank->hidden ? rank->compute - rank->hidden : 0;
    struct part all[] = {{"compute", "computation", alone},
                         {"hidden", "communication hidden behind computation", rank->hidden},
                         {"exposed", "exposed communication", rank->exposed},
                         {"waiting", "waiting for other ranks", rank->waiting},
                         {"cpu", "CPU", rank->cpu},
                         {"idle", "idle", rank->idle + rank->other}};

    if (!run->has_breakdown) {
        all[2].title = "exposed communication, waiting included";
        all[5].title = "CPU, remote memory, idle";
    }
    memcpy(parts, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void bar(struct asim_out *out, const struct asim_run *run, const struct asim_run_rank *rank)
{
    struct part parts[8];
    int n = parts_of(parts, run, rank);
    double full = run->finish ? (double)run->finish : 1;
    char time[ASIM_SHOW_BYTES];

    asim_out_printf(out, "<td class=\"bar\"><div>");
    for (int i = 0; i < n; i++)
        if (parts[i].ns)
            asim_out_printf(out, "<i class=\"%s\" style=\"width:%.3f%%\" title=\"%s: %s\"></i>",
                            parts[i].class, 100 * (double)parts[i].ns / full, parts[i].title,
                            asim_show_time(time, (double)parts[i].ns));
    asim_out_printf(out, "</div></td>");
}

static void legend(struct asim_out *out, const struct asim_run *run)
{
    struct asim_run_rank none = {0};
    struct part parts[8];
    int n = parts_of(parts, run, &none);

    asim_out_printf(out, "<p class=\"legend\">");
    for (int i = 0; i < n; i++)
        if (run->has_breakdown ||
            (strcmp(parts[i].class, "waiting") && strcmp(parts[i].class, "cpu")))
            asim_out_printf(out, "<span><i class=\"%s\"></i>%s</span> ", parts[i].class,
                            parts[i].title);
    asim_out_printf(out, "</p>\n");
}

static void rank_row(struct asim_out *out, const struct asim_run *run,
                     const struct asim_run_rank *rank)
{
    struct part parts[8];
    int n = parts_of(parts, run, rank);

    asim_out_printf(out, "<tr>");
    asim_html_count(out, rank->rank);
    bar(out, run, rank);
    asim_html_time(out, (double)rank->finish);
    for (int i = 0; i < n; i++)
        if (run->has_breakdown || (i != 3 && i != 4))
            asim_html_time(out, (double)parts[i].ns);
    if (run->waited)
        asim_html_time(out, run->blame && rank->rank < run->n_ranks ? (double)run->blame[rank->rank]
                                                                    : 0);
    asim_out_printf(out, "</tr>\n");
}

void asim_html_ranks(struct asim_out *out, const struct asim_run *run, size_t number)
{
    char head[400];

    asim_html_section(out, "ranks", number, "Time of each rank");
    if (!run->ranks.n) {
        not_recorded(out, "Times of ranks", "--out=DIR");
        asim_out_printf(out, "</section>\n");
        return;
    }
    legend(out, run);
    if (run->ranks.n > MOST_RANKS)
        asim_out_printf(out, "<p>The first %d of %zu ranks; ranks.csv has all.</p>\n", MOST_RANKS,
                        run->ranks.n);
    snprintf(head, sizeof head, "#rank|time|#finish|#compute alone|#hidden|#exposed|%s%s%s",
             run->has_breakdown ? "#waiting|#CPU|" : "", run->has_breakdown ? "#idle" : "#other",
             run->waited ? "|#others waited for it" : "");
    asim_html_table(out, head);
    for (size_t i = 0; i < run->ranks.n && i < MOST_RANKS; i++)
        rank_row(out, run, &run->ranks.at[i]);
    end_table(out);
    asim_out_printf(out, "</section>\n");
}

/* --- links --- */

static void share(struct asim_out *out, double part)
{
    char shown[CELL_BYTES];

    snprintf(shown, sizeof shown, "%.1f %%", 100 * part);
    asim_html_number(out, shown, part);
}

static void volume(struct asim_out *out, double bytes)
{
    char shown[ASIM_SHOW_BYTES];

    asim_html_number(out, asim_show_bytes(shown, bytes), bytes);
}

#define QUEUE_COLUMNS "|#longest queue|#ECN marks|#pauses sent|#drops"

static void queue_cells(struct asim_out *out, uint64_t longest, uint64_t marks, uint64_t pauses,
                        uint64_t drops)
{
    volume(out, (double)longest);
    asim_html_count(out, marks);
    asim_html_count(out, pauses);
    asim_html_count(out, drops);
}

static void classes(struct asim_out *out, const struct asim_run *run)
{
    asim_html_table(out, run->is_flow_level ? "class|#directions|#mean use|#busiest"
                                            : "class|#directions|#mean use|#busiest" QUEUE_COLUMNS);
    for (size_t i = 0; i < run->classes.n; i++) {
        const struct asim_run_class *class = &run->classes.at[i];

        asim_out_printf(out, "<tr>");
        asim_html_text(out, class->name);
        asim_html_count(out, class->links);
        share(out, class->mean);
        share(out, class->worst);
        if (!run->is_flow_level)
            queue_cells(out, class->peak_queue, class->marks, class->pauses, class->drops);
        asim_out_printf(out, "</tr>\n");
    }
    end_table(out);
}

void asim_html_links(struct asim_out *out, const struct asim_run *run)
{
    char name[ASIM_LINK_NAME_BYTES], rate[ASIM_SHOW_BYTES];

    if (!run->has_links) {
        not_recorded(out, "Use of links", "asim packet --reports=links");
        return;
    }
    asim_out_printf(out, "<h4>Classes of links</h4>\n");
    classes(out, run);
    asim_out_printf(out,
                    "<h4>Busiest links</h4>\n<p>Use is the share of what a link could carry "
                    "until the run's end, one direction a row.%s</p>\n",
                    run->is_flow_level
                        ? " Queues, marks, pauses and losses are not modelled at the flow level."
                        : "");
    asim_html_table(out, run->is_flow_level ? "link|class|#rate|#use|#bytes"
                                            : "link|class|#rate|#use|#bytes" QUEUE_COLUMNS);
    for (uint32_t i = 0; i < run->n_worst; i++) {
        const struct asim_run_link *link = &run->links.at[run->worst[i]];

        asim_out_printf(out, "<tr>");
        asim_html_text(out, asim_show_link(name, run, link));
        asim_html_text(out, link->class);
        asim_html_number(out, asim_show_rate(rate, link->rate_bps), (double)link->rate_bps);
        share(out, link->utilisation);
        volume(out, (double)link->bytes);
        if (!run->is_flow_level)
            queue_cells(out, link->peak_queue, link->marks, link->pauses, link->drops);
        asim_out_printf(out, "</tr>\n");
    }
    end_table(out);
}

/* --- collectives --- */

static void real(struct asim_out *out, double value, int digits)
{
    char shown[CELL_BYTES];

    snprintf(shown, sizeof shown, "%.*f", digits, value);
    asim_html_number(out, shown, value);
}

void asim_html_collectives(struct asim_out *out, const struct asim_run *run, size_t number)
{
    if (!run->colls.n)
        return;
    asim_html_section(out, "collectives", number, "Collectives");
    asim_out_printf(out,
                    "<p>As nccl-tests counts: size is the full buffer, time the mean of ranks and "
                    "calls from the last member's arrival on, algbw = size / time, busbw = algbw "
                    "times the share that must cross a link. GB/s of 10<sup>9</sup> bytes.</p>\n");
    asim_html_table(out, "collective|#ranks|#size (B)|#calls|#time (µs)|#min (µs)|#max (µs)|#algbw "
                         "(GB/s)|#busbw (GB/s)");
    for (size_t i = 0; i < run->colls.n && i < MOST_COLLS; i++) {
        const struct asim_run_coll *coll = &run->colls.at[i];

        asim_out_printf(out, "<tr>");
        asim_html_text(out, run->names.at[coll->coll]);
        asim_html_count(out, coll->members);
        asim_html_count(out, coll->bytes);
        asim_html_count(out, coll->members ? (coll->rows + coll->members - 1) / coll->members
                                           : coll->rows);
        real(out, coll->time / 1000, 2);
        real(out, coll->shortest / 1000, 2);
        real(out, coll->longest / 1000, 2);
        real(out, coll->algbw, 2);
        real(out, coll->busbw, 2);
        asim_out_printf(out, "</tr>\n");
    }
    end_table(out);
    if (run->colls.n > MOST_COLLS)
        asim_out_printf(out, "<p>The first %d of %zu kinds.</p>\n", MOST_COLLS, run->colls.n);
    asim_out_printf(out, "</section>\n");
}

/* --- messages --- */

/* The upper end of the bin in which the share of all messages is reached. */
static double slowdown_at(const struct asim_run *run, double part)
{
    uint64_t want = (uint64_t)ceil(part * (double)run->flows), seen = 0;

    for (int i = 0; i < ASIM_RUN_SLOW_BINS; i++) {
        seen += run->slow_bins[i];
        if (seen >= want)
            return i == ASIM_RUN_SLOW_BINS - 1 ? run->worst_slowdown
                                               : fmin(exp2((i + 1) / 8.0), run->worst_slowdown);
    }
    return run->worst_slowdown;
}

void asim_html_flows(struct asim_out *out, const struct asim_run *run, size_t number)
{
    char name[32];

    asim_html_section(out, "flows", number, "Largest messages");
    if (!run->has_flows) {
        not_recorded(out, "Messages", "--reports=flows");
        asim_out_printf(out, "</section>\n");
        return;
    }
    if (run->flows)
        asim_out_printf(out,
                        "<p>%" PRIu64
                        " messages. Slowdown is the time over that of the message alone on idle "
                        "links: half of them at most %.2f, 95 %% at most %.2f, 99 %% at most %.2f "
                        "(in steps of 9 %%), the slowest %.2f.</p>\n",
                        run->flows, slowdown_at(run, 0.5), slowdown_at(run, 0.95),
                        slowdown_at(run, 0.99), run->worst_slowdown);
    asim_html_table(out, "from|to|#bytes|#start|#time|#alone|#slowdown");
    for (uint32_t i = 0; i < run->n_top; i++) {
        const struct asim_run_flow *flow = &run->top[i];
        double took = (double)(flow->end - flow->start);

        asim_out_printf(out, "<tr>");
        asim_html_text(out, asim_show_node(name, sizeof name, run, flow->src));
        asim_html_text(out, asim_show_node(name, sizeof name, run, flow->dst));
        asim_html_count(out, flow->bytes);
        asim_html_time(out, (double)flow->start);
        asim_html_time(out, took);
        asim_html_time(out, (double)flow->ideal);
        real(out, flow->ideal ? took / (double)flow->ideal : 0, 2);
        asim_out_printf(out, "</tr>\n");
    }
    end_table(out);
    asim_out_printf(out, "</section>\n");
}

/* --- critical path --- */

static void path_sums(struct asim_out *out, const struct asim_run *run)
{
    double compute = 0, comm = 0, gap = 0, rest = 0, all;
    char a[ASIM_SHOW_BYTES], b[ASIM_SHOW_BYTES], c[ASIM_SHOW_BYTES], d[ASIM_SHOW_BYTES];

    for (size_t i = 0; i < run->path.n; i++) {
        const struct asim_run_step *step = &run->path.at[i];
        double took = (double)(step->to - step->from);
        const struct asim_run_op *op = step->op == ASIM_RUN_NONE ? NULL : &run->ops.at[step->op];

        if (!op)
            gap += took;
        else if (op->is_compute)
            compute += took;
        else if (op->is_comm)
            comm += took;
        else
            rest += took;
    }
    all = compute + comm + gap + rest;
    all = all > 0 ? all : 1;
    asim_out_printf(out,
                    "<p>Walked back from the last end: each op, or the collective's last member, "
                    "behind what ended when it was issued. %zu segments: computation %s (%.0f %%), "
                    "communication %s (%.0f %%), other ops %s, between ops %s.</p>\n",
                    run->path.n, asim_show_time(a, compute), 100 * compute / all,
                    asim_show_time(b, comm), 100 * comm / all, asim_show_time(c, rest),
                    asim_show_time(d, gap));
}

/* The longest segments, the longest first; of equal length the earlier one. Returns how many. */
static size_t pick_longest(const struct asim_run *run, const struct asim_run_step *longest[])
{
    size_t n = 0;

    for (size_t i = run->path.n; i-- > 0;) {
        const struct asim_run_step *step = &run->path.at[i];
        size_t at = n < MOST_STEPS ? n++ : n;

        for (; at && longest[at - 1]->to - longest[at - 1]->from < step->to - step->from; at--)
            if (at < MOST_STEPS)
                longest[at] = longest[at - 1];
        if (at < MOST_STEPS)
            longest[at] = step;
    }
    return n;
}

static void step_row(struct asim_out *out, const struct asim_run *run,
                     const struct asim_run_step *step)
{
    const struct asim_run_op *op = step->op == ASIM_RUN_NONE ? NULL : &run->ops.at[step->op];

    asim_out_printf(out, "<tr>");
    asim_html_time(out, (double)step->from);
    asim_html_time(out, (double)(step->to - step->from));
    asim_html_count(out, step->rank);
    asim_html_text(out, op ? run->names.at[op->name] : "between ops");
    asim_html_text(out, op ? run->names.at[op->coll ? op->coll : op->type] : "");
    asim_out_printf(out, "</tr>\n");
}

void asim_html_path(struct asim_out *out, const struct asim_run *run, size_t number)
{
    const struct asim_run_step *longest[MOST_STEPS];
    size_t n;

    if (!run->path.n)
        return;
    asim_html_section(out, "path", number, "Critical path");
    path_sums(out, run);
    n = pick_longest(run, longest);
    asim_out_printf(out, "<p>The longest %zu segments:</p>\n", n);
    asim_html_table(out, "#from|#time|#rank|op|type");
    for (size_t i = 0; i < n; i++)
        step_row(out, run, longest[i]);
    end_table(out);
    asim_out_printf(out, "</section>\n");
}
