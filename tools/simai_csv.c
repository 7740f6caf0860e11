/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Each row of the workload with its compute times, the times of its three collectives on rank 0,
 * column 12 included, and their bandwidths, as SimAI writes them (us, GiB/s, "-nan" where there is
 * no communication). Forward and input-gradient collectives hold the rank up, so all of their time
 * is exposed. Time in which only weight gradients remain is exposed, too; as in SimAI it counts for
 * the weight gradient that ends last.
 *
 * Where it differs: SimAI adds pipeline bubbles by formula. Here stages send to each other and
 * wait, so "bubble time" is what rank 0 spent neither computing nor in a collective, and is part of
 * the total. Only rank 0 counts, as there.
 *
 * Cost: 16 bytes an op of rank 0 and 72 a row.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/observe.h"
#include "base/io/out.h"
#include "base/io/quote.h"
#include "base/mem.h"
#include "tools/simai.h"
#include "asim/simai.h"

struct op { /* of rank 0, in the order of its trace */
    uint32_t row;
    uint8_t kind, part;
    uint64_t issue_ns;
};

struct times { /* of a row */
    uint64_t compute_ns[ASIM_SIMAI_PARTS];
    uint64_t total_ns[ASIM_SIMAI_PARTS];
    uint64_t exposed_ns[ASIM_SIMAI_PARTS];
};

struct csv {
    struct asim_simai w;
    struct asim_simai_layout layout;
    ASIM_VEC(struct op) ops;
    struct times *rows;
    struct asim_out out;         /* from the start, so that a bad path costs no run */
    uint64_t busy_ns, finish_ns; /* the end of all but weight gradients; of all */
    uint32_t last_row;           /* whose weight gradient ended last */
    uint64_t last_ns;
};

/* --- rank 0 ----------------------------------------------------------------------------------- */

/* Groups of one rank or of all need no METADATA op (trace/format/simai.c). */
static int has_groups(const struct asim_simai_layout *layout)
{
    struct asim_simai_ranks ranks;
    int any = 0;

    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(layout, g, 0, &ranks);
        any |= ranks.n > 1 && ranks.n < layout->gpus;
    }
    return any;
}

/* Only SimAI's text has rows; Chakra traces have none. The n-th item of the iterator is the n-th op
 * of the trace. */
static int list_ops(struct csv *csv, struct asim_err *err)
{
    struct asim_simai_iterator walk;
    struct asim_simai_item item;
    int rc = asim_simai_iterator_start(&walk, &csv->w, &csv->layout, 0, err);

    if (rc)
        return rc;
    walk.has_meta = has_groups(&csv->layout);
    while (asim_simai_iterator_next(&walk, &item)) {
        struct op op = {.row = item.row, .kind = item.type, .part = item.part};

        if (ASIM_VEC_PUSH(csv->ops, op))
            return asim_err_nomem(err, "listing a workload's ops");
    }
    return 0;
}

/* Compute times come from the text, times the number of runs of a row. */
static int open_rows(struct csv *csv, struct asim_err *err)
{
    uint32_t n = csv->w.n_rows, *forwards = asim_simai_forwards(&csv->w);

    csv->rows = calloc((size_t)n + 1, sizeof *csv->rows);
    if (!forwards || !csv->rows) {
        free(forwards);
        return asim_err_nomem(err, "watching rank 0");
    }
    for (uint32_t i = 0; i < n; i++) {
        memcpy(csv->rows[i].compute_ns, asim_simai_row(&csv->w, i)->compute_ns,
               sizeof csv->rows[i].compute_ns);
        csv->rows[i].compute_ns[ASIM_SIMAI_FWD] *= forwards[i];
    }
    free(forwards);
    return 0;
}

/* Column 12 is a delay after each collective, which SimAI counts as part of its time. Its item in
 * the iterator is as long as the row says. */
static void see_end(struct csv *csv, const struct op *op, uint64_t now_ns)
{
    int of_wg =
        op->part == ASIM_SIMAI_WG && (op->kind == ASIM_SIMAI_COLL || op->kind == ASIM_SIMAI_DELAY);

    if (op->kind == ASIM_SIMAI_COLL)
        csv->rows[op->row].total_ns[op->part] +=
            now_ns - op->issue_ns + asim_simai_row(&csv->w, op->row)->update_ns;
    if (!of_wg && now_ns > csv->busy_ns)
        csv->busy_ns = now_ns;
    if (of_wg && now_ns >= csv->last_ns) {
        csv->last_ns = now_ns;
        csv->last_row = op->row;
    }
}

/* Rows that are run twice, to recompute them, are added up, their compute as well. */
static void on_issue(void *self, const struct asim_observed_op *op)
{
    struct csv *csv = self;

    if (!op->rank && op->index < csv->ops.n)
        csv->ops.at[op->index].issue_ns = op->time_ns;
}

static void on_end(void *self, const struct asim_observed_op *op)
{
    struct csv *csv = self;

    if (!op->rank && op->index < csv->ops.n)
        see_end(csv, &csv->ops.at[op->index], op->time_ns);
}

static void on_finish(void *self, const struct asim_observed_rank *rank)
{
    if (!rank->rank)
        ((struct csv *)self)->finish_ns = rank->time_ns;
}

/* --- the file --------------------------------------------------------------------------------- */

/* SimAI's FREQ of 1000 ticks. */
static double us(uint64_t ns)
{
    return (double)ns / 1000;
}

/* parity: SimAI divides whatever there is: 0 bytes in no time are "-nan", some bytes "inf", and the
 * bus bandwidth of no collective is 0. */
static void put_rates(struct csv *csv, struct asim_out *out, uint32_t i, int part)
{
    const struct asim_simai_comm *comm = &asim_simai_row(&csv->w, i)->comm[part];
    double ns = (double)csv->rows[i].total_ns[part], algbw;
    struct asim_simai_ranks ranks;

    asim_simai_group(&csv->layout, comm->group, 0, &ranks);
    if (ns <= 0) {
        asim_out_printf(out, ",%f,%s,%s", 0.0, comm->bytes ? "inf" : "-nan",
                        comm->op == ASIM_SIMAI_NONE ? "0.000000" : "-nan");
        return;
    }
    algbw = (double)asim_simai_run_bytes(&csv->w, i, part) / 1073741824.0 / ns * 1e9;
    asim_out_printf(out, ",%f,%f,%f", ns / 1000, algbw,
                    algbw * (ranks.n - 1) / ranks.n * (comm->op == ASIM_SIMAI_ALLREDUCE ? 2 : 1));
}

/* Forward, weight gradient, input gradient: the order of SimAI's columns. */
static const int columns[] = {ASIM_SIMAI_FWD, ASIM_SIMAI_WG, ASIM_SIMAI_IG};

/* The name of the run is SimAI's and never another one; the last column is the same in all rows. */
static void put_row(struct csv *csv, struct asim_out *out, uint32_t i)
{
    const struct asim_simai_row *row = asim_simai_row(&csv->w, i);

    asim_quote_csv_if_needed(out, row->name);
    asim_out_printf(out, ",test1");
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        asim_out_printf(out, ",%f", us(csv->rows[i].compute_ns[columns[c]]));
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        asim_out_printf(out, ",%f", us(csv->rows[i].exposed_ns[columns[c]]));
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        put_rates(csv, out, i, columns[c]);
    asim_out_printf(out, ",%f\n", us(csv->finish_ns));
}

struct sums { /* over the rows, us */
    double compute[ASIM_SIMAI_PARTS], exposed[ASIM_SIMAI_PARTS], total[ASIM_SIMAI_PARTS];
};

/* Exposed is the total less the compute, as in SimAI, where a rank does one or the other; with
 * pipeline stages it may also wait.
 * By group for the summary, by column for the SUM line. */
static void add_up(struct csv *csv, struct sums *sums, struct asim_sa_totals *t)
{
    double *const by_group[] = {&t->tp, &t->dp, &t->ep, &t->dp_ep};

    for (uint32_t i = 0; i < csv->w.n_rows; i++) {
        const struct asim_simai_row *row = asim_simai_row(&csv->w, i);

        for (int p = 0; p < ASIM_SIMAI_PARTS; p++) {
            double exposed = us(csv->rows[i].exposed_ns[p]);

            sums->compute[p] += us(csv->rows[i].compute_ns[p]);
            sums->exposed[p] += exposed;
            sums->total[p] += us(csv->rows[i].total_ns[p]);
            *by_group[row->comm[p].group] += exposed;
        }
    }
    t->total = us(csv->finish_ns);
    for (int p = 0; p < ASIM_SIMAI_PARTS; p++)
        t->compute += sums->compute[p];
    t->exposed = t->total - t->compute;
    if (csv->layout.pp > 1) {
        t->exposed = t->tp + t->dp + t->ep + t->dp_ep;
        t->bubble = t->total - t->compute - t->exposed;
    }
}

/* Weight gradients are exposed as far as they outlast everything else. */
static void find_exposed(struct csv *csv)
{
    for (uint32_t i = 0; i < csv->w.n_rows; i++) {
        csv->rows[i].exposed_ns[ASIM_SIMAI_FWD] = csv->rows[i].total_ns[ASIM_SIMAI_FWD];
        csv->rows[i].exposed_ns[ASIM_SIMAI_IG] = csv->rows[i].total_ns[ASIM_SIMAI_IG];
    }
    if (csv->finish_ns > csv->busy_ns && csv->last_ns)
        csv->rows[csv->last_row].exposed_ns[ASIM_SIMAI_WG] = csv->finish_ns - csv->busy_ns;
}

/* Two lines of sums, the columns, the rows, two lines of sums again. */
static void put_all(struct csv *csv, struct asim_out *out)
{
    struct sums sums = {{0}, {0}, {0}};
    struct asim_sa_totals totals = {0};

    find_exposed(csv);
    add_up(csv, &sums, &totals);
    asim_sa_put_summary(out, "test1", &totals);
    asim_out_printf(out, "layer_name,test1,fwd compute,wg compute,ig compute,fwd exposed comm,wg "
                         "exposed comm,ig exposed comm,fwd total comm,algbw,busbw,wg total "
                         "comm,algbw,busbw,ig total comm,algbw,busbw,workload finished at\n");
    for (uint32_t i = 0; i < csv->w.n_rows; i++)
        put_row(csv, out, i);
    asim_out_printf(out, "SUM,test1");
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        asim_out_printf(out, ",%f", sums.compute[columns[c]]);
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        asim_out_printf(out, ",%f", sums.exposed[columns[c]]);
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        asim_out_printf(out, ",%f,NONE,NONE", sums.total[columns[c]]);
    asim_out_printf(out, "\ntotal exposed comm,%f,total comp,%f,total time,%f\n", totals.exposed,
                    totals.compute, totals.total);
}

/* Also after a failure half-way. */
static void free_all(struct csv *csv)
{
    asim_simai_fini(&csv->w);
    ASIM_FREE(csv->ops.at, csv->rows);
    asim_out_discard(&csv->out);
    free(csv);
}

/* Writes nothing if the run failed or was stopped before rank 0 ended. */
static int close_csv(void *self, int failed, struct asim_err *err)
{
    struct csv *csv = self;
    int rc = 0;

    if (!failed && csv->finish_ns) {
        put_all(csv, &csv->out);
        rc = asim_out_commit(&csv->out, err);
    }
    free_all(csv);
    return rc;
}

/* Reads the workload once more than its ranks do. */
int asim_simai_csv_open(struct asim_world *world, const char *workload, const char *path,
                        struct asim_err *err)
{
    struct csv *csv = calloc(1, sizeof *csv);
    int rc = csv ? asim_simai_read(&csv->w, workload, err) : asim_err_nomem(err, "watching rank 0");

    if (rc) {
        free(csv);
        return rc;
    }
    rc = asim_simai_layout(&csv->w, 0, &csv->layout, err);
    if (!rc)
        rc = list_ops(csv, err);
    if (!rc)
        rc = open_rows(csv, err);
    if (!rc)
        rc = asim_world_check_output(world, path, err);
    if (!rc)
        rc = asim_out_open(&csv->out, path, err);
    if (!rc)
        rc = asim_world_observe(world,
                                &(struct asim_observer){.size = sizeof(struct asim_observer),
                                                        .self = csv,
                                                        .op_issued = on_issue,
                                                        .op_ended = on_end,
                                                        .rank_finished = on_finish,
                                                        .close = close_csv},
                                err);
    if (rc)
        free_all(csv);
    return rc;
}
