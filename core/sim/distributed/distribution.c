/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Divides nodes among processes and fills the buffers of a window. results.c packs the end of a
 * run. Each thread of a process has a part of its own, since a part that suits a process suits a
 * thread; threads need no buffers.
 *
 * The memory of a process follows its own ranks, plus four bytes a node (its part) and untouched
 * pages for ranks of other processes.
 */
#include "asim/asim.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/distributed/state.h"
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
           ((settings->borrowed_cores && world->set.topo.switches == 1) || settings->exact_events);
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
    ASIM_FREE(dist->groups.at, dist->open.at);
    asim_partition_fini(&dist->part);
    asim_map_fini(&dist->joined);
    ASIM_FREE(dist->thread, dist->events.at, dist->buffer.at, dist->links, dist->hosts,
              dist->pauses.at, dist->traffic, dist);
    world->dist = NULL;
}

int asim_is_distributed(const struct asim_world *world)
{
    return world->dist && world->dist->n > 1;
}

const uint32_t *asim_distribution_nodes(const struct asim_world *world)
{
    return asim_is_distributed(world) ? world->dist->part.of : NULL;
}

const uint32_t *asim_distribution_threads(const struct asim_world *world)
{
    return world->dist ? world->dist->thread : NULL;
}

int asim_distribution_reports(const struct asim_world *world)
{
    return !world->dist || !world->dist->self;
}

void asim_distribution_end(struct asim_world *world, int verdict)
{
    world->dist->keeps = !verdict || verdict == ASIM_ESTALL || verdict == ASIM_EINTR;
}

int asim_distribution_keeps(const struct asim_world *world)
{
    return asim_distribution_reports(world) ? !world->run.failed : world->dist->keeps;
}

int asim_distribution_has(const struct asim_world *world, uint32_t node)
{
    return !world->dist || world->dist->part.of[node] == world->dist->self;
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
