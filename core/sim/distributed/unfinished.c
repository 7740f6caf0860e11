/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ops and messages under way when a run has ended, as events behind all others: of a stalled or
 * interrupted run, or messages that no rank waited for.
 */
#include "net/packets.h"
#include "sim/collective/coll_progress.h"
#include "sim/distributed/distribution.h"
#include "sim/rank/event.h"
#include "sim/rank/rank_shard.h"

#include <stdlib.h>

/* Behind all events of the run. */
static const uint64_t after_all = UINT64_MAX - 1;

static void record(struct asim_world *world, const struct asim_event *event)
{
    asim_event_bus_record(&world->run.event_bus, asim_rank_shard_of(world, event->rank)->events,
                          event);
}

/* One list for all hosts; NULL with *n = 0 where there is none. */
static struct asim_unfinished *list_messages(struct asim_world *world, size_t *n)
{
    struct asim_unfinished *list;

    *n = world->via.packets->unfinished(world->via.packet_net, NULL, 0);
    list = *n ? calloc(*n, sizeof *list) : NULL;
    if (*n && !list)
        world->run.event_bus.pending.failed = 1;
    *n = list ? *n : 0;
    if (list)
        world->via.packets->unfinished(world->via.packet_net, list, *n);
    return list;
}

static void record_messages(struct asim_world *world)
{
    size_t n;
    struct asim_unfinished *list = list_messages(world, &n);

    for (size_t i = 0; i < n; i++) {
        struct asim_event event = {
            .t = after_all, .kind = ASIM_EV_MESSAGE_LEFT, .rank = list[i].src};

        event.of.left.start = list[i].start_ns;
        event.of.left.bytes = list[i].bytes;
        event.of.left.ideal = list[i].ideal_ns;
        event.of.left.acked = list[i].acked;
        event.of.left.dst = list[i].dst;
        event.of.left.sport = list[i].sport;
        record(world, &event);
    }
    free(list);
}

ASIM_ORDER(ascending, uint32_t, [0])

/* In the order of the trace. */
static void record_ops(struct asim_world *world, const struct asim_rank *rank)
{
    const struct asim_map *map = &rank->running;
    uint32_t *indices = map->n ? calloc(map->n, sizeof *indices) : NULL;
    size_t n = 0;

    if (map->n && !indices)
        world->run.event_bus.pending.failed = 1;
    for (size_t i = 0; indices && i < map->cap; i++)
        if (map->used[i])
            indices[n++] = (uint32_t)map->slots[i].lo;
    if (n)
        qsort(indices, n, sizeof *indices, ascending);
    for (size_t i = 0; i < n; i++) {
        struct asim_event event = {.t = after_all, .kind = ASIM_EV_OP_LEFT, .rank = rank->id};

        event.of.op.index = indices[i];
        event.of.op.bytes = asim_coll_bytes_done(rank, indices[i]);
        record(world, &event);
    }
    free(indices);
}

void asim_record_unfinished(struct asim_world *world)
{
    unsigned wants = world->run.event_bus.wants;

    for (uint32_t r = 0; wants & 1u << ASIM_EV_OP_LEFT && r < world->set.n_ranks; r++)
        if (asim_rank_is_here(&world->run.ranks[r]) && !world->run.ranks[r].finished)
            record_ops(world, &world->run.ranks[r]);
    if (asim_world_has(world, ASIM_NET_STALLS) && wants & 1u << ASIM_EV_MESSAGE_LEFT)
        record_messages(world);
}
