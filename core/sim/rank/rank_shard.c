/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Opens and closes shards, and keeps failures: a rank that fails does nothing more, the other
 * ranks go on to the end of the window, and the run's failure is the earliest in (time, rank).
 * So the error is the same for any window, any number of threads and any number of processes.
 */
#include "net/packets.h"
#include "sim/rank/rank_shard.h"
#include "sim/rank/event_bus.h"
#include "sim/collective/uniform_phase.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* All work in flight comes from these pools: no allocation per message once they have grown. */
static void open_pools(struct asim_pools *pools, uint32_t max_phases, size_t bus_bytes)
{
    size_t chunk = sizeof(struct asim_chunk) + max_phases * sizeof(struct asim_phase);

    asim_pool_init(&pools->event, sizeof(struct asim_rank_event), 0);
    asim_pool_init(&pools->tick, sizeof(struct asim_tick), 0);
    asim_pool_init(&pools->uniform, asim_pool_lines(sizeof(struct asim_uniform_phase)), 0);
    asim_pool_init(&pools->chunk, chunk, 0);
    asim_pool_init(&pools->coll_op, sizeof(struct asim_coll_op), 0);
    asim_pool_init(&pools->recv, sizeof(struct asim_recv), 0);
    asim_pool_init(&pools->inbox, asim_pool_lines(sizeof(struct asim_inbox)), 0);
    asim_pool_init(&pools->action, sizeof(struct asim_deferred_action), 0);
    asim_pool_init(&pools->bus, bus_bytes ? bus_bytes : 1, 0);
}

/* A pool that was never used has taken no memory. */
static void close_pools(struct asim_pools *pools)
{
    asim_pool_fini(&pools->event);
    asim_pool_fini(&pools->tick);
    asim_pool_fini(&pools->uniform);
    asim_pool_fini(&pools->chunk);
    asim_pool_fini(&pools->coll_op);
    asim_pool_fini(&pools->recv);
    asim_pool_fini(&pools->inbox);
    asim_pool_fini(&pools->action);
    asim_pool_fini(&pools->bus);
}

/* Gives ranks their shards. `of` must outlive the run, since the network's hooks look up the shards
 * of switches in it. */
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

/* Frees objects in use together with their pools. Events that were not gathered are lost: the run
 * has failed by then. */
void asim_rank_shards_close(struct asim_world *world)
{
    for (uint32_t l = 0; l < world->run.n_shards; l++) {
        close_pools(&world->run.shards[l].pools);
        ASIM_FREE(world->run.shards[l].own.at, world->run.shards[l].ended_nodes.at,
                  world->run.shards[l].changed_queues.at);
    }
    free(world->run.shards);
    world->run.shards = NULL;
    world->run.n_shards = 0;
}

/* Where all ranks share one clock, asim_node_record_failure sets rank to 0, so the first failure
 * recorded is the earliest. */
static int is_before(const struct asim_event *x, const struct asim_event *y)
{
    if (x->t != y->t)
        return x->t < y->t;
    return x->stage != y->stage ? x->stage < y->stage : x->rank < y->rank;
}

/* Copies 2.5 kB, seldom. */
void asim_failure_merge(struct asim_failure *into, const struct asim_failure *from)
{
    if (from->err.code && (!into->err.code || is_before(&from->at, &into->at)))
        *into = *from;
}

/* Observers call it in the order of events, so the first failure found is the earliest. */
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

/* A failed node may fail again as a consequence; only its first failure counts. */
void asim_node_record_failure(struct asim_world *world, uint32_t node, int *failed)
{
    struct asim_rank_shard *shard = asim_rank_shard_of(world, node);
    struct asim_failure *failure = &shard->failure;
    struct asim_event at = {.t = asim_node_now(world, node),
                            .stage = world->run.event_bus.stage,
                            .rank = world->run.event_bus.in_order ? 0 : node,
                            .order = shard->events->order};

    if (!*failed && (!failure->err.code || is_before(&at, &failure->at))) {
        failure->err = shard->scratch_err;
        failure->at = at;
    }
    *failed = 1;
    shard->scratch_err.code = 0;
}

void asim_rank_record_failure(struct asim_rank *rank)
{
    asim_node_record_failure(rank->world, rank->id, &rank->failed);
}

/* The rank that runs out of memory differs from run to run; the sentence does not. */
void asim_rank_fail_nomem(struct asim_rank *rank, const char *doing)
{
    asim_err_nomem(&rank->shard->scratch_err, doing);
    asim_rank_record_failure(rank);
}

/* Between windows: reads a few words of each shard. A second call has the same result. */
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

/* A failure outside the ranks takes its place behind all events of its process. Events behind the
 * first failure are dropped, because they differ with the window length. */
void asim_world_finish_failures(struct asim_world *world, const struct asim_err *run)
{
    struct asim_failure failure = {.err = *run};

    asim_rank_shards_gather(world);
    if (!run->code && asim_world_has(world, ASIM_NET_FRAMES) && !world->run.failed)
        world->via.packets->audit(world->via.packet_net, &failure.err);
    failure.at = (struct asim_event){.t = world->run.settled_ns,
                                     .stage = ASIM_STAGE_NODES,
                                     .rank = UINT32_MAX,
                                     .order = UINT64_MAX};
    asim_failure_merge(&world->run.failure, &failure);
    if (!world->run.failure.err.code)
        return;
    world->run.failed = 1;
    asim_event_bus_cut(&world->run.event_bus, &world->run.failure.at);
}
