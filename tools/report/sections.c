/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the tables of a run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/report/html.h"

enum { MOST_LINKS = 12, MOST_COLLS = 200, MOST_STEPS = 40, CELL_BYTES = 64 };

static void end_table(struct asim_out *out)
{
    asim_out_printf(out, "</tbody></table></div>\n");
}

static void not_recorded(struct asim_out *out, const char *what, const char *option)
{
    asim_out_printf(out, "<p class=\"missing\">%s: not recorded. Run with <code>%s</code>.</p>\n",
                    what, option);
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

#define QUEUE_COLUMNS    "|#longest queue|#ECN marks|#pauses sent|#drops"
#define MODELLED_COLUMNS "|#longest queue as modelled|#ECN marks as modelled"

static void queue_cells(struct asim_out *out, const struct asim_run *run, uint64_t longest,
                        uint64_t marks, uint64_t pauses, uint64_t drops)
{
    volume(out, (double)longest);
    asim_html_count(out, marks);
    if (run->is_flow_level)
        return;
    asim_html_count(out, pauses);
    asim_html_count(out, drops);
}

static void classes(struct asim_out *out, const struct asim_run *run)
{
    asim_html_table(out, run->is_flow_level
                             ? "class|#directions|#mean use|#busiest" MODELLED_COLUMNS
                             : "class|#directions|#mean use|#busiest" QUEUE_COLUMNS);
    for (size_t i = 0; i < run->classes.n; i++) {
        const struct asim_run_class *class = &run->classes.at[i];

        asim_out_printf(out, "<tr>");
        asim_html_text(out, class->name);
        asim_html_count(out, class->links);
        share(out, class->mean);
        share(out, class->worst);
        queue_cells(out, run, class->peak_queue, class->marks, class->pauses, class->drops);
        asim_out_printf(out, "</tr>\n");
    }
    end_table(out);
}

/* Links of which all figures are within 1 % of each other are one row. */
static int is_near(uint64_t a, uint64_t b)
{
    return fabs((double)a - (double)b) <= 0.01 * fmax((double)a, (double)b);
}

static int is_like(const struct asim_run_link *a, const struct asim_run_link *b)
{
    return !strcmp(a->class, b->class) && a->rate_bps == b->rate_bps &&
           is_near(a->bytes, b->bytes) && is_near(a->peak_queue, b->peak_queue) &&
           is_near(a->marks, b->marks) && is_near(a->pauses, b->pauses) &&
           is_near(a->drops, b->drops);
}

static int by_use(const void *a, const void *b)
{
    const struct asim_run_link *x = *(const struct asim_run_link *const *)a,
                               *y = *(const struct asim_run_link *const *)b;

    if (x->utilisation != y->utilisation)
        return x->utilisation > y->utilisation ? -1 : 1;
    if (x->peak_queue != y->peak_queue)
        return x->peak_queue > y->peak_queue ? -1 : 1;
    return (x > y) - (x < y);
}

static void link_row(struct asim_out *out, const struct asim_run *run,
                     const struct asim_run_link *link, size_t like)
{
    char name[ASIM_LINK_NAME_BYTES], more[ASIM_LINK_NAME_BYTES + 40], rate[ASIM_SHOW_BYTES];

    asim_show_link(name, run, link);
    if (like > 1)
        snprintf(more, sizeof more, "%s and %zu like it", name, like - 1);
    asim_out_printf(out, "<tr>");
    asim_html_text(out, like > 1 ? more : name);
    asim_html_text(out, link->class);
    asim_html_number(out, asim_show_rate(rate, link->rate_bps), (double)link->rate_bps);
    share(out, link->utilisation);
    volume(out, (double)link->bytes);
    queue_cells(out, run, link->peak_queue, link->marks, link->pauses, link->drops);
    asim_out_printf(out, "</tr>\n");
}

/* links: the busiest first. Those of a row are taken out (NULL). */
static void link_rows(struct asim_out *out, const struct asim_run *run,
                      const struct asim_run_link **links)
{
    int rows = 0;

    for (size_t l = 0; l < run->links.n && rows < MOST_LINKS; l++) {
        const struct asim_run_link *link = links[l];
        size_t like = 0;

        for (size_t m = l; link && m < run->links.n; m++)
            if (links[m] && is_like(link, links[m])) {
                links[m] = NULL;
                like++;
            }
        if (like) {
            link_row(out, run, link, like);
            rows++;
        }
    }
}

int asim_html_links(struct asim_out *out, const struct asim_run *run, struct asim_err *err)
{
    const struct asim_run_link **links;

    if (!run->has_links) {
        not_recorded(out, "Use of links", "--reports=links");
        return 0;
    }
    links = malloc((run->links.n + 1) * sizeof *links);
    if (!links)
        return asim_err_nomem(err, "sorting links");
    for (size_t l = 0; l < run->links.n; l++)
        links[l] = &run->links.at[l];
    qsort(links, run->links.n, sizeof *links, by_use);
    asim_out_printf(out, "<h4>Classes of links</h4>\n");
    classes(out, run);
    asim_out_printf(out,
                    "<h4>Busiest links</h4>\n<p>Use is the share of what a link could carry "
                    "until the run's end, one direction a row; links that are alike within 1 %% "
                    "are one.%s</p>\n",
                    run->is_flow_level ? " The longest queue of a fluid and its marks are of the "
                                         "flow level's model, which knows "
                                         "no pauses and no drops."
                                       : "");
    asim_html_table(out, run->is_flow_level ? "link|class|#rate|#use|#bytes" MODELLED_COLUMNS
                                            : "link|class|#rate|#use|#bytes" QUEUE_COLUMNS);
    link_rows(out, run, links);
    end_table(out);
    free(links);
    return 0;
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

/* Messages of one size that took as long within 1 % are one row. */
static int is_like_flow(const struct asim_run_flow *a, const struct asim_run_flow *b)
{
    return a->bytes == b->bytes && a->is_background == b->is_background &&
           is_near(a->end - a->start, b->end - b->start) && is_near(a->ideal, b->ideal);
}

int asim_html_flows(struct asim_out *out, const struct asim_run *run, size_t number,
                    struct asim_err *err)
{
    char name[32], more[80], jobs[CELL_BYTES], others[CELL_BYTES];
    int code = 0;

    asim_html_section(out, "flows", number, "Messages");
    if (!run->has_flows) {
        not_recorded(out, "Messages", "--reports=flows");
        asim_out_printf(out, "</section>\n");
        return 0;
    }
    asim_out_printf(out,
                    "<p>%s messages of jobs, %s background flows. Slowdown is the time over that "
                    "of the message alone on idle links; a row has 5 %% of the messages, or all of "
                    "one size.</p>\n",
                    asim_show_count(jobs, run->slowdowns[0].n),
                    asim_show_count(others, run->slowdowns[1].n));
    code = asim_html_fct(out, run, err);
    asim_out_printf(out, "<h4>Largest messages</h4>\n");
    asim_html_table(out, run->slowdowns[1].n ? "from|to|#bytes|#start|#time|#alone|#slowdown|class"
                                             : "from|to|#bytes|#start|#time|#alone|#slowdown");
    for (uint32_t i = 0, like; i < run->n_top; i += like) {
        const struct asim_run_flow *flow = &run->top[i];
        double took = (double)(flow->end - flow->start);

        for (like = 1; i + like < run->n_top && is_like_flow(flow, &run->top[i + like]);)
            like++;
        asim_out_printf(out, "<tr>");
        asim_html_text(out, asim_show_node(name, sizeof name, run, flow->src));
        asim_show_node(name, sizeof name, run, flow->dst);
        if (like > 1)
            snprintf(more, sizeof more, "%s, and %u like it", name, like - 1);
        asim_html_text(out, like > 1 ? more : name);
        asim_html_count(out, flow->bytes);
        asim_html_time(out, (double)flow->start);
        asim_html_time(out, took);
        asim_html_time(out, (double)flow->ideal);
        real(out, flow->ideal ? took / (double)flow->ideal : 0, 2);
        if (run->slowdowns[1].n)
            asim_html_text(out, flow->is_background ? "background" : "job");
        asim_out_printf(out, "</tr>\n");
    }
    end_table(out);
    asim_out_printf(out, "</section>\n");
    return code;
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
    asim_out_printf(
        out,
        "<p>Walked back from the last end: each op, or the collective's last member, "
        "behind what ended when it was issued. Segments: %zu; computation %s (%.0f %%), "
        "communication %s (%.0f %%), other ops %s, between ops %s.</p>\n",
        run->path.n, asim_show_time(a, compute), 100 * compute / all, asim_show_time(b, comm),
        100 * comm / all, asim_show_time(c, rest), asim_show_time(d, gap));
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
    asim_out_printf(out, "<p>The longest %zu of them:</p>\n", n);
    asim_html_table(out, "#from|#time|#rank|op|type");
    for (size_t i = 0; i < n; i++)
        step_row(out, run, longest[i]);
    end_table(out);
    asim_out_printf(out, "</section>\n");
}
