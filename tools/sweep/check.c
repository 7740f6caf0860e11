/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the topology of each point of `asim run` once before workloads are made, since a maker
 * refuses some values only together, and looks for gradient buckets where they are varied; of other
 * commands it looks names up. Where the number of ranks is not known yet (PyTorch's folders,
 * scenarios), the runs tell.
 */
#include "tools/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/machine.h"
#include "asim/topology.h"
#include "asim/trace.h"
#include "bucket/bucket.h"
#include "catalogue/model.h"
#include "tools/inference/engine.h"
#include "tools/machine/sweep.h"

static uint32_t number(const struct asim_sweep *sweep, size_t point, const char *name)
{
    const char *text = asim_sweep_value(sweep, point, name);

    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* 0: not known. */
static uint32_t ranks_of(const struct asim_sweep *sweep, size_t point)
{
    const char *workload = asim_sweep_value(sweep, point, "workload");
    uint32_t ranks = number(sweep, point, "ranks"), world = number(sweep, point, "world-size"),
             scale = number(sweep, point, "virtual-scale");

    if (asim_sweep_has_llm(sweep))
        ranks = number(sweep, point, "llm.world_size");
    if (!asim_sweep_generates(sweep) &&
        (!workload || asim_trace_ranks(workload, &ranks, &(struct asim_err){0})))
        ranks = 0;
    return !ranks ? 0 : scale ? scale * ranks : world ? world : ranks;
}

static int check_topo(const char *text, uint32_t ranks, struct asim_err *err)
{
    const char *spec;
    struct asim_topo topo;
    struct asim_err why = {0};
    char reason[sizeof why.text + sizeof why.source + 32];

    if (!asim_topo_is_made(text, &spec) || !ranks)
        return 0;
    if (!asim_topo_make(&topo, spec, ranks, &why)) {
        asim_topo_fini(&topo);
        return 0;
    }
    return asim_err_set(err, ASIM_EINVAL, "no run was started: topo=%s of a point of the sweep: %s",
                        text, asim_err_show(&why, reason, sizeof reason));
}

/* Whether a workload has gradient buckets does not depend on their size. */
static int check_buckets(const struct asim_sweep *sweep, size_t point, struct asim_err *err)
{
    const char *mb = asim_sweep_value(sweep, point, "bucket-mb"),
               *workload = asim_sweep_value(sweep, point, "workload");
    struct asim_buckets buckets = {.input = workload, .bytes = UINT64_MAX};
    uint32_t ranks;

    if (!mb || strtod(mb, NULL) <= 0 || !workload ||
        asim_trace_ranks(workload, &ranks, &(struct asim_err){0}))
        return 0;
    asim_buckets_check(&buckets, err);
    asim_buckets_fini(&buckets);
    return err->code;
}

/* Whether a value of a key of the other commands is the name of something. */
static int check_name(const char *key, const char *value, struct asim_err *err)
{
    struct asim_machine machine = {.name = NULL};
    const struct asim_scheduler *scheduler;
    struct asim_model model;
    int op;

    if (!strcmp(key, "model"))
        return asim_model_find(&model, value, err);
    if (!strcmp(key, "scheduler"))
        return asim_scheduler_find(&scheduler, value, 1, err);
    if (!strcmp(key, "op"))
        return asim_nccl_op_parse(value, &op, err);
    if (!strcmp(key, "machine"))
        asim_machine_read(&machine, value, err);
    asim_machine_fini(&machine);
    return err->code;
}

static int check_names(const struct asim_sweep *sweep, struct asim_err *err)
{
    char reason[ASIM_SWEEP_PATH];

    for (size_t k = 0; k < sweep->keys.n; k++) {
        const struct asim_sweep_key *key = &sweep->keys.at[k];
        int is_level = !strcmp(sweep->target->command, "nccl-tests") && !strcmp(key->name, "model");

        for (size_t i = 0; i < key->values.n && !is_level; i++) {
            struct asim_err why = {0};

            if (check_name(key->name, key->values.at[i], &why))
                return asim_err_set(err, ASIM_EINVAL, "no run was started: %s=%s: %s", key->name,
                                    key->values.at[i], asim_err_show(&why, reason, sizeof reason));
        }
    }
    return 0;
}

/* Times of NCCL's kernels are known for machines only. */
static void note_kernels(int has_machine, int has_other)
{
    if (has_machine && has_other)
        fprintf(stderr, "asim sweep: note: on machine: topologies collectives take the time of "
                        "NCCL's kernels on the GPUs, too, on the others that of the network only; "
                        "such points differ in more than the network.\n");
}

int asim_sweep_check(const struct asim_sweep *sweep, struct asim_err *err)
{
    char text[ASIM_SWEEP_PATH], before[ASIM_SWEEP_PATH] = "";
    const char *workload = "", *next;
    uint32_t ranks, ranks_before = 0;
    int has_machine = 0, has_other = 0;

    if (!asim_sweep_runs_jobs(sweep))
        return check_names(sweep, err);
    if (asim_sweep_has(sweep, "scenario"))
        return 0;
    for (size_t i = 0; i < sweep->n; i++) {
        asim_sweep_topo(sweep, i, text, sizeof text);
        if (!strncmp(text, "machine:", 8))
            has_machine = 1;
        else
            has_other = 1;
        next = asim_sweep_value(sweep, i, "workload");
        if (next && strcmp(next, workload) && check_buckets(sweep, i, err))
            return err->code;
        workload = next ? next : workload;
        ranks = ranks_of(sweep, i);
        if (!strcmp(text, before) && ranks == ranks_before)
            continue;
        if (check_topo(text, ranks, err))
            return err->code;
        snprintf(before, sizeof before, "%s", text);
        ranks_before = ranks;
    }
    if (!asim_sweep_has(sweep, "machine") && !asim_sweep_has(sweep, "like"))
        note_kernels(has_machine, has_other);
    return 0;
}
