/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The end of a run in several processes: each process packs its results, and process 0 merges them.
 * Linear in ranks and their waits, and in links and hosts where links.csv and hosts.csv are
 * written.
 *
 * The failure of the run is the earliest in (time, rank) of all processes. A failure outside the
 * ranks (of the network, or out of memory) counts at the last time of its process.
 */
#include "asim/packet.h"
#include "net/net_traffic.h"
#include "sim/distributed/state.h"
#include "sim/rank/rank_shard.h"

#include <stdlib.h>

/* --- packing ----------------------------------------------------------------------------------
 */

/* The number of collectives that each rank has joined, so that process 0 can name absent members.
 */
static void pack_joined(const struct asim_world *world, struct asim_serializer *into)
{
    const uint32_t none = UINT32_MAX;

    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        const struct asim_map *map = &world->run.ranks[r].sequences;

        for (size_t i = 0; asim_rank_is_here(&world->run.ranks[r]) && i < map->cap; i++) {
            if (!map->used[i] || map->slots[i].hi != 1)
                continue;
            ASIM_SERIALIZE(into, r);
            ASIM_SERIALIZE(into, map->slots[i].lo);
            ASIM_SERIALIZE(into, map->slots[i].value);
        }
    }
    ASIM_SERIALIZE(into, none);
}

/* Open collectives, since a row of one process may compare its size with a rank of another. */
static void pack_open(const struct asim_world *world, struct asim_serializer *into)
{
    struct asim_open_coll open = {.rank = UINT32_MAX};

    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        const struct asim_rank *rank = &world->run.ranks[r];
        const struct asim_coll_op *coll = asim_rank_is_here(rank) ? rank->open_head : NULL;

        for (; coll; coll = coll->next) {
            memset(&open, 0, sizeof open);
            open.group = asim_group_key(coll->group);
            open.sequence = coll->sequence;
            open.bytes = asim_stall_coll_bytes(coll);
            open.rank = r;
            ASIM_SERIALIZE(into, open);
        }
    }
    open.rank = UINT32_MAX;
    ASIM_SERIALIZE(into, open);
}

/* The member lists follow the rows: process 0 may not know a group, which a METADATA op can define
 * during the run. */
static void pack_stall(const struct asim_world *world, struct asim_serializer *into)
{
    struct asim_stall stall;

    asim_stall_collect(world, &stall);
    ASIM_SERIALIZE(into, stall);
    for (uint32_t i = 0; i < stall.n_rows; i++) {
        const struct asim_group *listed = stall.rows[i].listed;

        if (!listed)
            continue;
        ASIM_SERIALIZE(into, listed->n);
        asim_serialize_bytes(into, listed->ranks, listed->n * sizeof *listed->ranks);
    }
}

/* Waits for pauses, so that process 0 finds a circle through several processes. A process without
 * memory for them sends none. */
static void pack_pauses(const struct asim_world *world, struct asim_serializer *into)
{
    struct asim_pause_waits waits = {0};

    if (asim_world_has(world, ASIM_NET_PAUSES))
        (void)world->via.packets->pause_waits(world->via.packet_net, &waits);
    ASIM_SERIALIZE(into, waits.n);
    asim_serialize_bytes(into, waits.at, waits.n * sizeof *waits.at);
    free(waits.at);
}

/* Links that begin at nodes of this process, because the sender counts. Only where an observer
 * wants them. */
static void pack_links(const struct asim_world *world, struct asim_serializer *into)
{
    const uint32_t none = UINT32_MAX;
    struct asim_link_use use;

    for (uint32_t wire = 0; asim_world_has(world, ASIM_NET_LINKS) &&
                            asim_event_bus_wants(&world->run.event_bus, ASIM_EV_LINKS) &&
                            wire < world->set.topo.n_links * 2;
         wire++) {
        const struct asim_link *link = &world->set.topo.links[wire / 2];

        if (!asim_distribution_has(world, wire % 2 ? link->b : link->a))
            continue;
        world->via.packets->link_use(world->via.packet_net, wire, &use);
        ASIM_SERIALIZE(into, wire);
        ASIM_SERIALIZE(into, use);
    }
    ASIM_SERIALIZE(into, none);
}

/* Hosts of this process, where an observer wants them. */
static void pack_hosts(const struct asim_world *world, struct asim_serializer *into)
{
    const uint32_t none = UINT32_MAX;
    struct asim_host_use use;

    for (uint32_t host = 0;
         asim_world_has(world, ASIM_NET_HOSTS) &&
         asim_event_bus_wants(&world->run.event_bus, ASIM_EV_HOSTS) && host < world->set.topo.hosts;
         host++) {
        if (!asim_distribution_has(world, host))
            continue;
        world->via.packets->host_use(world->via.packet_net, host, &use);
        ASIM_SERIALIZE(into, host);
        ASIM_SERIALIZE(into, use);
    }
    ASIM_SERIALIZE(into, none);
}

static uint32_t generators(const struct asim_world *world)
{
    return asim_world_has(world, ASIM_NET_BACKGROUND) ? world->set.n_generators : 0;
}

/* What the hosts of this process have done for each generator of background traffic. */
static void pack_traffic(const struct asim_world *world, struct asim_serializer *into)
{
    struct asim_traffic_use use;

    for (uint32_t i = 0; i < generators(world); i++) {
        world->via.packets->traffic_use(world->via.packet_net, i, &use);
        ASIM_SERIALIZE(into, use);
    }
}

/* Events come last, since they extend to the end of the buffer: first the events packed for the
 * next window, then the pending ones before the failure. */
int asim_world_pack_end(struct asim_world *world, const struct asim_err *run,
                        struct asim_buffer *buffer, struct asim_err *err)
{
    struct asim_serializer *into = &world->dist->buffer;
    struct asim_totals totals;

    asim_record_unfinished(world);
    asim_world_finish_failures(world, run);
    into->n = 0;
    asim_totals_here(world, &totals);
    ASIM_SERIALIZE(into, totals);
    ASIM_SERIALIZE(into, world->run.failure);
    pack_joined(world, into);
    pack_open(world, into);
    pack_stall(world, into);
    pack_pauses(world, into);
    pack_links(world, into);
    pack_hosts(world, into);
    pack_traffic(world, into);
    asim_serialize_bytes(into, world->dist->events.at, world->dist->events.n);
    if (asim_events_pack(world, into) || into->failed)
        return asim_err_nomem(err, "telling another process");
    *buffer = (struct asim_buffer){into->at, into->n};
    return 0;
}

/* --- unpacking --------------------------------------------------------------------------------
 */

/* Reads up to rank UINT32_MAX. These are counts; the rows of waiting ranks describe the
 * collectives. */
static int unpack_joined(struct asim_distribution *dist, struct asim_deserializer *from)
{
    uint64_t group, n, *slot;
    uint32_t rank;

    for (;;) {
        ASIM_DESERIALIZE(from, rank);
        if (rank == UINT32_MAX || from->failed)
            return 0;
        ASIM_DESERIALIZE(from, group);
        ASIM_DESERIALIZE(from, n);
        slot = asim_map_put(&dist->joined, rank, group);
        if (!slot)
            return ASIM_ENOMEM;
        *slot = n;
    }
}

static int unpack_open(struct asim_distribution *dist, struct asim_deserializer *from)
{
    struct asim_open_coll open;

    for (;;) {
        ASIM_DESERIALIZE(from, open);
        if (open.rank == UINT32_MAX || from->failed)
            return 0;
        if (ASIM_VEC_PUSH(dist->open, open))
            return ASIM_ENOMEM;
    }
}

/* Copies the list; the pointer in the row is another process's. */
static int unpack_listed(struct asim_distribution *dist, struct asim_stall_row *row,
                         struct asim_deserializer *from)
{
    struct asim_group group = {0};
    const void *ranks;

    ASIM_DESERIALIZE(from, group.n);
    ranks = asim_deserialize_bytes(from, group.n * sizeof *group.ranks);
    group.ranks = ranks ? malloc((group.n + 1) * sizeof *group.ranks) : NULL;
    if (!group.ranks || ASIM_VEC_PUSH(dist->groups, group)) {
        free(group.ranks);
        return ASIM_ENOMEM;
    }
    memcpy(group.ranks, ranks, group.n * sizeof *group.ranks);
    row->listed = &dist->groups.at[dist->groups.n - 1];
    return 0;
}

static int unpack_stall(struct asim_distribution *dist, struct asim_deserializer *from)
{
    struct asim_stall stall;

    ASIM_DESERIALIZE(from, stall);
    /* Rows point into groups, so it must not move: makes room for a row of each process. */
    if (ASIM_VEC_RESERVE(dist->groups, (size_t)dist->n * ASIM_STALL_RANKS))
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < stall.n_rows; i++)
        if (stall.rows[i].listed && unpack_listed(dist, &stall.rows[i], from))
            return ASIM_ENOMEM;
    asim_stall_merge(&dist->stall, &stall);
    return 0;
}

static int unpack_pauses(struct asim_distribution *dist, struct asim_deserializer *from)
{
    struct asim_pause_waits *waits = &dist->pauses;
    const void *rows;
    size_t n;

    ASIM_DESERIALIZE(from, n);
    rows = asim_deserialize_bytes(from, n * sizeof *waits->at);
    if (!n || from->failed)
        return 0;
    if (asim_grow(&waits->at, &waits->cap, waits->n + n, sizeof *waits->at))
        return ASIM_ENOMEM;
    memcpy(waits->at + waits->n, rows, n * sizeof *waits->at);
    waits->n += n;
    return 0;
}

/* A link without a row keeps `to` = UINT32_MAX. */
static int unpack_links(struct asim_world *world, struct asim_deserializer *from)
{
    struct asim_distribution *dist = world->dist;
    uint32_t wire;

    for (;;) {
        ASIM_DESERIALIZE(from, wire);
        if (wire >= world->set.topo.n_links * 2 || from->failed)
            return 0;
        if (!dist->links) {
            dist->links = malloc((world->set.topo.n_links * 2 + 1) * sizeof *dist->links);
            if (!dist->links)
                return ASIM_ENOMEM;
            for (size_t i = 0; i < world->set.topo.n_links * 2; i++)
                dist->links[i].to = UINT32_MAX;
        }
        ASIM_DESERIALIZE(from, dist->links[wire]);
    }
}

static int unpack_hosts(struct asim_world *world, struct asim_deserializer *from)
{
    struct asim_distribution *dist = world->dist;
    uint32_t host;

    for (;;) {
        ASIM_DESERIALIZE(from, host);
        if (host >= world->set.topo.hosts || from->failed)
            return 0;
        if (!dist->hosts)
            dist->hosts = calloc(world->set.topo.hosts, sizeof *dist->hosts);
        if (!dist->hosts)
            return ASIM_ENOMEM;
        ASIM_DESERIALIZE(from, dist->hosts[host]);
    }
}

static int unpack_traffic(struct asim_world *world, struct asim_deserializer *from)
{
    struct asim_distribution *dist = world->dist;
    uint32_t n = generators(world);
    struct asim_traffic_use use;

    if (n && !dist->traffic)
        dist->traffic = calloc(n, sizeof *dist->traffic);
    if (n && !dist->traffic)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        ASIM_DESERIALIZE(from, use);
        if (from->failed)
            return 0;
        asim_traffic_use_add(&dist->traffic[i], &use);
    }
    return 0;
}

/* Once for each other process; the order of calls does not matter. */
int asim_world_unpack_end(struct asim_world *world, const struct asim_buffer *buffer,
                          struct asim_err *err)
{
    struct asim_deserializer from = {buffer->at, buffer->at + buffer->n, 0};
    struct asim_failure failure;
    struct asim_totals totals;
    int code;

    ASIM_DESERIALIZE(&from, totals);
    ASIM_DESERIALIZE(&from, failure);
    asim_totals_add(&world->dist->others, &totals);
    asim_failure_merge(&world->run.failure, &failure);
    world->run.failed |= failure.err.code != 0;
    world->run.stopped |= (int)totals.stopped;
    code = unpack_joined(world->dist, &from);
    code = code ? code : unpack_open(world->dist, &from);
    code = code ? code : unpack_stall(world->dist, &from);
    code = code ? code : unpack_pauses(world->dist, &from);
    code = code ? code : unpack_links(world, &from);
    code = code ? code : unpack_hosts(world, &from);
    code = code ? code : unpack_traffic(world, &from);
    code = code ? code : asim_events_unpack(world, &from);
    if (code == ASIM_ENOMEM)
        return asim_err_nomem(err, "putting the processes' results together");
    return code ? asim_err_set(err, code, "a buffer of another process is cut short") : 0;
}

/* --- look-ups in the unpacked results ------------------------------------------------------------
 */

/* 0 for a rank whose process has sent nothing: it counts as absent. */
uint64_t asim_distribution_joined(const struct asim_world *world, uint32_t rank, uint64_t group)
{
    const uint64_t *n;

    if (asim_rank_is_here(&world->run.ranks[rank]))
        return asim_stall_joined(&world->run.ranks[rank], group);
    n = asim_map_get(&world->dist->joined, rank, group);
    return n ? *n : 0;
}

uint64_t asim_distribution_coll_bytes(const struct asim_world *world, uint32_t rank,
                                      const struct asim_stall_row *row)
{
    const struct asim_coll_op *coll;

    if (rank >= world->set.n_ranks) /* an NVSwitch has no collective */
        return UINT64_MAX;
    for (coll = asim_rank_is_here(&world->run.ranks[rank]) ? world->run.ranks[rank].open_head
                                                           : NULL;
         coll; coll = coll->next)
        if (asim_group_key(coll->group) == row->group && coll->sequence == row->sequence)
            return asim_stall_coll_bytes(coll);
    for (size_t i = 0; world->dist && i < world->dist->open.n; i++) {
        const struct asim_open_coll *open = &world->dist->open.at[i];

        if (open->rank == rank && open->group == row->group && open->sequence == row->sequence)
            return open->bytes;
    }
    return UINT64_MAX;
}

void asim_distribution_stall(const struct asim_world *world, struct asim_stall *stall)
{
    if (world->dist)
        asim_stall_merge(stall, &world->dist->stall);
}

int asim_distribution_pauses(const struct asim_world *world, struct asim_pause_waits *waits)
{
    const struct asim_pause_waits *others = world->dist ? &world->dist->pauses : NULL;

    if (!asim_world_has(world, ASIM_NET_PAUSES))
        return 0;
    if (world->via.packets->pause_waits(world->via.packet_net, waits) ||
        (others && others->n &&
         asim_grow(&waits->at, &waits->cap, waits->n + others->n, sizeof *waits->at)))
        return ASIM_ENOMEM;
    if (others && others->n)
        memcpy(waits->at + waits->n, others->at, others->n * sizeof *waits->at);
    waits->n += others ? others->n : 0;
    return 0;
}

/* Asks the network of this process for its own links, and for links without a row. */
void asim_distribution_link_use(const struct asim_world *world, uint32_t wire,
                                struct asim_link_use *use)
{
    const struct asim_distribution *dist = world->dist;

    if (dist && dist->links && dist->links[wire].to != UINT32_MAX)
        *use = dist->links[wire];
    else
        world->via.packets->link_use(world->via.packet_net, wire, use);
}

/* A host of a process that has told nothing has counted nothing. */
void asim_distribution_host_use(const struct asim_world *world, uint32_t host,
                                struct asim_host_use *use)
{
    const struct asim_distribution *dist = world->dist;

    if (dist && dist->hosts && !asim_distribution_has(world, host))
        *use = dist->hosts[host];
    else
        world->via.packets->host_use(world->via.packet_net, host, use);
}

void asim_distribution_traffic_use(const struct asim_world *world, uint32_t index,
                                   struct asim_traffic_use *use)
{
    world->via.packets->traffic_use(world->via.packet_net, index, use);
    if (world->dist && world->dist->traffic)
        asim_traffic_use_add(use, &world->dist->traffic[index]);
}
