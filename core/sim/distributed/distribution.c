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
static int deal_coarsely(struct asim_distribution *split, const struct asim_topo *topo,
                         uint32_t threads, struct asim_err *err)
{
    int code;

    asim_partition_fini(&split->part);
    code = asim_partition_make(&split->part, topo, split->n, 0, err);
    for (uint32_t v = 0; !code && v < topo->nodes; v++)
        split->thread[v] = split->part.of[v] * threads;
    return code;
}

/* Into so many parts as there are threads in all; neighbouring parts make a process. */
static int deal(struct asim_distribution *split, const struct asim_topo *topo, uint32_t threads,
                struct asim_err *err)
{
    struct asim_partition lanes;
    int code = asim_partition_make(&lanes, topo, split->n * threads, split->n == 1, err);

    if (!code)
        code = asim_partition_merge(&split->part, &lanes, topo, threads, err);
    split->thread = lanes.of; /* kept: whose thread each node is */
    lanes.of = NULL;
    asim_partition_fini(&lanes);
    if (!code && threads > 1 && asim_partition_used(&split->part) < split->n)
        code = deal_coarsely(split, topo, threads, err);
    return code;
}

/* Nothing of the network is this process's. */
static int deal_nothing(struct asim_distribution *split, const struct asim_topo *topo,
                        struct asim_err *err)
{
    split->part.of = calloc((size_t)topo->nodes + 1, sizeof *split->part.of);
    return split->part.of ? 0 : asim_err_nomem(err, "dividing the network among processes");
}

/* One switch can only be cut off from its hosts, and then every frame crosses. */
int asim_world_is_whole(const struct asim_world *world)
{
    const struct asim_settings *settings = &world->settings;

    return settings->processes > 1 && settings->lent && world->topo.switches == 1;
}

/* Every process deals alike, from the topology alone, so nobody has to be told who owns what. */
int asim_distribution_open(struct asim_world *world, const struct asim_settings *settings,
                           struct asim_err *err)
{
    struct asim_distribution *split;
    int whole = asim_world_is_whole(world);

    if (settings->processes < 2 && settings->threads < 2)
        return 0;
    if (!asim_settings_has_packets(settings))
        return asim_err_set(err, ASIM_EINVAL,
                            "an analytical network has one clock for all ranks and runs in one "
                            "process, on one thread; leave out --threads and mpiexec");
    split = world->split = calloc(1, sizeof *split);
    if (!split)
        return asim_err_nomem(err, "dividing the network among processes");
    asim_map_init(&split->joined);
    split->self = settings->process;
    split->n = settings->processes ? settings->processes : 1;
    split->threads = settings->threads ? settings->threads : 1;
    if (whole && split->self)
        return deal_nothing(split, &world->topo, err);
    if (whole) {
        split->n = 1;
        split->threads *= settings->lent;
    }
    return deal(split, &world->topo, split->threads, err);
}

/* Processes wait for each other after every window: its length and the largest part say what can
 * be hoped for. */
static void say_parts(const struct asim_world *world)
{
    asim_world_diagnose(
        world,
        "%u processes with windows of %llu ns; the largest has %.2f times its share of the network",
        world->split->n, (unsigned long long)world->split->lag_ns,
        asim_partition_balance(&world->split->part));
}

static void say_whole(const struct asim_world *world, uint32_t threads)
{
    asim_world_diagnose(world,
                        "a network of one switch stays in one process, because every frame would "
                        "cross: the first of %u runs it, threads: %u",
                        world->settings.processes, threads);
}

/* Without windows there is nothing to do side by side. */
static void say_alone(const struct asim_world *world)
{
    asim_world_diagnose(world,
                        "the packet network runs frame by frame, so --threads has no effect");
}

/* Before the first event: who has been told to wake on one lane must not wake on another. */
int asim_distribution_connect(struct asim_world *world, struct asim_err *err)
{
    struct asim_distribution *split = world->split;
    const uint16_t *of;
    uint32_t n;
    int code, whole = asim_world_is_whole(world);

    if (!split || (whole && split->self))
        return 0;
    if (split->n > 1) {
        if (world->banks)
            return asim_err_set(err, ASIM_EINVAL,
                                "the remote memory is shared between ranks, which couples them "
                                "without delay; %u processes cannot do that, run this on one.",
                                split->n);
        if ((code = world->packets->join(world->fabric, &split->part, split->self, err)))
            return code;
        split->lag_ns = world->packets->common_lookahead(world->fabric);
        say_parts(world);
    }
    if ((code = world->packets->use_threads(world->fabric, split->threads, split->thread, err)))
        return code;
    of = world->packets->worker_of(world->fabric, &n);
    if (whole)
        say_whole(world, n);
    if (world->settings.threads > 1 && n == 1)
        say_alone(world);
    return asim_rank_shards_open(world, n, of) ? asim_err_nomem(err, "setting up ranks") : 0;
}

/* What came from others at the end goes, too: reports have been written by now. */
void asim_distribution_close(struct asim_world *world)
{
    struct asim_distribution *split = world->split;

    if (!split)
        return;
    for (size_t g = 0; g < split->groups.n; g++)
        free(split->groups.at[g].ranks);
    free(split->groups.at);
    asim_partition_fini(&split->part);
    asim_map_fini(&split->joined);
    free(split->thread);
    free(split->events.at);
    free(split->buffer.at);
    free(split->links);
    free(split);
    world->split = NULL;
}

int asim_distribution_has(const struct asim_world *world, uint32_t node)
{
    return !world->split || world->split->part.of[node] == world->split->self;
}

/* --- what is summed ----------------------------------------------------------------------------
 */

/* Linear in ranks and nodes. Messages count where the network does not, at their sources. */
void asim_totals_here(const struct asim_world *world, struct asim_totals *totals)
{
    *totals = (struct asim_totals){.ranks_done = world->ranks_done,
                                   .stopped = world->stopped != 0,
                                   .ops_total = world->ops_total,
                                   .settled_ns = world->settled_ns};
    if (world->fabric)
        world->packets->stats(world->fabric, &totals->net);
    for (uint32_t r = 0; r < world->n_ranks; r++) {
        const struct asim_rank *rank = &world->ranks[r];

        if (!asim_rank_is_here(rank))
            continue;
        totals->ops_done += asim_feed_finished(rank->feed);
        totals->messages += world->fabric ? 0 : rank->sent - asim_uniform_phase_unsent(rank);
        totals->dropped += asim_feed_unresolved(rank->feed);
        totals->invalid += asim_feed_invalid(rank->feed);
        totals->untimed += asim_feed_no_duration(rank->feed);
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
    into->untimed += from->untimed;
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
    if (world->split)
        asim_totals_add(totals, &world->split->others);
}

/* --- while it runs -----------------------------------------------------------------------------
 */

/* Process 0 waits for what others may still bring: what they did up to the end of the window before
 * this one, and at the start of the run, comes with the exchange that lies between. The others have
 * no viewers that act. */
void asim_distribution_settle(struct asim_world *world, uint64_t until)
{
    struct asim_distribution *split = world->split;
    uint64_t sure = until;

    if (asim_distribution_reports(world)) {
        if (split && split->n > 1) {
            sure = until > split->lag_ns ? until - split->lag_ns : 0;
            sure = sure < split->last_ns ? sure : split->last_ns;
            split->last_ns = until;
        }
        asim_event_bus_deliver(&world->show, world, sure);
    } else if (asim_events_pack(world, &split->events)) {
        world->show.pending.failed = 1;
    }
}

/* The network's buffer first, with its length, then events. Empty where both are. */
static int join(struct asim_distribution *split, uint32_t peer, const struct asim_buffer *network)
{
    uint64_t n = network->n;

    split->buffer.n = 0;
    if (network->n || (!peer && split->events.n)) {
        ASIM_SERIALIZE(&split->buffer, n);
        asim_serialize_bytes(&split->buffer, network->at, network->n);
    }
    if (!peer && split->events.n) {
        asim_serialize_bytes(&split->buffer, split->events.at, split->events.n);
        split->events.n = 0;
    }
    return split->buffer.failed ? ASIM_ENOMEM : 0;
}

/* Called between windows, for every other process, whether there is anything or not. */
int asim_world_pack(struct asim_world *world, uint32_t peer, struct asim_buffer *buffer,
                    struct asim_err *err)
{
    struct asim_distribution *split = world->split;
    struct asim_buffer network = {0};

    asim_rank_shards_gather(
        world); /* what ranks did at their start may not have been settled yet */
    if (!peer && asim_events_pack(world, &split->events))
        return asim_err_nomem(err, "telling another process");
    if (world->fabric && world->packets->pack(world->fabric, peer, &network, err))
        return ASIM_EINVAL;
    if (join(split, peer, &network))
        return asim_err_nomem(err, "telling another process");
    *buffer = (struct asim_buffer){split->buffer.at, split->buffer.n};
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
    if (n && world->packets->unpack(world->fabric, &network, err))
        return ASIM_EINVAL;
    code = asim_events_unpack(world, &from);
    if (code == ASIM_EBUG)
        return asim_err_set(err, code, "a buffer of another process is cut short");
    return code ? asim_err_nomem(err, "keeping events of other processes") : 0;
}

/* Asked after asim_world_is_stopped, which has gathered what the lanes know. */
int asim_world_is_over(struct asim_world *world)
{
    return world->ranks_done == world->n_here &&
           (!world->fabric || world->packets->is_quiet(world->fabric));
}

/* The only place that asks the stop hook; a stop is never taken back. */
int asim_world_is_stopped(struct asim_world *world)
{
    if (!world->stopped && world->hooks.stop && world->hooks.stop(world->hooks.self))
        world->stopped = 1;
    asim_rank_shards_gather(world);
    return world->failed || world->stopped;
}
