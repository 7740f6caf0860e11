/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads ops.csv, and what follows from it. Collectives are summed up as nccl-tests prints them. Who
 * waited for whom: a collective starts when its last member has issued it, so the others' waiting
 * is charged to the member whose issue is the start.
 *
 * The critical path is walked back from the last end: behind an op that waited comes the member
 * that came last; behind an issue comes the op of that rank that ended then, since an op is issued
 * when the last op it depends on ends. Between ops that do not touch lies a gap.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/report/run.h"
#include "tools/report/table.h"

enum { MOST_OPS = 2000000, MOST_STEPS = 100000 };

struct columns {
    int rank, op, name, type, coll, group, members, bytes, issue, start, end, algbw, busbw, unit;
};

static int find_columns(struct columns *at, const struct asim_table *table, struct asim_err *err)
{
    at->rank = asim_table_need(table, "rank", err);
    at->op = asim_table_need(table, "op", err);
    at->name = asim_table_need(table, "name", err);
    at->type = asim_table_need(table, "type", err);
    at->coll = asim_table_find(table, "collective");
    at->group = asim_table_find(table, "group");
    at->members = asim_table_find(table, "members");
    at->bytes = asim_table_find(table, "bytes");
    at->issue = asim_table_need(table, "issue_ns", err);
    at->start = asim_table_need(table, "start_ns", err);
    at->end = asim_table_need(table, "end_ns", err);
    at->algbw = asim_table_find(table, "algbw_GBps");
    at->busbw = asim_table_find(table, "busbw_GBps");
    at->unit = asim_table_find(table, "processor");
    return err->code;
}

static int read_op(struct asim_run *run, struct asim_map *known, const struct asim_table *table,
                   const struct columns *at, struct asim_err *err)
{
    const char *type = asim_table_text(table, at->type);
    struct asim_run_op op = {.id = asim_table_u64(table, at->op, err),
                             .bytes = asim_table_u64(table, at->bytes, err),
                             .issue = asim_table_u64(table, at->issue, err),
                             .start = asim_table_u64(table, at->start, err),
                             .end = asim_table_u64(table, at->end, err),
                             .algbw = asim_table_real(table, at->algbw, err),
                             .busbw = asim_table_real(table, at->busbw, err),
                             .rank = (uint32_t)asim_table_u64(table, at->rank, err),
                             .members = (uint32_t)asim_table_u64(table, at->members, err)};

    op.is_compute = !strncmp(type, "COMP", 4);
    op.is_comm = !strncmp(type, "COMM", 4);
    op.is_cpu = !strcmp(asim_table_text(table, at->unit), "cpu");
    op.type = asim_run_name(run, known, type);
    op.name = asim_run_name(run, known, asim_table_text(table, at->name));
    op.coll = asim_run_name(run, known, asim_table_text(table, at->coll));
    op.group = asim_run_name(run, known, asim_table_text(table, at->group));
    if (op.type == ASIM_RUN_NONE || op.name == ASIM_RUN_NONE || op.coll == ASIM_RUN_NONE ||
        op.group == ASIM_RUN_NONE || ASIM_VEC_PUSH(run->ops, op))
        return asim_err_nomem(err, "reading ops.csv");
    return 0;
}

int asim_run_load_ops(struct asim_run *run, struct asim_err *err)
{
    struct asim_table table;
    struct asim_map known;
    struct columns at = {0};
    int code = asim_run_open(run, &table, "ops.csv", err);

    asim_map_init(&known);
    if (!code)
        code = asim_run_name(run, &known, "") ? asim_err_nomem(err, "reading ops.csv") : 0;
    if (!code && table.file)
        code = find_columns(&at, &table, err);
    while (!code && !(run->is_brief && run->ops_seen == MOST_OPS) &&
           (code = asim_table_row(&table, err)) > 0) {
        code = 0;
        if (!*asim_table_text(&table, at.end))
            continue; /* under way at the end of an interrupted run */
        if (run->ops_seen++ < MOST_OPS)
            code = read_op(run, &known, &table, &at, err);
    }
    asim_table_close(&table);
    asim_map_fini(&known);
    return code;
}

/* Bytes as nccl-tests counts them: the full buffer. */
static uint64_t buffer_of(const struct asim_run *run, const struct asim_run_op *op)
{
    const char *coll = run->names.at[op->coll];

    return !strcmp(coll, "ALL_GATHER") || !strcmp(coll, "GATHER") ? op->bytes * op->members
                                                                  : op->bytes;
}

ASIM_ORDER(by_coll, struct asim_run_coll, ->coll, ->members, ->bytes)

static int sum_colls(struct asim_run *run, struct asim_map *at, struct asim_err *err)
{
    for (size_t i = 0; i < run->ops.n; i++) {
        const struct asim_run_op *op = &run->ops.at[i];
        double took = (double)(op->end - op->start);
        struct asim_run_coll *coll, fresh = {.coll = op->coll, .members = op->members};
        uint64_t *slot;

        if (!op->coll)
            continue;
        fresh.bytes = buffer_of(run, op);
        slot = asim_map_put(at, (uint64_t)op->coll << 32 | op->members, fresh.bytes);
        if (!slot || (!*slot && ASIM_VEC_PUSH(run->colls, fresh)))
            return asim_err_nomem(err, "summing up collectives");
        *slot = *slot ? *slot : run->colls.n;
        coll = &run->colls.at[*slot - 1];
        coll->shortest = coll->rows && coll->shortest < took ? coll->shortest : took;
        coll->longest = coll->longest > took ? coll->longest : took;
        coll->rows++;
        coll->time += took;
        coll->algbw += op->algbw;
        coll->busbw += op->busbw;
    }
    for (size_t i = 0; i < run->colls.n; i++) {
        struct asim_run_coll *coll = &run->colls.at[i];

        coll->time /= (double)coll->rows;
        coll->algbw /= (double)coll->rows;
        coll->busbw /= (double)coll->rows;
    }
    if (run->colls.n)
        qsort(run->colls.at, run->colls.n, sizeof *run->colls.at, by_coll);
    return 0;
}

/* What members of one collective, or a send and its receives, have in common. */
static uint64_t meeting_of(const struct asim_run_op *op)
{
    return (uint64_t)op->coll << 32 | op->group;
}

/* last: (meeting, start) -> 1 + the op whose issue is the start. */
static int charge(struct asim_run *run, struct asim_map *last, struct asim_err *err)
{
    for (size_t i = 0; i < run->ops.n; i++) {
        const struct asim_run_op *op = &run->ops.at[i];
        uint64_t *slot;

        if (!op->is_comm || op->issue != op->start)
            continue;
        slot = asim_map_put(last, meeting_of(op), op->start);
        if (!slot)
            return asim_err_nomem(err, "looking for late ranks");
        if (!*slot)
            *slot = i + 1;
    }
    run->blame = calloc((size_t)run->n_ranks + 1, sizeof *run->blame);
    if (!run->blame)
        return asim_err_nomem(err, "looking for late ranks");
    for (size_t i = 0; i < run->ops.n; i++) {
        const struct asim_run_op *op = &run->ops.at[i];
        const uint64_t *slot = op->coll ? asim_map_get(last, meeting_of(op), op->start) : NULL;

        if (!slot || op->start == op->issue)
            continue;
        run->waited += op->start - op->issue;
        if (run->ops.at[*slot - 1].rank < run->n_ranks)
            run->blame[run->ops.at[*slot - 1].rank] += op->start - op->issue;
    }
    return 0;
}

/* Ops by rank, end, length, so that the last before a time is found by halving. */
struct by_end {
    const struct asim_run_op *op;
};

static int compare_ends(const void *a, const void *b)
{
    const struct asim_run_op *x = ((const struct by_end *)a)->op,
                             *y = ((const struct by_end *)b)->op;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->issue != y->issue)
        return x->issue > y->issue ? -1 : 1; /* the longest is the last */
    return (x->id < y->id) - (x->id > y->id);
}

/* The last op of the rank that ended at t or before, and was not passed yet; NULL where there is
 * none. */
static const struct asim_run_op *before(const struct by_end *sorted, size_t n, uint32_t rank,
                                        uint64_t t)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct asim_run_op *op = sorted[middle].op;

        if (op->rank < rank || (op->rank == rank && op->end <= t))
            low = middle + 1;
        else
            high = middle;
    }
    while (low && sorted[low - 1].op->rank == rank && sorted[low - 1].op->is_visited)
        low--;
    return low && sorted[low - 1].op->rank == rank ? sorted[low - 1].op : NULL;
}

static int add_step(struct asim_run *run, const struct asim_run_op *op, uint64_t from, uint64_t to)
{
    struct asim_run_step step = {from, to, op->rank,
                                 (uint32_t)(op - (const struct asim_run_op *)run->ops.at)};

    return from < to ? ASIM_VEC_PUSH(run->path, step) : 0;
}

/* From the op with the latest end back to time 0. */
static int walk(struct asim_run *run, const struct by_end *sorted, const struct asim_map *last)
{
    const struct asim_run_op *op = NULL;
    int code = 0;

    for (size_t i = 0; i < run->ops.n; i++)
        if (!op || sorted[i].op->end > op->end)
            op = sorted[i].op;
    for (int steps = 0; op && !code && steps < MOST_STEPS; steps++) {
        const uint64_t *slot = asim_map_get(last, meeting_of(op), op->start);
        const struct asim_run_op *next;

        run->ops.at[op - run->ops.at].is_visited = 1;
        if (op->start > op->issue && slot && !run->ops.at[*slot - 1].is_visited) {
            code = add_step(run, op, op->start, op->end);
            op = &run->ops.at[*slot - 1]; /* its own transfer is the same */
            run->ops.at[*slot - 1].is_visited = 1;
        } else {
            code = add_step(run, op, op->issue, op->end);
        }
        next = before(sorted, run->ops.n, op->rank, op->issue);
        if (next && next->end < op->issue && !code) {
            struct asim_run_step gap = {next->end, op->issue, op->rank, ASIM_RUN_NONE};

            code = ASIM_VEC_PUSH(run->path, gap);
        }
        op = next;
    }
    return code;
}

int asim_run_study_ops(struct asim_run *run, struct asim_err *err)
{
    struct asim_map colls, last;
    struct by_end *sorted = NULL;
    int code;

    asim_map_init(&colls);
    asim_map_init(&last);
    code = sum_colls(run, &colls, err);
    if (!code)
        code = charge(run, &last, err);
    if (!code && run->ops.n && run->ops_seen == run->ops.n) {
        sorted = malloc(run->ops.n * sizeof *sorted);
        for (size_t i = 0; sorted && i < run->ops.n; i++)
            sorted[i].op = &run->ops.at[i];
        if (sorted)
            qsort(sorted, run->ops.n, sizeof *sorted, compare_ends);
        if (!sorted || walk(run, sorted, &last))
            code = asim_err_nomem(err, "looking for the critical path");
    }
    free(sorted);
    asim_map_fini(&colls);
    asim_map_fini(&last);
    return code;
}
