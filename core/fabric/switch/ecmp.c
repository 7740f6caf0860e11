/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which of several equal-cost ports a frame takes: one per flow by the reference's hash (ECMP, spec
 * rdma-network.md section 4.3), or packets in turn where they are sprayed.
 *
 * A switch remembers the ways of flows it has just seen, because the tuple lies with the flow, out
 * of this switch's cache. An entry is of one generation of a slot, and generations come round after
 * 256 messages: what was not used for so long that this could have happened is worked out again.
 */
#include "fabric/node.h"
#include "fabric/link/hash.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 1024, FRESH_WINDOWS = 128 };

/* Among equal-cost ports, by the reference's hash of the flow's tuple seeded with the node id. */
static uint32_t ecmp(const struct asim_fabric *fabric, const struct asim_switch *sw,
                     const struct asim_frame *frame, uint32_t n)
{
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    int back = frame->type != ASIM_DATA;
    const uint32_t ends[3] = {rx->msg.src, rx->msg.dst, rx->msg.src};
    const uint16_t ports[3] = {rx->sport, ASIM_DPORT, rx->sport};

    return asim_tuple_hash(fabric, ends + back, ports + back,
                           asim_topo_external_id(fabric->set.topo, sw->node)) %
           n;
}

/* The table is made on first use: most switches have one way only. Without memory for it there is
 * none. */
static struct asim_ecmp_choice *cache_entry(struct asim_switch *sw, const struct asim_frame *frame)
{
    uint32_t back = frame->type != ASIM_DATA;
    uint32_t hash = (frame->src * 64 + (frame->slot & 0xffffff) * 2 + back) * 0x9e3779b1u;

    if (!sw->ecmp_cache)
        sw->ecmp_cache = calloc(ENTRIES, sizeof *sw->ecmp_cache);
    return sw->ecmp_cache ? &sw->ecmp_cache[hash >> 22] : NULL;
}

/* The shortest message takes four windows there and back; 256 of them many more than FRESH. */
static inline uint64_t fresh(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    return frame->t + FRESH_WINDOWS * fabric->set.lookahead;
}

uint32_t asim_ecmp_cached(const struct asim_fabric *fabric, struct asim_switch *sw,
                          const struct asim_frame *frame)
{
    struct asim_ecmp_choice *entry = sw->ecmp_cache ? cache_entry(sw, frame) : NULL;

    if (!entry || entry->src != frame->src || entry->slot != frame->slot ||
        entry->back != (frame->type != ASIM_DATA) || frame->t >= entry->fresh_until)
        return 0;
    entry->fresh_until = fresh(fabric, frame);
    return entry->port;
}

/* Sprayed packets have no way of their flow's, so none is remembered. */
uint32_t asim_ecmp_choose(const struct asim_fabric *fabric, struct asim_switch *sw,
                          const struct asim_frame *frame, const uint32_t *ports, uint32_t n)
{
    struct asim_ecmp_choice *entry;
    uint32_t port;

    if (fabric->set.net->load_balance == ASIM_SPRAY && frame->type == ASIM_DATA)
        return ports[sw->sprayed++ % n];
    port = ports[ecmp(fabric, sw, frame, n)];
    entry = cache_entry(sw, frame);
    if (entry)
        *entry = (struct asim_ecmp_choice){.fresh_until = fresh(fabric, frame),
                                           .src = frame->src,
                                           .slot = frame->slot,
                                           .back = frame->type != ASIM_DATA,
                                           .port = port};
    return port;
}

void asim_switch_forget_routes(struct asim_switch *sw)
{
    for (uint32_t d = 0; d < sw->n_shards; d++)
        memset(sw->shard[d].route_cache, 0, sizeof sw->shard[d].route_cache);
    if (sw->ecmp_cache)
        memset(sw->ecmp_cache, 0, ENTRIES * sizeof *sw->ecmp_cache);
}
