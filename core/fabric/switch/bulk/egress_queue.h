/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queue of an egress port in a bulk window: frames go in and come out, with their share of the
 * buffer. bulk.c decides when.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_EGRESS_QUEUE_H
#define ASIM_FABRIC_SWITCH_BULK_EGRESS_QUEUE_H

#include "fabric/link/transmit.h"
#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/switch/stamp.h"
#include "fabric/switch/mmu.h"
#include "fabric/switch/queue.h"

/* Adds bytes (negative in two's complement) to the ingress occupancy of port `in`. Another shard's
 * port learns of them at the end of the window. No frame of this window asks for the occupancy. */
static inline void asim_egress_account(struct asim_switch_shard *shard, uint32_t in, uint32_t q,
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

/* Into the queue and the buffer, without the tests of switch/advance.c: asim_arrivals_fit_buffer
 * has made them for the whole window. */
static inline void asim_egress_push(struct asim_switch_shard *shard, struct asim_transit transit,
                                    const struct asim_frame *frame)
{
    if (transit.q) {
        asim_egress_account(shard, transit.in, transit.q, frame->wire);
        shard->sw->ports[transit.out].occupancy[transit.q].egress += frame->wire;
    }
    if (asim_queue_push(shard->sw, transit, frame))
        shard->worker->failed = ASIM_ENOMEM;
}

/* Starts a transmission as the present one ends, which is its cause. The port keeps the event count
 * of the time when it became busy, as in switch/advance.c. */
static inline struct asim_frame *asim_egress_begin_behind(struct asim_worker *worker,
                                                          struct asim_port *port, uint32_t bytes)
{
    struct asim_event_key then = {port->busy_until, asim_port_tie_key(port), port->start_seq};

    return asim_port_begin(worker, port, bytes, then);
}

/* The next frame of port p departs as the present transmission ends. A frame must be queued. */
static inline void asim_egress_depart(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                      uint32_t p)
{
    struct asim_switch *sw = shard->sw;
    struct asim_switch_port *port = &sw->ports[p];
    struct asim_transit transit = {.out = p, .q = asim_queue_next(fabric, port)};
    struct asim_frame *head = asim_ring_head(&port->queue[transit.q]), *frame;
    uint32_t bytes = head->wire;

    transit.in = head->ingress;
    frame = asim_egress_begin_behind(shard->worker, &port->port, bytes);
    if (!frame)
        return;
    asim_frame_copy(frame, head, port->port.start_recency);
    asim_queue_drop(port, transit.q);
    asim_queue_notify(fabric, sw, p, port->port.tx_start);
    if (transit.q) {
        asim_egress_account(shard, transit.in, transit.q, 0 - (uint64_t)bytes);
        port->occupancy[transit.q].egress -= bytes;
    }
    asim_ecn_stamp(fabric, sw, transit, frame, port->port.tx_start);
    frame->t = asim_link_arrival(port->port.out, port->port.busy_until);
    asim_port_put_on_wire(shard->worker, port->port.out, frame);
}

/* All departures of port p before t. A departure at t comes after the arrivals at t. */
static inline void asim_egress_drain(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                     uint32_t p, uint64_t t)
{
    const struct asim_switch_port *port = &shard->sw->ports[p];

    while (port->frames && port->port.busy_until < t && !shard->worker->failed)
        asim_egress_depart(fabric, shard, p);
}

#endif
