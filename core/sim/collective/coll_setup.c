/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Resolves the names of the system configuration that concern collectives, once before time starts:
 * algorithm names to family members, one per logical dimension; algorithms given as traces; the
 * order of dimensions; the number of ops that a rank may run at once.
 *
 * The last entry of a list also serves the dimensions behind it (ASTRA-sim silently leaves those
 * dimensions out of the collective). Kinds that ASTRA-sim does not have need no list.
 *
 * The choices are constant in simulated time and shared by all ranks. `ring, direct` means ring in
 * dimension 0 and direct in dimension 1; a "one…" entry takes all dimensions after it.
 */
#include "conf/custom.h"
#include "sim/collective/coll_setup.h"
#include "sim/collective/consistency.h"
#include "sim/collective/groups.h"
#include "sim/collective/nccl_graph.h"
#include "sim/collective/nvswitch.h"
#include "sim/collective/op_graph_set.h"
#include "sim/collective/phase_plan.h"
#include "sim/world.h"
#include "topo/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes one entry per name, in the world's arena. */
static int choose(struct asim_world *world, int kind, const struct asim_words *words,
                  struct asim_err *err)
{
    struct asim_err why = {0};

    world->set.choices[kind] =
        asim_arena_array(&world->arena, words->n, sizeof *world->set.choices[kind]);
    if (!world->set.choices[kind])
        return asim_err_nomem(err, "choosing algorithms");
    for (size_t d = 0; d < words->n; d++)
        if (asim_coll_choose(&world->set.choices[kind][d], words->at[d], &why))
            return asim_err_set(err, ASIM_EINVAL, "%s-implementation: %s", asim_coll_type_key(kind),
                                why.text);
    world->set.n_choices[kind] = (uint32_t)words->n;
    return 0;
}

/* A broadcast replays its recorded duration, as in ASTRA-sim, unless the configuration names an
 * algorithm for it; the word "replay" selects the replay, too. It is the only kind that ASTRA-sim
 * knows and does not model (system-layer.md#collective-ops). */
static int is_replayed(int kind, const struct asim_words *words)
{
    return kind == ASIM_BROADCAST && words->n == 1 && !strcmp(words->at[0], "replay");
}

/* More names than dimensions are an error; ASTRA-sim reads past the end of its array
 * (system-layer.md#dimensions-and-groups). */
static int choose_list(struct asim_world *world, int kind, struct asim_err *err)
{
    const struct asim_words *words = &world->set.system.impl[kind];

    if (!words->n || is_replayed(kind, words))
        return 0;
    if (words->n > world->set.most_dims)
        return asim_err_set(err, ASIM_EINVAL,
                            "the system configuration names %zu algorithms for %s, but there are "
                            "only %u logical dimensions; give one per dimension",
                            words->n, asim_coll_type_name(kind), world->set.most_dims);
    if (choose(world, kind, words, err))
        return ASIM_EINVAL;
    if (world->set.settings.system && !world->set.settings.algorithm &&
        words->n < world->set.most_dims &&
        asim_phase_plan_dims(world, world->set.most_dims, kind) > words->n)
        asim_world_diagnose(
            world,
            "the system configuration names %zu algorithms for %s and there are %u "
            "logical dimensions: %s is used for the rest (ASTRA-sim leaves their ranks "
            "out of the collective)",
            words->n, asim_coll_type_name(kind), world->set.most_dims, words->at[words->n - 1]);
    return 0;
}

/* The algorithms of kinds without a list. */
static int choose_default(struct asim_world *world, int kind, struct asim_err *err)
{
    const char *name = kind == ASIM_BARRIER                ? "dissemination"
                       : kind == ASIM_REDUCE_SCATTER_BLOCK ? "ring"
                                                           : "binomialTree";
    char word[32], *at = word;
    const struct asim_words words = {&at, 1};

    snprintf(word, sizeof word, "%s", name);
    switch (kind) {
    case ASIM_REDUCE_SCATTER_BLOCK:
        world->set.choices[kind] = world->set.choices[ASIM_REDUCE_SCATTER];
        world->set.n_choices[kind] = world->set.n_choices[ASIM_REDUCE_SCATTER];
        if (world->set.n_choices[kind])
            return 0;
        return choose(world, kind, &words, err);
    case ASIM_BROADCAST:
        return world->set.settings.system ? 0 : choose(world, kind, &words, err);
    case ASIM_REDUCE:
    case ASIM_GATHER:
    case ASIM_SCATTER:
    case ASIM_BARRIER:
        return choose(world, kind, &words, err);
    default:
        return 0;
    }
}

/* Lists come first, because some defaults copy the list of another kind. */
static int choose_all(struct asim_world *world, struct asim_err *err)
{
    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++)
        if (choose_list(world, kind, err))
            return ASIM_EINVAL;
    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++)
        if (!world->set.n_choices[kind] && choose_default(world, kind, err))
            return ASIM_EINVAL;
    if (asim_coll_choose(&world->set.direct, "direct", err))
        return ASIM_EINVAL;
    return asim_coll_choose(&world->set.ring, "ring", err);
}

/* asim_coll_fini frees the prefixes and node_prefixes. */
static int resolve_trace_prefixes(struct asim_world *world, struct asim_err *err)
{
    const char *own = world->set.system.per_node_custom, *owner = world->set.settings.system;

    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++) {
        if (!world->set.system.custom[kind])
            continue;
        world->set.custom[kind] = asim_custom_resolve(owner, world->set.system.custom[kind]);
        if (!world->set.custom[kind])
            return asim_err_nomem(err, "looking for collective algorithms");
    }
    return own ? asim_node_prefixes_read(&world->set.node_prefixes, own, err) : 0;
}

static int lay_out_dims(struct asim_world *world, struct asim_world_job *job, struct asim_err *err)
{
    uint32_t stride = 1;

    job->strides = asim_arena_array(&world->arena, job->dims.n, sizeof *job->strides);
    if (!job->strides)
        return asim_err_nomem(err, "laying out the logical dimensions");
    for (size_t d = 0; d < job->dims.n; d++) {
        job->strides[d] = stride;
        stride *= job->dims.at[d];
    }
    return 0;
}

/* Measures bandwidths for the orders that read them: of the analytical network, or of the slowest
 * link from the job's rank 0 to its neighbour in that dimension, relative to dimension 0. The
 * orders only compare them. */
static int measure_dims(struct asim_world *world, struct asim_world_job *job, struct asim_err *err)
{
    for (size_t d = 0; d < job->dims.n; d++) {
        struct asim_pair pair = {0};

        job->dim_bw[d] = 1;
        if (d < world->set.shape.n)
            job->dim_bw[d] =
                world->set.shape.at[d].bandwidth_gbps / world->set.shape.at[0].bandwidth_gbps;
        if (!world->set.route || job->dims.at[d] < 2 || !world->set.order.row->needs_bandwidth)
            continue;
        if (asim_pair_get(&pair, world->set.route,
                          (struct asim_host_pair){job->first, job->first + job->strides[d]},
                          world->set.net.payload_bytes, err))
            return ASIM_EINVAL;
        job->dim_bw[d] = pair.rate_bps ? (double)pair.rate_bps : 1;
    }
    for (size_t d = job->dims.n; d-- > 0;)
        job->dim_bw[d] /= job->dim_bw[0];
    return 0;
}

/* flow-order-seed orders the nodes of op graphs: NCCL's flows, and algorithms given as traces. */
static void diagnose_seed(struct asim_world *world)
{
    int used = world->set.node_prefixes.n > 0;

    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++) {
        used |= world->set.custom[kind] != NULL;
        for (uint32_t d = 0; d < world->set.n_choices[kind]; d++)
            used |= world->set.choices[kind][d].algo->flows != NULL;
    }
    if (world->set.system.flow_order_seed && !used)
        asim_world_diagnose(world, "flow-order-seed has no effect: no algorithm has flows (nccl…) "
                                   "or is given as traces");
}

/* asim_world_close frees everything, also after a failure. */
int asim_coll_setup(struct asim_world *world, struct asim_err *err)
{
    uint32_t queues = world->set.settings.queues_per_dim;

    if (asim_consistency_open(world))
        return asim_err_nomem(err, "laying out the logical dimensions");
    if (asim_dims_order_open(&world->set.order, world->set.system.dim_order, err) ||
        choose_all(world, err) || resolve_trace_prefixes(world, err))
        return ASIM_EINVAL;
    for (uint32_t j = 0; j < world->set.n_jobs; j++)
        if (lay_out_dims(world, &world->set.jobs[j], err) ||
            measure_dims(world, &world->set.jobs[j], err))
            return ASIM_EINVAL;
    diagnose_seed(world);
    world->set.max_phases = 2 * world->set.most_dims + 1;
    world->set.queue_limit = (world->set.system.active_chunks + queues - 1) / queues;
    world->set.units[ASIM_UNIT_CPU] = world->set.system.cpu_slots;
    world->set.units[ASIM_UNIT_COMP] = world->set.system.comp_slots;
    world->set.units[ASIM_UNIT_COMM] = world->set.system.comm_slots;
    world->set.units[ASIM_UNIT_RECV] = UINT32_MAX;
    return 0;
}

void asim_coll_fini(struct asim_world *world)
{
    asim_group_fini(world);
    asim_op_graph_fini(world);
    asim_op_graph_set_fini(world);
    asim_nccl_graph_fini(world);
    asim_world_machine_close(world);
    asim_nvswitch_close(world);
    for (int kind = 0; kind < ASIM_COLL_TYPES; kind++)
        free(world->set.custom[kind]);
    asim_node_prefixes_fini(&world->set.node_prefixes);
    asim_consistency_fini(world);
}
