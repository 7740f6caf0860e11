/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What reports ask of the network (net/packets.h), as far as the flow level knows it: bytes and
 * frames are those that packets would have, queues and marks those of the fluid. Pauses are not
 * modelled.
 */
#include "asim/packet.h"
#include "net/flow/repeats.h"
#include "topo/topo.h"

#include <string.h>

/* The reports hold the network under this type. */
static struct asim_fluid *of(const struct asim_fabric *network)
{
    return (struct asim_fluid *)(uintptr_t)network;
}

static void count(const struct asim_fluid *fluid, uint32_t l, uint64_t frames, uint64_t bytes)
{
    fluid->link[l].frames += frames;
    fluid->link[l].bytes += bytes;
}

void asim_fluid_fold(const struct asim_fluid *fluid, struct asim_fluid_path *path)
{
    for (uint32_t i = 0; i < path->n; i++)
        count(fluid, path->link[i], path->frames, path->bytes);
    fluid->link[path->link[0]].first_frames += path->frames;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        count(fluid, path->link[i], path->frames, path->frames * fluid->ack_wire);
    path->frames = path->bytes = 0;
}

/* What phases that were not carried by messages have brought to their connections. */
static void count_repeats(const struct asim_fluid *fluid)
{
    for (size_t s = 0; s < fluid->sites.cap; s++) {
        struct asim_fluid_site *site = (void *)(uintptr_t)fluid->sites.slots[s].value;

        if (!fluid->sites.used[s] || !site || !site->frames)
            continue;
        for (size_t i = 0; i < site->conns.n; i++) {
            site->conns.at[i]->path->frames += site->frames;
            site->conns.at[i]->path->bytes += site->bytes;
        }
        site->frames = site->bytes = 0;
    }
}

/* Reports ask link by link, so only what is new since the last time is folded. The order of the map
 * does not matter to sums. */
static void fold_all(struct asim_fluid *fluid)
{
    if (fluid->counts.folded == fluid->counts.messages)
        return;
    count_repeats(fluid);
    for (struct asim_fluid_ring *ring = fluid->folded; ring; ring = ring->behind)
        asim_fluid_ring_count(fluid, ring);
    fluid->counts.folded = fluid->counts.messages;
    for (size_t i = 0; i < fluid->conns.cap; i++) {
        struct asim_fluid_conn *conn = (void *)(uintptr_t)fluid->conns.slots[i].value;

        if (fluid->conns.used[i] && conn->path)
            asim_fluid_fold(fluid, conn->path);
    }
}

/* Of `all`, an equal share for each way, the first ones what is left over. */
static uint64_t share_of(const struct asim_fluid *fluid, uint32_t l, uint64_t all)
{
    const struct asim_fluid_link *group = &fluid->link[fluid->link[l].group];
    uint64_t place = 0;

    for (uint32_t at = group->beside; at != l; at = fluid->link[at].beside)
        place++;
    return all / group->ways + (place < all % group->ways);
}

static void link_use(const struct asim_fabric *network, uint32_t wire, struct asim_link_use *use)
{
    struct asim_fluid *fluid = of(network);
    const struct asim_link *link = &fluid->topo->links[wire / 2];
    const struct asim_fluid_link *here = &fluid->link[wire];
    const struct asim_fluid_link *queue = here->group ? &fluid->link[here->group] : here;

    fold_all(fluid);
    *use = (struct asim_link_use){
        .from = wire % 2 ? link->b : link->a,
        .to = wire % 2 ? link->a : link->b,
        .port = wire % 2 ? link->port_b : link->port_a,
        .rate_bps = link->rate_bps,
        .frames = here->group ? share_of(fluid, wire, queue->frames) : here->frames,
        .bytes = here->group ? share_of(fluid, wire, queue->bytes) : here->bytes,
        .peak_queue_bytes = (uint64_t)asim_fluid_peak(fluid, queue),
        .marks =
            (uint64_t)(asim_fluid_marks(fluid, queue) / (here->group ? queue->ways : 1) + 0.5)};
}

static void host_use(const struct asim_fabric *network, uint32_t host, struct asim_host_use *use)
{
    struct asim_fluid *fluid = of(network);
    const struct asim_topo *topo = fluid->topo;

    fold_all(fluid);
    memset(use, 0, sizeof *use);
    for (uint32_t p = topo->first_port[host]; p < topo->first_port[host + 1]; p++) {
        uint32_t l = topo->ports[p].link;

        use->data_packets += fluid->link[2 * l + (topo->links[l].a != host)].first_frames;
    }
}

static void stats(const struct asim_fabric *network, struct asim_fabric_stats *stats)
{
    struct asim_fluid *fluid = of(network);

    fold_all(fluid);
    memset(stats, 0, sizeof *stats);
    for (uint32_t l = 0; l < fluid->n_links + fluid->n_groups; l++) {
        stats->hops += fluid->link[l].frames;
        stats->hop_bytes += fluid->link[l].bytes;
        stats->data += fluid->link[l].first_frames;
    }
    stats->messages = fluid->counts.messages - fluid->counts.traffic;
    stats->crowded = fluid->counts.crowded;
    stats->last_ns = fluid->counts.last_ns;
}

static void traffic_use(const struct asim_fabric *network, uint32_t index,
                        struct asim_traffic_use *use)
{
    *use = of(network)->traffic_use[index];
}

static uint32_t path(const struct asim_fabric *network, const struct asim_fct *flow,
                     struct asim_hop *hops, uint32_t room)
{
    const struct asim_ecmp_tuple tuple = {flow->src, flow->dst, flow->sport, ASIM_DPORT};

    if (of(network)->is_sprayed)
        return 0;
    return asim_ecmp_path(of(network)->routes, &tuple, hops, room);
}

static struct asim_fabric_watch *hooks(struct asim_fabric *network)
{
    return &((struct asim_fluid *)(void *)network)->watch;
}

const struct asim_packet_network asim_fluid_reports = {
    .diagnose_end = asim_fluid_tell_trust,
    .trust = asim_fluid_trust_of,
    .hooks = hooks,
    .stats = stats,
    .link_use = link_use,
    .host_use = host_use,
    .path = path,
    .traffic_use = traffic_use,
};
