/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads ranks.csv and compare.csv, and calls the other loaders.
 */
#include "tools/report/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/report/table.h"

enum { BRIEF = 7 }; /* parts that the verdict needs */

ASIM_ORDER(by_rank, struct asim_run_rank, ->rank)

int asim_run_has_job(const struct asim_run *run)
{
    for (size_t i = 0; i < run->ranks.n; i++)
        if (run->ranks.at[i].finish)
            return 1;
    return 0;
}

struct rank_columns {
    int rank, finish, compute, hidden, exposed, comm, waiting, cpu, idle, ops;
};

static int find_rank_columns(struct asim_run *run, const struct asim_table *table,
                             struct rank_columns *at, struct asim_err *err)
{
    at->rank = asim_table_need(table, "rank", err);
    at->finish = asim_table_need(table, "finish_ns", err);
    at->compute = asim_table_need(table, "gpu_ns", err);
    at->hidden = asim_table_need(table, "hidden_comm_ns|overlap_ns", err);
    at->exposed = asim_table_find(table, "exposed_comm_ns");
    at->comm = asim_table_find(table, "comm_ns");
    at->waiting = asim_table_find(table, "waiting_ns");
    at->cpu = asim_table_find(table, "cpu_bound_ns");
    at->idle = asim_table_find(table, "idle_ns");
    at->ops = asim_table_find(table, "ops");
    run->has_breakdown = at->waiting >= 0 && at->exposed >= 0;
    return at->rank < 0 || at->finish < 0 || at->compute < 0 || at->hidden < 0 ? ASIM_EINVAL : 0;
}

/* Without the breakdown: exposed communication is communication beside computation, and the rest of
 * the time is `other`. */
static struct asim_run_rank read_rank(const struct asim_run *run, const struct asim_table *table,
                                      const struct rank_columns *at, struct asim_err *err)
{
    struct asim_run_rank rank = {.rank = (uint32_t)asim_table_u64(table, at->rank, err),
                                 .finish = asim_table_u64(table, at->finish, err),
                                 .compute = asim_table_u64(table, at->compute, err),
                                 .hidden = asim_table_u64(table, at->hidden, err),
                                 .waiting = asim_table_u64(table, at->waiting, err),
                                 .cpu = asim_table_u64(table, at->cpu, err),
                                 .idle = asim_table_u64(table, at->idle, err),
                                 .ops = asim_table_u64(table, at->ops, err)};
    uint64_t known, comm;

    if (run->has_breakdown) {
        rank.exposed = asim_table_u64(table, at->exposed, err);
    } else {
        comm = asim_table_u64(table, at->comm, err);
        rank.exposed = comm > rank.hidden ? comm - rank.hidden : 0;
        rank.waiting = rank.cpu = rank.idle = 0;
    }
    known = rank.compute + rank.exposed + rank.waiting + rank.cpu + rank.idle;
    if (run->has_breakdown && known + rank.hidden == rank.finish)
        rank.compute += rank.hidden; /* a breakdown that tells hidden time apart from compute */
    else if (known < rank.finish)
        rank.other = rank.finish - known;
    return rank;
}

static int find_median(struct asim_run *run, struct asim_err *err)
{
    double *compute = malloc((run->ranks.n + 1) * sizeof *compute);

    if (!compute)
        return asim_err_nomem(err, "reading ranks.csv");
    for (size_t i = 0; i < run->ranks.n; i++)
        compute[i] = (double)run->ranks.at[i].compute;
    run->median_compute = asim_run_median(compute, run->ranks.n);
    free(compute);
    return 0;
}

static int load_ranks(struct asim_run *run, struct asim_err *err)
{
    struct asim_table table;
    struct rank_columns at = {0};
    int code;

    if (!asim_identity_has(&run->identity, "ranks.csv")) /* without it there is no verdict */
        return asim_err_set(err, ASIM_EINVAL,
                            "%s/ranks.csv is not as the run wrote it; run the case again.",
                            run->folder);
    code = asim_table_open(&table, run->folder, "ranks.csv", err);
    if (!code && table.file)
        code = find_rank_columns(run, &table, &at, err);
    while (!code && (code = asim_table_row(&table, err)) > 0) {
        struct asim_run_rank rank = read_rank(run, &table, &at, err);

        code = ASIM_VEC_PUSH(run->ranks, rank) ? asim_err_nomem(err, "reading ranks.csv") : 0;
    }
    asim_table_close(&table);
    if (run->ranks.n)
        qsort(run->ranks.at, run->ranks.n, sizeof *run->ranks.at, by_rank);
    return code ? code : find_median(run, err);
}

static int load_others(struct asim_run *run, struct asim_err *err)
{
    struct asim_table table;
    int code = asim_run_open(run, &table, "compare.csv", err), name, finish, comm, exposed,
        identity;

    if (code || !table.file) {
        asim_table_close(&table);
        return code;
    }
    name = asim_table_need(&table, "run", err);
    identity = asim_table_need(&table, "identity", err);
    finish = asim_table_need(&table, "finish_ns", err);
    comm = asim_table_find(&table, "comm_ns");
    exposed = asim_table_find(&table, "exposed_comm_ns|exposed_ns");
    code = name < 0 || finish < 0 || identity < 0 ? ASIM_EINVAL : 0;
    while (!code && (code = asim_table_row(&table, err)) > 0) {
        const char *text = asim_table_text(&table, name);
        struct asim_run_other *other = run->others;
        uint64_t end = asim_table_u64(&table, finish, err);

        if (strcmp(asim_table_text(&table, identity), run->identity.text) != 0) {
            run->n_others = 0;
            asim_run_doubt(run, "compare.csv");
            code = 0;
            break;
        }
        while (other < run->others + run->n_others && strcmp(other->name, text))
            other++;
        if (other == run->others + ASIM_RUN_OTHERS)
            continue;
        if (other == run->others + run->n_others) {
            snprintf(other->name, sizeof other->name, "%s", text);
            run->n_others++;
        }
        other->finish = other->finish > end ? other->finish : end;
        other->comm += asim_table_u64(&table, comm, err);
        other->exposed += asim_table_u64(&table, exposed, err);
        code = 0;
    }
    asim_table_close(&table);
    return code;
}

int asim_run_load(struct asim_run *run, const char *folder, int is_brief, struct asim_err *err)
{
    static int (*const parts[])(struct asim_run *, struct asim_err *) = {
        asim_run_load_json,   asim_run_load_origin,  load_ranks,         asim_run_load_changes,
        asim_run_load_links,  asim_run_load_ops,     asim_run_study_ops, asim_run_load_flows,
        asim_run_load_series, asim_run_load_traffic, load_others};
    const size_t n = is_brief ? BRIEF : sizeof parts / sizeof *parts;
    struct asim_err own = {0};
    int code;

    memset(run, 0, sizeof *run);
    run->folder = folder;
    run->is_brief = is_brief;
    run->longest = ASIM_RUN_NONE;
    asim_arena_init(&run->arena, 0);
    asim_map_init(&run->losses);
    code = asim_identity_open(&run->identity, folder, &own);
    if (!code)
        asim_run_check_files(run);
    for (size_t i = 0; !code && i < n; i++) {
        code = parts[i](run, &own);
        code = code ? code : own.code; /* a cell that is no number */
    }
    if (code && err && !err->code)
        *err = own;
    return code;
}
