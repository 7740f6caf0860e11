/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the ways through a bulk window share (bulk.c): frame by frame, all that comes to a port in
 * order, or all that comes by one other (burst.h).
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_BULK_H
#define ASIM_FABRIC_SWITCH_BULK_BULK_H

#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/switch/queue.h"
#include "fabric/switch/mmu.h"

/* `bytes` more, or less in two's complement, of what came in at port `in` wait in a queue of this
 * shard. Ports of other shards hear of it when all are through (switch_shard.c). Nobody asks
 * before: a window is bulk because it does not matter. */
static inline void bulk_account(struct asim_switch_shard *shard, uint32_t in, uint32_t q,
                                uint64_t bytes)
{
    struct asim_queue_occupancy *occupancy = &shard->sw->ports[in].occupancy[q];
    uint64_t before;

    if (shard->sw->n_shards > 1 && shard->sw->shard_of[in] != shard->i) {
        if (ASIM_VEC_PUSH(shard->deferred_updates, ((struct asim_buffer_update){in, q, bytes})))
            shard->worker->failed = ASIM_ENOMEM;
        return;
    }
    before = asim_mmu_shared(occupancy);
    occupancy->ingress += bytes;
    shard->shared += asim_mmu_shared(occupancy) - before;
}

/* Into the queue, and its bytes into the buffer. The tests of the long way are left out:
 * asim_arrivals_bucket has made them for the whole window. */
static inline void bulk_push(struct asim_switch_shard *shard, const uint32_t in_out_q[3],
                             const struct asim_frame *frame)
{
    uint32_t q = in_out_q[2];
    struct asim_switch_port *port = &shard->sw->ports[in_out_q[1]];

    if (asim_queue_push(shard->sw, port, (const uint32_t[2]){q, in_out_q[0]}, frame)) {
        shard->worker->failed = ASIM_ENOMEM;
    } else if (q) {
        bulk_account(shard, in_out_q[0], q, frame->wire);
        port->occupancy[q].egress += frame->wire;
    }
}

/* Whether n frames that come to this port and leave it within the window need no queue: it is
 * empty, there is one for all, nobody watches or stamps, and there cannot be enough in it for a
 * mark. */
static inline int bulk_is_uncongested(const struct asim_fabric *fabric,
                                      const struct asim_switch_port *port, uint64_t n)
{
    return !port->frames && !fabric->set.writes_telemetry && !fabric->watch.queue &&
           !fabric->set.net->switch_ack_high_prio && n <= port->ecn_free_frames;
}

/* Youth (tie_key.h) of what starts as a transmission of `tx` ticks ends. */
static inline uint32_t bulk_recency_behind(uint64_t tx)
{
    const uint64_t most = (1ull << ASIM_CAUSE_BITS) - 1;

    return tx < most ? (uint32_t)(most - tx) : 0;
}

#endif
