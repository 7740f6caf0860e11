/* SPDX-License-Identifier: GPL-2.0-only
 *
 * When each node has its next event: fabric->schedule.next, by slot, with the minimum of each block
 * of slots and of each half of the network. A frame on a wire lowers worker->min_arrival instead.
 * Code that gives a node an event from outside its advance (between windows, or a rank at its own
 * host) calls asim_node_schedule.
 */
#ifndef ASIM_FABRIC_LINK_SCHEDULE_H
#define ASIM_FABRIC_LINK_SCHEDULE_H

#include "fabric/ground/ground.h"

/* Slots in a block of schedule.block_min. */
enum { ASIM_BLOCK = 32 };

static inline uint64_t *asim_next_of(const struct asim_fabric *fabric, uint32_t node)
{
    return &fabric->schedule.next[fabric->schedule.slot[node]];
}

/* Per-event mode: puts `node` into the heap of due nodes. */
void asim_node_push_due(struct asim_fabric *fabric, uint32_t node, uint64_t t);

/* `node` has an event at t: lowers its next time if t is earlier. */
static inline void asim_node_schedule(struct asim_fabric *fabric, uint32_t node, uint64_t t)
{
    uint32_t slot = fabric->schedule.slot[node];
    uint64_t *half_next;

    if (t >= fabric->schedule.next[slot])
        return;
    half_next = &fabric->schedule.half_next[fabric->set.half_of ? fabric->set.half_of[node] : 0];
    fabric->schedule.next[slot] = t;
    if (t < fabric->schedule.block_min[slot / ASIM_BLOCK])
        fabric->schedule.block_min[slot / ASIM_BLOCK] = t;
    if (fabric->schedule.half_next_valid && t < *half_next)
        *half_next = t;
    if (fabric->schedule.per_event)
        asim_node_push_due(fabric, node, t);
}

#endif
