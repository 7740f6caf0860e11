/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the points of a sweep run, and the figures that each leaves.
 */
#include "tools/sweep/sweep.h"

#include <stdio.h>
#include <string.h>

#include "asim/ext/command.h"
#include "base/io/json.h"
#include "tools/report/fct.h"
#include "tools/report/run.h"
#include "tools/report/table.h"
#include "tools/run/job.h"

/* A run is interrupted by Ctrl-C, after which the point runs again, or by its limit. */
static enum asim_sweep_state state_of(const char *word)
{
    return !strcmp(word, "stalled")       ? ASIM_POINT_STALLED
           : !strcmp(word, "interrupted") ? ASIM_POINT_TIMED_OUT
                                          : ASIM_POINT_FINISHED;
}

static int read_run(struct asim_sweep_point *point, const char *folder, struct asim_err *err)
{
    struct asim_job_result result = {.backend = ""};

    snprintf(result.folder, sizeof result.folder, "%.1900s", folder);
    if (asim_job_result(&result, err))
        return err->code;
    /* Where it did not begin, this is what the earlier one left. */
    point->earlier =
        strcmp(point->identity, result.identity) ? ASIM_POINT_WAITING : state_of(result.state);
    memcpy(point->identity, result.identity, sizeof point->identity);
    point->ranks = result.ranks;
    point->figure[0] = (double)result.finish_ns;
    point->figure[1] = (double)result.comm_ns;
    return 0;
}

/* 99th percentiles of the slowdown of background flows by size. */
static int read_traffic(struct asim_sweep_point *point, const char *folder, struct asim_err *err)
{
    static const uint64_t sizes[] = {0, 100000, 1000000, UINT64_MAX};
    struct asim_run run;

    if (read_run(point, folder, err))
        return err->code;
    if (!asim_run_load(&run, folder, 0, err) && !run.has_flows)
        asim_err_set(err, ASIM_EINVAL,
                     "%s has no flows.csv as its run wrote it; leave --reports out, or add flows.",
                     folder);
    for (int i = 0; i < 3 && !err->code; i++)
        point->figure[i] = asim_fct_slowdown(&run, sizes[i], sizes[i + 1]);
    if (!err->code)
        point->figure[3] = asim_fct_slowdown(&run, 0, UINT64_MAX);
    asim_run_close(&run);
    return err->code;
}

static int read_inference(struct asim_sweep_point *point, const char *folder, struct asim_err *err)
{
    char path[ASIM_SWEEP_PATH];
    json_t *root;

    snprintf(path, sizeof path, "%.1900s/inference.json", folder);
    if (asim_json_read(&root, path, err))
        return err->code;
    for (size_t f = 0; asim_sweep_targets[1].figures[f].column; f++)
        point->figure[f] =
            json_number_value(json_object_get(root, asim_sweep_targets[1].figures[f].column));
    json_decref(root);
    return 0;
}

static int read_nccl_tests(struct asim_sweep_point *point, const char *folder, struct asim_err *err)
{
    struct asim_table table;
    int code = asim_table_open(&table, folder, "table.csv", err);

    if (!code && table.file && (code = asim_table_row(&table, err)) > 0)
        for (size_t f = 0; asim_sweep_targets[2].figures[f].column; f++)
            point->figure[f] = asim_table_real(
                &table, asim_table_find(&table, asim_sweep_targets[2].figures[f].column), err);
    else if (!err->code)
        asim_err_set(err, ASIM_EINVAL, "%s/table.csv has no row.", folder);
    asim_table_close(&table);
    return err->code;
}

static const char *const run_own[] = {"name",    "output-dir", "force", "out", "unless",
                                      "fail-if", "json",       "quiet", NULL};
static const char *const inference_own[] = {"out", NULL};
static const char *const nccl_tests_own[] = {"csv", "json", "plot", "b", "e", "f", "i", NULL};

const struct asim_sweep_target asim_sweep_targets[] = {
    {"run",
     NULL,
     run_own,
     {{"finish_ns", "time_ms", "time, ms", 1e6}, {"comm_ns", "comm_ms", NULL, 1e6}},
     read_run},
    {"inference",
     "--out=%s",
     inference_own,
     {{"latency_p50_ns", "latency_ms", "latency of a request, median, ms", 1e6},
      {"ttft_p50_ns", "ttft_ms", NULL, 1e6},
      {"tpot_p50_ns", "tpot_ms", NULL, 1e6},
      {"output_tokens_per_s", "tokens/s", NULL, 1}},
     read_inference},
    {"nccl-tests",
     "--csv=%s/table.csv",
     nccl_tests_own,
     {{"busbw_GBps", "busbw_GB/s", "bus bandwidth, GB/s", 1}, {"time_us", "time_us", NULL, 1}},
     read_nccl_tests},
    [ASIM_SWEEP_TRAFFIC] = {"run",
                            NULL,
                            run_own,
                            {{"slowdown_p99_to_100kB", "p99 <=100kB",
                              "slowdown of flows up to 100 kB, p99", 1},
                             {"slowdown_p99_to_1MB", "p99 <=1MB", NULL, 1},
                             {"slowdown_p99_larger", "p99 larger", NULL, 1},
                             {"slowdown_p99", "p99 all", NULL, 1}},
                            read_traffic},
};

const struct asim_member *asim_sweep_member(const struct asim_sweep *sweep)
{
    for (size_t i = 0; asim_command_table[i]; i++)
        if (!strcmp(asim_command_table[i]->name, sweep->target->command))
            return asim_command_table[i];
    return NULL;
}

int asim_sweep_runs_jobs(const struct asim_sweep *sweep)
{
    return !strcmp(sweep->target->command, "run");
}
