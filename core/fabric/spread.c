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

#include <stdlib.h>

enum { WAYS = 1024, FRESH_WINDOWS = 128 };

/* Among equal-cost ports, by the reference's hash of the flow's tuple seeded with the node id. */
static uint32_t ecmp(const struct asim_fabric *fabric, const struct asim_switch *sw,
                     const struct asim_frame *frame, uint32_t n)
{
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    uint32_t forward = frame->type == ASIM_DATA;
    uint32_t words[3] = {asim_fabric_ip(fabric, forward ? rx->msg.src : rx->msg.dst),
                         asim_fabric_ip(fabric, forward ? rx->msg.dst : rx->msg.src),
                         forward ? rx->sport | 100u << 16 : 100u | (uint32_t)rx->sport << 16};

    return asim_murmur3(words, 3, asim_topo_shown(fabric->topo, sw->node)) % n;
}

/* The table is made on first use: most switches have one way only. Without memory for it there is
 * none. */
static struct asim_way *way_of(struct asim_switch *sw, const struct asim_frame *frame)
{
    uint32_t back = frame->type != ASIM_DATA;
    uint32_t hash = (frame->src * 64 + (frame->slot & 0xffffff) * 2 + back) * 0x9e3779b1u;

    if (!sw->ways)
        sw->ways = calloc(WAYS, sizeof *sw->ways);
    return sw->ways ? &sw->ways[hash >> 22] : NULL;
}

/* The shortest message takes four windows there and back; 256 of them many more than FRESH. */
uint32_t asim_switch_spread(const struct asim_fabric *fabric, struct asim_switch *sw,
                            const struct asim_frame *frame, uint32_t n)
{
    uint32_t kind = n << 1 | (frame->type != ASIM_DATA);
    struct asim_way *way;

    if (fabric->net->load_balance == ASIM_SPRAY && frame->type == ASIM_DATA)
        return sw->sprayed++ % n;
    way = way_of(sw, frame);
    if (!way)
        return ecmp(fabric, sw, frame, n);
    if (way->src != frame->src || way->slot != frame->slot || way->kind != kind ||
        frame->t >= way->fresh_until)
        *way = (struct asim_way){.src = frame->src,
                                 .slot = frame->slot,
                                 .kind = kind,
                                 .index = ecmp(fabric, sw, frame, n)};
    way->fresh_until = frame->t + FRESH_WINDOWS * fabric->window;
    return way->index;
}
