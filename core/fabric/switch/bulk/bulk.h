/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the ways through a calm window share (bulk.c): frame by frame, all that comes to a port in
 * order, or all that comes by one other (burst.h).
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_BULK_H
#define ASIM_FABRIC_SWITCH_BULK_BULK_H

#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/switch/queue.h"

/* `bytes` more, or less in two's complement, of what came in at port `in` wait in a queue of this
 * desk. Ports of other desks hear of it when all are through (switch_shard.c). Nobody asks before:
 * a window is calm because it does not matter. */
static inline void calm_hold(struct asim_desk *desk, uint32_t in, uint32_t q, uint64_t bytes)
{
    struct asim_queue_use *use = &desk->sw->ports[in].use[q];
    uint64_t before;

    if (desk->sw->n_desks > 1 && desk->sw->desk_of[in] != desk->i) {
        if (ASIM_VEC_PUSH(desk->debits, ((struct asim_debit){in, q, bytes})))
            desk->lane->failed = ASIM_ENOMEM;
        return;
    }
    before = asim_mmu_shared(use);
    use->ingress += bytes;
    desk->shared += asim_mmu_shared(use) - before;
}

/* Into the queue, and its bytes into the buffer. The tests of the long way are left out:
 * asim_batch_deal has made them for the whole window. */
static inline void calm_push(struct asim_desk *desk, const uint32_t in_out_q[3],
                             const struct asim_frame *frame)
{
    uint32_t q = in_out_q[2];
    struct asim_switch_port *port = &desk->sw->ports[in_out_q[1]];

    if (asim_queue_push(desk->sw, port, (const uint32_t[2]){q, in_out_q[0]}, frame)) {
        desk->lane->failed = ASIM_ENOMEM;
    } else if (q) {
        calm_hold(desk, in_out_q[0], q, frame->wire);
        port->use[q].egress += frame->wire;
    }
}

/* Whether n frames that come to this port and leave it within the window need no queue: it is
 * empty, there is one for all, nobody watches or stamps, and there cannot be enough in it for a
 * mark. */
static inline int calm_is_plain(const struct asim_fabric *fabric,
                                const struct asim_switch_port *port, uint64_t n)
{
    return !port->frames && !fabric->set.stamps && !fabric->watch.queue &&
           !fabric->set.net->switch_ack_high_prio && n <= port->unmarked;
}

/* Youth (tie_key.h) of what starts as a transmission of `tx` ticks ends. */
static inline uint32_t calm_youth_behind(uint64_t tx)
{
    const uint64_t most = (1ull << ASIM_CAUSE_BITS) - 1;

    return tx < most ? (uint32_t)(most - tx) : 0;
}

#endif
