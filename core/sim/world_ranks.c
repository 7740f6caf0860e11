/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ranks of a world: their state, their feeds, and what their traces add up to.
 */
#include "conf/rank_values.h"
#include "sim/distributed/distribution.h"
#include "sim/collective/bus.h"
#include "sim/ops/issue.h"
#include "sim/ops/round.h"
#include "sim/rank/clock.h"
#include "sim/rank/noise.h"
#include "sim/rank/tensor.h"
#include "sim/world.h"

#include <stdlib.h>

/* The counts of the traces of one rank; ranks with the same ops add the same. */
struct rank_counts {
    const struct asim_world_job *job; /* of the last rank opened, or NULL */
    const struct asim_feed *feed;     /* of that rank */
    const struct asim_world *world;
    struct asim_census census;
    uint64_t bytes;
    double packets; /* asim_order_packets */
};

static void count_op(void *self, const struct asim_op *op)
{
    struct rank_counts *counts = self;

    counts->bytes += asim_op_progress_bytes(op);
    counts->packets += asim_order_packets(counts->world, counts->job, op);
    asim_census_op(&counts->census, &counts->world->set.node_prefixes, op);
}

/* Opens the feed of rank r and counts its ops. */
static int open_feed(struct asim_world *world, uint32_t r, struct rank_counts *counts,
                     struct asim_feed **feed, struct asim_err *err)
{
    const struct asim_settings *set = &world->set.settings;
    const struct asim_world_job *job = asim_world_job_of(world, r);
    struct rank_counts own = {.job = job, .world = world};
    const struct asim_op_visitor visitor = {count_op, &own};
    struct asim_feed_options options = {.prefix = job->prefix,
                                        .rank = r - job->first,
                                        .plain = job->exact_names,
                                        .cached_records = set->window_ops,
                                        .lenient = !set->strict_deps,
                                        .visitor = &visitor,
                                        .like = counts->job == job ? counts->feed : NULL};

    if (asim_feed_open(feed, &options, err))
        return ASIM_EINVAL;
    if (!asim_feed_unread(*feed))
        *counts = own;
    counts->feed = *feed;
    return 0;
}

/* Adds the counts of a rank to the world's. */
static int count_rank(struct asim_rank *rank, struct rank_counts *counts, double *packets,
                      struct asim_err *err)
{
    struct asim_world_setup *setup = &rank->world->set;
    const struct asim_world_job *job = rank->job;
    const char *version;

    if (open_feed(rank->world, rank->id, counts, &rank->feed, err))
        return ASIM_EINVAL;
    *packets += counts->packets * job->repeat;
    setup->bytes_total += counts->bytes * job->repeat;
    setup->ops_total += asim_feed_total(rank->feed) * job->repeat;
    asim_census_add(&setup->census, &counts->census);
    if (!asim_feed_version_known(rank->feed, &version))
        asim_census_version(&setup->census, rank->id, version);
    return 0;
}

/* Queues and counters live in the arena; close_rank closes maps and the feed. */
static int open_rank(struct asim_world *world, uint32_t r, const struct asim_settings *set,
                     struct asim_err *err)
{
    struct asim_rank *rank = &world->run.ranks[r];
    const struct asim_world_job *job = asim_world_job_of(world, r);
    size_t dims = job->dims.n, queues = dims * set->queues_per_dim;

    rank->world = world;
    rank->job = job;
    rank->id = r;
    rank->compute_scale = asim_rank_values_get(&world->set.system.compute_scale, r, 1);
    if (world->set.settings.compute_factor > 0)
        rank->compute_scale *= world->set.settings.compute_factor;
    rank->start_delay_ns =
        job->start_ns + (uint64_t)asim_rank_values_get(&world->set.system.start_delay_ns, r, 0);
    rank->endpoint_ns = (uint64_t)world->set.endpoint_ns +
                        (uint64_t)asim_rank_values_get(&world->set.system.message_delay_ns, r, 0);
    if (set->rank_compute) {
        rank->compute_scale *= set->rank_compute[r];
        rank->start_delay_ns = job->start_ns;
        rank->endpoint_ns = (uint64_t)world->set.endpoint_ns;
    }
    asim_map_init(&rank->tick_map);
    asim_map_init(&rank->sequences);
    asim_map_init(&rank->inboxes);
    asim_map_init(&rank->running);
    rank->queues = asim_arena_array(&world->arena, queues, sizeof *rank->queues);
    rank->round_robin = asim_arena_array(&world->arena, dims, sizeof *rank->round_robin);
    if (!rank->queues || !rank->round_robin)
        return asim_err_nomem(err, "setting up ranks");
    return 0;
}

int asim_world_decide_order(struct asim_world *world, struct asim_err *err)
{
    struct rank_counts counts = {0};
    struct asim_feed *feed, *last = NULL;
    double packets = 0;
    int code = 0;

    asim_order_open(world);
    if (world->set.settings.processes < 2 || !world->set.packet_events)
        return 0;
    for (uint32_t r = 0; !code && r < world->set.n_ranks && !asim_order_is_long(world, packets);
         r++) {
        code = open_feed(world, r, &counts, &feed, err);
        asim_feed_close(last);
        last = code ? NULL : feed;
        packets += counts.packets * asim_world_job_of(world, r)->repeat;
    }
    asim_feed_close(last);
    asim_order_decide(world, packets);
    return code;
}

/* calloc touches no page, so ranks of other processes cost no memory. NULL when out of memory. */
static struct asim_rank *make_ranks(struct asim_world *world)
{
    size_t line = _Alignof(struct asim_rank);

    world->run.ranks_memory = calloc(1, world->set.n_ranks * sizeof *world->run.ranks + line);
    if (world->run.ranks_memory)
        world->run.ranks = (void *)(((uintptr_t)world->run.ranks_memory + line - 1) & ~(line - 1));
    return world->run.ranks;
}

int asim_world_open_ranks(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    struct rank_counts counts = {0};
    double packets = 0;
    int code = 0;

    if (!make_ranks(world))
        return asim_err_nomem(err, "setting up ranks");
    for (uint32_t r = 0; !code && r < world->set.n_ranks; r++) {
        if (!asim_distribution_has(world, r))
            continue;
        code = open_rank(world, r, set, err);
        if (!code)
            code = count_rank(&world->run.ranks[r], &counts, &packets, err);
        world->set.n_here += !code;
    }
    if (!world->dist)
        asim_order_decide(world, packets);
    return code;
}

int asim_world_prepare_ranks(struct asim_world *world, struct asim_err *err)
{
    int code;

    if ((code = asim_noise_open(world, err)) || (code = asim_round_open(world, err)) ||
        (code = asim_bus_setup(world, err)))
        return code;
    return asim_tensors_setup(world, err);
}

/* rank-start-delay delays only the first ops. */
static void start_rank(struct asim_rank *rank)
{
    if (rank->start_delay_ns)
        asim_clock_add(rank, rank->start_delay_ns,
                       &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_START});
    else
        asim_issue_first(rank);
}

void asim_world_start_ranks(struct asim_world *world)
{
    for (uint32_t r = 0; r < world->set.n_ranks; r++)
        if (asim_rank_is_here(&world->run.ranks[r]))
            start_rank(&world->run.ranks[r]);
}

/* Also serves a rank that was never opened, whose fields are all 0. */
static void close_rank(struct asim_rank *rank)
{
    asim_feed_close(rank->feed);
    asim_tensors_fini(rank);
    for (struct asim_coll_op *coll = rank->open_head; coll; coll = coll->next)
        free(coll->sizes);
    asim_map_fini(&rank->tick_map);
    asim_map_fini(&rank->sequences);
    asim_map_fini(&rank->inboxes);
    asim_map_fini(&rank->running);
    free(rank->skipped.at);
}

void asim_world_close_ranks(struct asim_world *world)
{
    for (uint32_t r = 0; world->run.ranks && r < world->set.n_ranks; r++)
        close_rank(&world->run.ranks[r]);
    free(world->run.ranks_memory);
}
