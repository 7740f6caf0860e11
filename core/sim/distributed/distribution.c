/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See distribution.h. Who owns what, the buffers of a window, and what is summed over processes;
 * what is packed at the end is in results.c. Threads of one process are dealt with the same knife,
 * since a part that is good for a process is good for a thread; they need no buffers.
 *
 * Memory of a process follows its own ranks, but for four bytes a node (its part) and, where no
 * page of it is touched, the room of a rank that lives elsewhere.
 */
#include "sim/collective/uniform_phase.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>

/* What cannot be cut into a part for every thread may still be one for every process, which then is
 * one thread's. */
static int distribute_processes_only(struct asim_distribution *dist, const struct asim_topo *topo,
                                     uint32_t threads, struct asim_err *err)
{
    int code;

    asim_partition_fini(&dist->part);
    code = asim_partition_make(&dist->part, topo, dist->n, 0, err);
    for (uint32_t v = 0; !code && v < topo->nodes; v++)
        dist->thread[v] = dist->part.of[v] * threads;
    return code;
}

/* Into so many parts as there are threads in all; neighbouring parts make a process. */
static int distribute(struct asim_distribution *dist, const struct asim_topo *topo,
                      uint32_t threads, struct asim_err *err)
{
    struct asim_partition shards;
    int code = asim_partition_make(&shards, topo, dist->n * threads, dist->n == 1, err);

    if (!code)
        code = asim_partition_merge(&dist->part, &shards, topo, threads, err);
    dist->thread = shards.of; /* kept: whose thread each node is */
    shards.of = NULL;
    asim_partition_fini(&shards);
    if (!code && threads > 1 && asim_partition_used(&dist->part) < dist->n)
        code = distribute_processes_only(dist, topo, threads, err);
    return code;
}

/* Nothing of the network is this process's. */
static int own_nothing(struct asim_distribution *dist, const struct asim_topo *topo,
                       struct asim_err *err)
{
    dist->part.of = calloc((size_t)topo->nodes + 1, sizeof *dist->part.of);
    return dist->part.of ? 0 : asim_err_nomem(err, "dividing the network among processes");
}

/* One switch can only be cut off from its hosts, and then every frame crosses. */
int asim_world_is_unpartitioned(const struct asim_world *world)
{
    const struct asim_settings *settings = &world->set.settings;

    return settings->processes > 1 && settings->borrowed_cores && world->set.topo.switches == 1;
}

/* Every process deals alike, from the topology alone, so nobody has to be told who owns what. */
int asim_distribution_open(struct asim_world *world, const struct asim_settings *settings,
                           struct asim_err *err)
{
    struct asim_distribution *dist;
    int unpartitioned = asim_world_is_unpartitioned(world);

    if (settings->processes < 2 && settings->threads < 2)
        return 0;
    if (!asim_settings_has_packets(settings))
        return asim_err_set(err, ASIM_EINVAL,
                            "an analytical network has one clock for all ranks and runs in one "
                            "process, on one thread; leave out --threads and mpiexec");
    if (settings->processes < 2) /* the network divides itself among threads */
        return 0;
    dist = world->dist = calloc(1, sizeof *dist);
    if (!dist)
        return asim_err_nomem(err, "dividing the network among processes");
    asim_map_init(&dist->joined);
    dist->self = settings->process;
    dist->n = settings->processes;
    dist->threads = settings->threads ? settings->threads : 1;
    if (unpartitioned && !dist->self) {
        dist->n = 1;
        dist->threads *= settings->borrowed_cores;
    }
    if (unpartitioned)
        return own_nothing(dist, &world->set.topo, err);
    return distribute(dist, &world->set.topo, dist->threads, err);
}

/* Processes wait for each other after every window: its length and the largest part say what can
 * be hoped for. */
static void diagnose_parts(const struct asim_world *world)
{
    asim_world_diagnose(
        world,
        "%u processes with windows of %llu ns; the largest has %.2f times its share of the network",
        world->dist->n, (unsigned long long)world->dist->lag_ns,
        asim_partition_balance(&world->dist->part));
}

void asim_distribution_diagnose_unpartitioned(const struct asim_world *world, uint32_t threads)
{
    asim_world_diagnose(world,
                        "a network of one switch stays in one process, because every frame would "
                        "cross: the first of %u runs it, threads: %u",
                        world->set.settings.processes, threads);
}

uint32_t asim_distribution_threads(const struct asim_world *world, const uint32_t **of)
{
    const struct asim_distribution *dist = world->dist;

    *of = dist ? dist->thread : NULL;
    if (dist && dist->self && asim_world_is_unpartitioned(world))
        return 1;
    return dist ? dist->threads : world->set.settings.threads;
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
    if ((code = world->via.packets->join(world->via.fabric, &dist->part, dist->self, err)))
        return code;
    dist->lag_ns = world->via.packets->common_lookahead(world->via.fabric);
    diagnose_parts(world);
    return 0;
}

/* What came from others at the end goes, too: reports have been written by now. */
void asim_distribution_close(struct asim_world *world)
{
    struct asim_distribution *dist = world->dist;

    if (!dist)
        return;
    for (size_t g = 0; g < dist->groups.n; g++)
        free(dist->groups.at[g].ranks);
    free(dist->groups.at);
    asim_partition_fini(&dist->part);
    asim_map_fini(&dist->joined);
    free(dist->thread);
    free(dist->events.at);
    free(dist->buffer.at);
    free(dist->links);
    free(dist);
    world->dist = NULL;
}

int asim_distribution_has(const struct asim_world *world, uint32_t node)
{
    return !world->dist || world->dist->part.of[node] == world->dist->self;
}

/* --- what is summed ----------------------------------------------------------------------------
 */

/* Linear in ranks and nodes. Messages count where the network does not, at their sources. */
void asim_totals_here(const struct asim_world *world, struct asim_totals *totals)
{
    *totals = (struct asim_totals){.ranks_done = world->run.ranks_done,
                                   .stopped = world->run.stopped != 0,
                                   .ops_total = world->set.ops_total,
                                   .settled_ns = world->run.settled_ns};
    if (world->via.fabric)
        world->via.packets->stats(world->via.fabric, &totals->net);
    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        const struct asim_rank *rank = &world->run.ranks[r];

        if (!asim_rank_is_here(rank))
            continue;
        totals->ops_done += asim_feed_finished(rank->feed);
        totals->messages += world->via.fabric ? 0 : rank->sent - asim_uniform_phase_unsent(rank);
        totals->dropped += asim_feed_unresolved(rank->feed);
        totals->invalid += asim_feed_invalid(rank->feed);
        totals->no_duration += asim_feed_no_duration(rank->feed);
        if (!asim_feed_total(rank->feed) && !totals->idle++)
            totals->first_idle = r + 1;
        if (rank->finished && rank->cycles > totals->last_ns)
            totals->last_ns = rank->cycles;
    }
    totals->messages += totals->net.messages;
}

/* Each frame and mark was counted in one process only: where its sender or switch lives. */
static void add_net(struct asim_fabric_stats *into, const struct asim_fabric_stats *from)
{
    into->hops += from->hops;
    into->hop_bytes += from->hop_bytes;
    into->messages += from->messages;
    into->drops += from->drops;
    into->marks += from->marks;
    into->pauses += from->pauses;
    into->windows += from->windows;
    into->last_ns = from->last_ns > into->last_ns ? from->last_ns : into->last_ns;
    into->memory_bytes += from->memory_bytes;
    into->data += from->data;
    into->again += from->again;
    into->lost += from->lost;
    into->lost_bytes += from->lost_bytes;
    into->duplicates += from->duplicates;
    into->discarded += from->discarded;
    into->timeouts += from->timeouts;
    into->given_up += from->given_up;
}

/* Times are the latest of all. */
void asim_totals_add(struct asim_totals *into, const struct asim_totals *from)
{
    into->ranks_done += from->ranks_done;
    into->stopped |= from->stopped;
    into->ops_done += from->ops_done;
    into->ops_total += from->ops_total;
    into->messages += from->messages;
    into->dropped += from->dropped;
    into->invalid += from->invalid;
    into->no_duration += from->no_duration;
    into->idle += from->idle;
    if (!into->first_idle || (from->first_idle && from->first_idle < into->first_idle))
        into->first_idle = from->first_idle;
    into->last_ns = from->last_ns > into->last_ns ? from->last_ns : into->last_ns;
    into->settled_ns = from->settled_ns > into->settled_ns ? from->settled_ns : into->settled_ns;
    add_net(&into->net, &from->net);
}

/* While the run is under way nothing is known of the others. */
void asim_totals_all(const struct asim_world *world, struct asim_totals *totals)
{
    asim_totals_here(world, totals);
    if (world->dist)
        asim_totals_add(totals, &world->dist->others);
}

/* --- while it runs -----------------------------------------------------------------------------
 */

/* Process 0 waits for what others may still bring: what they did up to the end of the window before
 * this one, and at the start of the run, comes with the exchange that lies between. The others have
 * no observers that act. */
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

/* The network's buffer first, with its length, then events. Empty where both are. */
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

/* Called between windows, for every other process, whether there is anything or not. */
int asim_world_pack(struct asim_world *world, uint32_t peer, struct asim_buffer *buffer,
                    struct asim_err *err)
{
    struct asim_distribution *dist = world->dist;
    struct asim_buffer network = {0};

    asim_rank_shards_gather(
        world); /* what ranks did at their start may not have been settled yet */
    if (!peer && asim_events_pack(world, &dist->events))
        return asim_err_nomem(err, "telling another process");
    if (world->via.fabric && world->via.packets->pack(world->via.fabric, peer, &network, err))
        return ASIM_EINVAL;
    if (join(dist, peer, &network))
        return asim_err_nomem(err, "telling another process");
    *buffer = (struct asim_buffer){dist->buffer.at, dist->buffer.n};
    return 0;
}

/* Events are pending from here on and shown in their turn; order of buffers does not matter to
 * them.
 */
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
    if (n && world->via.packets->unpack(world->via.fabric, &network, err))
        return ASIM_EINVAL;
    code = asim_events_unpack(world, &from);
    if (code == ASIM_EBUG)
        return asim_err_set(err, code, "a buffer of another process is cut short");
    return code ? asim_err_nomem(err, "keeping events of other processes") : 0;
}

/* Asked after asim_world_is_stopped, which has gathered what the shards know. */
int asim_world_is_over(struct asim_world *world)
{
    return world->run.ranks_done == world->set.n_here &&
           (!world->via.fabric || world->via.packets->is_quiet(world->via.fabric));
}

/* The only place that asks the stop hook; a stop is never taken back. */
int asim_world_is_stopped(struct asim_world *world)
{
    if (!world->run.stopped && world->hooks.stop && world->hooks.stop(world->hooks.self))
        world->run.stopped = 1;
    asim_rank_shards_gather(world);
    return world->run.failed || world->run.stopped;
}
