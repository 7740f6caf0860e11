/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Divides nodes among processes, fills the buffers of a window, and adds up sums over processes.
 * results.c packs the end of a run. Each thread of a process has a part of its own, since a part
 * that suits a process suits a thread; threads need no buffers.
 *
 * The memory of a process follows its own ranks, plus four bytes a node (its part) and untouched
 * pages for ranks of other processes.
 */
#include "sim/collective/coll_progress.h"
#include "sim/collective/uniform_phase.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>

/* A network that has too few parts for all threads may still have enough for all processes: then
 * each process runs on one thread. */
static int partition_processes_only(struct asim_distribution *dist, const struct asim_topo *topo,
                                    uint32_t threads, struct asim_err *err)
{
    int code;

    asim_partition_fini(&dist->part);
    code = asim_partition_make(&dist->part, topo, dist->n, 0, err);
    for (uint32_t v = 0; !code && v < topo->nodes; v++)
        dist->thread[v] = dist->part.of[v] * threads;
    return code;
}

/* One part for each thread of each process; neighbouring parts make a process. */
static int partition(struct asim_distribution *dist, const struct asim_topo *topo, uint32_t threads,
                     struct asim_err *err)
{
    struct asim_partition parts;
    int code = asim_partition_make(&parts, topo, dist->n * threads, 0, err);

    if (!code)
        code = asim_partition_merge(&dist->part, &parts, topo, threads, err);
    dist->thread = parts.of; /* part p is thread p modulo `threads` of process p / threads */
    parts.of = NULL;
    asim_partition_fini(&parts);
    if (!code && threads > 1 && asim_partition_used(&dist->part) < dist->n)
        code = partition_processes_only(dist, topo, threads, err);
    return code;
}

/* Process 0 simulates the whole network, and the other processes simulate nothing. */
static int assign_all_to_process_0(struct asim_distribution *dist, const struct asim_topo *topo,
                                   struct asim_err *err)
{
    dist->part.of = calloc((size_t)topo->nodes + 1, sizeof *dist->part.of);
    return dist->part.of ? 0 : asim_err_nomem(err, "dividing the network among processes");
}

/* A partition of one switch cuts the switch off from its hosts, and then every frame crosses. */
int asim_world_is_unpartitioned(const struct asim_world *world)
{
    const struct asim_settings *settings = &world->set.settings;

    return settings->processes > 1 &&
           ((settings->borrowed_cores && world->set.topo.switches == 1) ||
            (settings->exact_events && world->set.topo.hosts <= ASIM_EXACT_HOSTS));
}

/* Every process computes the same partition from the topology alone, so processes need not tell
 * each other which nodes they own. */
int asim_distribution_open(struct asim_world *world, const struct asim_settings *settings,
                           struct asim_err *err)
{
    struct asim_distribution *dist;

    if (settings->processes < 2)
        return 0;
    if (settings->processes > world->set.topo.hosts)
        return asim_err_set(err, ASIM_EINVAL,
                            "%u processes for a network of %u hosts: each process simulates at "
                            "least one host; start at most %u.",
                            settings->processes, world->set.topo.hosts, world->set.topo.hosts);
    dist = world->dist = calloc(1, sizeof *dist);
    if (!dist)
        return asim_err_nomem(err, "dividing the network among processes");
    asim_map_init(&dist->joined);
    dist->self = settings->process;
    dist->n = settings->processes;
    if (!asim_world_is_unpartitioned(world))
        return partition(dist, &world->set.topo, settings->threads ? settings->threads : 1, err);
    if (!dist->self) /* the other processes take no part, so the run is not distributed */
        dist->n = 1;
    return assign_all_to_process_0(dist, &world->set.topo, err);
}

/* Processes wait for each other after every window: the length of a window and the largest part
 * tell how well the run can scale. */
static void diagnose_parts(const struct asim_world *world)
{
    asim_world_diagnose(
        world,
        "%u processes with windows of %llu ns; the largest has %.2f times its share of the network",
        world->dist->n, (unsigned long long)world->dist->lag_ns,
        asim_partition_balance(&world->dist->part));
}

int asim_distribution_connect(struct asim_world *world, struct asim_err *err)
{
    struct asim_distribution *dist = world->dist;
    int code;

    if (!asim_is_distributed(world) || asim_world_is_unpartitioned(world))
        return 0;
    if (world->run.memory_servers)
        return asim_err_set(err, ASIM_EINVAL,
                            "the remote memory is shared between ranks, which couples them "
                            "without delay; %u processes cannot do that, run this on one.",
                            dist->n);
    if ((code = world->via.packets->join(world->via.packet_net, &dist->part, dist->self, err)))
        return code;
    dist->lag_ns = world->via.packets->common_lookahead(world->via.packet_net);
    diagnose_parts(world);
    return 0;
}

/* Frees the results of other processes, too: the reports have been written. */
void asim_distribution_close(struct asim_world *world)
{
    struct asim_distribution *dist = world->dist;

    if (!dist)
        return;
    for (size_t g = 0; g < dist->groups.n; g++)
        free(dist->groups.at[g].ranks);
    free(dist->groups.at);
    free(dist->open.at);
    asim_partition_fini(&dist->part);
    asim_map_fini(&dist->joined);
    free(dist->thread);
    free(dist->events.at);
    free(dist->buffer.at);
    free(dist->links);
    free(dist->hosts);
    free(dist->pauses.at);
    free(dist->traffic);
    free(dist);
    world->dist = NULL;
}

int asim_distribution_has(const struct asim_world *world, uint32_t node)
{
    return !world->dist || world->dist->part.of[node] == world->dist->self;
}

/* --- sums over ranks and processes
 * ---------------------------------------------------------------- */

/* Rounds that took no time are left out (ops/issue.c). */
static uint64_t ops_done(const struct asim_rank *rank)
{
    uint64_t total = asim_feed_total(rank->feed);

    return rank->finished ? rank->job->repeat * total
                          : rank->rounds * total + asim_feed_finished(rank->feed);
}

/* Linear in ranks and nodes. Counts messages at their sources where the network does not count
 * them. */
void asim_totals_here(const struct asim_world *world, struct asim_totals *totals)
{
    *totals = (struct asim_totals){.ranks_done = world->run.ranks_done,
                                   .stopped = world->run.stopped != 0,
                                   .ops_total = world->set.ops_total,
                                   .bytes_total = world->set.bytes_total,
                                   .census = world->set.census,
                                   .settled_ns = world->run.settled_ns};
    if (asim_world_has(world, ASIM_NET_FRAMES))
        world->via.packets->stats(world->via.packet_net, &totals->net);
    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        const struct asim_rank *rank = &world->run.ranks[r];

        if (!asim_rank_is_here(rank))
            continue;
        totals->ranks_cut += rank->is_cut != 0;
        totals->ops_done += ops_done(rank);
        totals->bytes_done += rank->bytes_done + asim_coll_bytes_under_way(rank);
        totals->messages += asim_world_has(world, ASIM_NET_FRAMES)
                                ? 0
                                : rank->sent - asim_uniform_phase_unsent(rank);
        totals->dropped += asim_feed_unresolved(rank->feed);
        totals->alone += rank->alone;
        if (rank->alone && !totals->alone_rank) {
            totals->alone_rank = r + 1;
            totals->alone_op = rank->alone_op;
        }
        if (!asim_feed_total(rank->feed) && !totals->idle++)
            totals->first_idle = r + 1;
        if (rank->finished && rank->cycles > totals->last_ns)
            totals->last_ns = rank->cycles;
    }
    totals->messages += totals->net.messages;
}

/* Every frame and mark counts in one process only: the process of its sender or switch. */
static void add_net(struct asim_fabric_stats *into, const struct asim_fabric_stats *from)
{
#define ADD(NAME) (into->NAME += from->NAME)
    ASIM_FABRIC_SUMS(ADD);
#undef ADD
    into->last_ns = from->last_ns > into->last_ns ? from->last_ns : into->last_ns;
}

/* Takes the latest of two times. */
void asim_totals_add(struct asim_totals *into, const struct asim_totals *from)
{
    into->ranks_done += from->ranks_done;
    into->ranks_cut += from->ranks_cut;
    into->stopped |= from->stopped;
    into->ops_done += from->ops_done;
    into->ops_total += from->ops_total;
    into->bytes_total += from->bytes_total;
    into->bytes_done += from->bytes_done;
    into->messages += from->messages;
    into->dropped += from->dropped;
    asim_census_add(&into->census, &from->census);
    into->alone += from->alone;
    if (from->alone_rank && (!into->alone_rank || from->alone_rank < into->alone_rank)) {
        into->alone_rank = from->alone_rank;
        into->alone_op = from->alone_op;
    }
    into->idle += from->idle;
    if (!into->first_idle || (from->first_idle && from->first_idle < into->first_idle))
        into->first_idle = from->first_idle;
    into->last_ns = from->last_ns > into->last_ns ? from->last_ns : into->last_ns;
    into->settled_ns = from->settled_ns > into->settled_ns ? from->settled_ns : into->settled_ns;
    add_net(&into->net, &from->net);
}

/* During the run only the totals of this process are known. */
void asim_totals_all(const struct asim_world *world, struct asim_totals *totals)
{
    asim_totals_here(world, totals);
    if (world->dist)
        asim_totals_add(totals, &world->dist->others);
}

/* --- while it runs -----------------------------------------------------------------------------
 */

/* Process 0 delays delivery by one window: the events of other processes up to the end of the last
 * window, and of the start of the run, come with the exchange in between. The other processes only
 * pack their events. */
void asim_distribution_settle(struct asim_world *world, uint64_t until)
{
    struct asim_distribution *dist = world->dist;
    uint64_t sure = until;

    if (asim_distribution_reports(world)) {
        if (dist && dist->n > 1) {
            sure = until > dist->lag_ns ? until - dist->lag_ns : 0;
            sure = sure < dist->last_ns ? sure : dist->last_ns;
            dist->last_ns = until;
        }
        asim_event_bus_deliver(&world->run.event_bus, world, sure);
    } else if (asim_events_pack(world, &dist->events)) {
        world->run.event_bus.pending.failed = 1;
    }
}

/* The network's buffer with its length, then the events. Empty where both are empty. */
static int join(struct asim_distribution *dist, uint32_t peer, const struct asim_buffer *network)
{
    uint64_t n = network->n;

    dist->buffer.n = 0;
    if (network->n || (!peer && dist->events.n)) {
        ASIM_SERIALIZE(&dist->buffer, n);
        asim_serialize_bytes(&dist->buffer, network->at, network->n);
    }
    if (!peer && dist->events.n) {
        asim_serialize_bytes(&dist->buffer, dist->events.at, dist->events.n);
        dist->events.n = 0;
    }
    return dist->buffer.failed ? ASIM_ENOMEM : 0;
}

/* Between windows, once for every other process, even where the buffer is empty. */
int asim_world_pack(struct asim_world *world, uint32_t peer, struct asim_buffer *buffer,
                    struct asim_err *err)
{
    struct asim_distribution *dist = world->dist;
    struct asim_buffer network = {0};

    asim_rank_shards_gather(world); /* events of the start may not be pending yet */
    if (!peer && asim_events_pack(world, &dist->events))
        return asim_err_nomem(err, "telling another process");
    if (asim_world_has(world, ASIM_NET_PROCESSES) &&
        world->via.packets->pack(world->via.packet_net, peer, &network, err))
        return ASIM_EINVAL;
    if (join(dist, peer, &network))
        return asim_err_nomem(err, "telling another process");
    *buffer = (struct asim_buffer){dist->buffer.at, dist->buffer.n};
    return 0;
}

/* Makes the events pending; the bus orders them, so the order of buffers does not matter. */
int asim_world_unpack(struct asim_world *world, const struct asim_buffer *buffer,
                      struct asim_err *err)
{
    struct asim_deserializer from = {buffer->at, buffer->at + buffer->n, 0};
    struct asim_buffer network;
    uint64_t n;
    int code;

    ASIM_DESERIALIZE(&from, n);
    network.at = asim_deserialize_bytes(&from, n);
    network.n = n;
    if (from.failed)
        return asim_err_set(err, ASIM_EBUG, "a buffer of another process is cut short");
    if (n && world->via.packets->unpack(world->via.packet_net, &network, err))
        return ASIM_EINVAL;
    code = asim_events_unpack(world, &from);
    if (code == ASIM_EBUG)
        return asim_err_set(err, code, "a buffer of another process is cut short");
    return code ? asim_err_nomem(err, "keeping events of other processes") : 0;
}

/* Call it after asim_world_is_stopped, which gathers the shards. */
int asim_world_is_over(struct asim_world *world)
{
    return world->run.ranks_done == world->set.n_here &&
           (!asim_world_has(world, ASIM_NET_PROCESSES) ||
            world->via.packets->is_quiet(world->via.packet_net));
}

/* The only place that asks the stop hook. A stop is final. */
int asim_world_is_stopped(struct asim_world *world)
{
    if (!world->run.stopped && world->hooks.stop && world->hooks.stop(world->hooks.self))
        world->run.stopped = 1;
    asim_rank_shards_gather(world);
    return world->run.failed || world->run.stopped;
}
