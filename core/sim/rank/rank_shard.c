/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See rank_shard.h. Opening and closing shards, and what becomes of failures: a rank that fails
 * does nothing more, all others go on to the window's end, and the failure earliest in (time, rank)
 * is the run's. So the sentence is the same for any window, any number of threads and of processes.
 */
#include "sim/rank/rank_shard.h"
#include "sim/rank/event_bus.h"
#include "sim/collective/uniform_phase.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Everything that is in flight comes from these pools: no allocation per message once they have
 * grown. */
static void open_pools(struct asim_pools *pools, uint32_t max_phases, size_t bus_bytes)
{
    size_t chunk = sizeof(struct asim_chunk) + max_phases * sizeof(struct asim_phase);

    asim_pool_init(&pools->event, sizeof(struct asim_rank_event), 0);
    asim_pool_init(&pools->tick, sizeof(struct asim_tick), 0);
    asim_pool_init(&pools->uniform, asim_pool_lines(sizeof(struct asim_uniform_phase)), 0);
    asim_pool_init(&pools->chunk, chunk, 0);
    asim_pool_init(&pools->dataset, sizeof(struct asim_coll_op), 0);
    asim_pool_init(&pools->recv, sizeof(struct asim_recv), 0);
    asim_pool_init(&pools->inbox, asim_pool_lines(sizeof(struct asim_inbox)), 0);
    asim_pool_init(&pools->action, sizeof(struct asim_deferred_action), 0);
    asim_pool_init(&pools->bus, bus_bytes ? bus_bytes : 1, 0);
}

/* Also those that were never used: they have taken no memory. */
static void close_pools(struct asim_pools *pools)
{
    asim_pool_fini(&pools->event);
    asim_pool_fini(&pools->tick);
    asim_pool_fini(&pools->uniform);
    asim_pool_fini(&pools->chunk);
    asim_pool_fini(&pools->dataset);
    asim_pool_fini(&pools->recv);
    asim_pool_fini(&pools->inbox);
    asim_pool_fini(&pools->action);
    asim_pool_fini(&pools->bus);
}

/* Ranks are told their shards here; `of` must outlive the world's run, since the fabric's hooks ask
 * it for switches. */
int asim_rank_shards_open(struct asim_world *world, uint32_t n, const uint16_t *of)
{
    struct asim_rank_shard *shards = calloc(n, sizeof *shards);

    if (!shards)
        return ASIM_ENOMEM;
    asim_rank_shards_close(world);
    world->run.shards = shards;
    world->run.n_shards = n;
    world->run.shard_of = n > 1 ? of : NULL;
    for (uint32_t l = 0; l < n; l++) {
        open_pools(&shards[l].pools, world->set.max_phases, world->set.bus_request_bytes);
        shards[l].events = n > 1 ? &shards[l].own : &world->run.event_bus.pending;
    }
    for (uint32_t r = 0; r < world->set.n_ranks; r++)
        if (asim_rank_is_here(&world->run.ranks[r]))
            world->run.ranks[r].shard = asim_rank_shard_of(world, r);
    return 0;
}

/* Objects still out go with their pools, algorithms that still run with their shard. What a shard
 * has recorded and nobody gathered is lost: by then the run has failed. */
void asim_rank_shards_close(struct asim_world *world)
{
    for (uint32_t l = 0; l < world->run.n_shards; l++) {
        close_pools(&world->run.shards[l].pools);
        free(world->run.shards[l].own.at);
    }
    free(world->run.shards);
    world->run.shards = NULL;
    world->run.n_shards = 0;
}

/* Where all ranks share one clock, the first one noticed is the earliest. */
static int is_before(const struct asim_event *x, const struct asim_event *y)
{
    if (x->t != y->t)
        return x->t < y->t;
    return x->turn != y->turn ? x->turn < y->turn : x->rank < y->rank;
}

/* Texts are copied: 2.5 kB, and seldom. */
void asim_failure_merge(struct asim_failure *into, const struct asim_failure *from)
{
    if (from->err.code && (!into->err.code || is_before(&from->at, &into->at)))
        *into = *from;
}

/* By a observer, in the order of events, so that the first it finds is the earliest it will. */
void asim_world_record_failure(struct asim_world *world, const struct asim_event *at,
                               const struct asim_err *err)
{
    struct asim_failure failure = {.err = *err, .at = *at};

    if (world->run.event_bus.in_order)
        failure.at.rank = 0;
    asim_failure_merge(&world->run.failure, &failure);
    world->run.failed = 1;
    world->run.event_bus.stopped = 1;
}

/* What a failed node says afterwards is an echo. */
void asim_node_record_failure(struct asim_world *world, uint32_t node, int *failed)
{
    struct asim_rank_shard *shard = asim_rank_shard_of(world, node);
    struct asim_failure *failure = &shard->failure;
    struct asim_event at = {.t = asim_node_now(world, node),
                            .turn = world->run.event_bus.turn,
                            .rank = world->run.event_bus.in_order ? 0 : node,
                            .order = shard->events->order};

    if (!*failed && (!failure->err.code || is_before(&at, &failure->at))) {
        failure->err = shard->scratch_err;
        failure->at = at;
    }
    *failed = 1;
    shard->scratch_err.code = 0;
}

/* The usual kind of node. */
void asim_rank_record_failure(struct asim_rank *rank)
{
    asim_node_record_failure(rank->world, rank->id, &rank->failed);
}

/* Which rank meets the end of memory depends on everything; that it is told in one sentence does
 * not. */
void asim_rank_fail_nomem(struct asim_rank *rank, const char *doing)
{
    asim_err_nomem(&rank->shard->scratch_err, doing);
    asim_rank_record_failure(rank);
}

/* Asked between windows, or times: a few shards, a few words of each. Asked again, it finds what it
 * found before. */
void asim_rank_shards_gather(struct asim_world *world)
{
    uint32_t done = 0;

    for (uint32_t l = 0; l < world->run.n_shards; l++) {
        struct asim_rank_shard *shard = &world->run.shards[l];

        done += shard->ranks_done;
        asim_event_bus_gather(&world->run.event_bus, shard->events);
        if (!shard->failure.err.code)
            continue;
        asim_failure_merge(&world->run.failure, &shard->failure);
        world->run.failed = 1;
    }
    world->run.ranks_done = done;
}

/* What went wrong outside the ranks stands behind all that its process had come to. Where a run
 * fails must not depend on the window, so nobody is to see the events behind that place. */
void asim_world_finish_failures(struct asim_world *world, const struct asim_err *run)
{
    struct asim_failure failure = {.err = *run};

    asim_rank_shards_gather(world);
    if (!run->code && world->via.fabric && !world->run.failed)
        world->via.packets->audit(world->via.fabric, &failure.err);
    failure.at = (struct asim_event){.t = world->run.settled_ns,
                                     .turn = ASIM_STAGE_NODES,
                                     .rank = UINT32_MAX,
                                     .order = UINT64_MAX};
    asim_failure_merge(&world->run.failure, &failure);
    if (!world->run.failure.err.code)
        return;
    world->run.failed = 1;
    asim_event_bus_cut(&world->run.event_bus, &world->run.failure.at);
}
