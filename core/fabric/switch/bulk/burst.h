/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A burst: all that leaves through a port in a bulk window has come by one other, frame behind
 * frame in its mailbox. So it is with messages of a few packets, whose hosts seldom send two at a
 * time to one place. Nothing is put in order or decoded then, and what is the port's stays at hand.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_BURST_H
#define ASIM_FABRIC_SWITCH_BULK_BURST_H

#include "fabric/switch/bulk/bulk.h"
#include "fabric/link/transmit.h"

/* What frames see of the port as they come. */
struct burst {
    uint64_t busy, start; /* of the last transmission: its end, 0 without one, and its begin */
    uint32_t recency;     /* of what set it off */
    uint32_t idle;        /* 1 + the place of the frame that found the port idle last */
    /* Bytes that have come and not begun; the first frame of them, by its place on the wire, begins
     * at next_start. */
    uint64_t waiting, next_start, peak;
    uint32_t next, tail; /* tail: place of the next frame on the wire */
};

/* A frame of `size` bytes comes at t: who has begun before it waits no more. Who comes as another
 * begins still sees it; with one that begins as it comes nobody comes (burst_takes_time). */
static inline void burst_arrive(struct burst *port, const struct asim_wire *wire, uint64_t t,
                                uint32_t size)
{
    for (; port->waiting && port->next_start < t; port->next++) {
        const struct asim_frame *gone = &wire->at[port->next & wire->mask];

        port->waiting -= gone->wire;
        port->next_start = gone->t - wire->delay;
    }
    if (port->waiting + size > port->peak)
        port->peak = port->waiting + size;
    if (port->busy <= t)
        return;
    if (!port->waiting) {
        port->next = port->tail;
        port->next_start = port->busy;
    }
    port->waiting += size;
}

/* The frame begins: as it comes, or as the one before it is through. */
static inline void burst_begin(struct burst *port, const struct asim_wire *from,
                               const struct asim_frame *frame, uint32_t place)
{
    if (port->busy < frame->t) {
        port->start = frame->t;
        port->recency = asim_wire_recency(from, frame->wire);
        port->idle = place + 1;
    } else {
        port->recency = bulk_recency_behind(port->busy - port->start);
        port->start = port->busy;
    }
}

/* All have come. */
static inline void burst_end(struct asim_switch_shard *shard, struct asim_switch_port *to,
                             const struct burst *port)
{
    struct asim_wire *wire = to->port.out;
    uint32_t first = atomic_load_explicit(&wire->tail, memory_order_relaxed);
    uint64_t t = wire->at[first & wire->mask].t;

    to->peak_bytes = port->peak;
    if (port->tail == first)
        return;
    to->port.busy = 1;
    to->port.busy_until = port->busy;
    to->port.tx_start = port->start;
    to->port.start_recency = port->recency;
    wire->frames += port->tail - first;
    atomic_store_explicit(&wire->tail, port->tail, memory_order_release);
    if (t < shard->worker->min_arrival[wire->to_slot])
        shard->worker->min_arrival[wire->to_slot] = t;
}

/* Those from the i-th on cannot begin in this window. */
static inline void burst_wait(struct asim_switch_shard *shard, uint32_t out, struct burst *port,
                              const uint32_t i_group[2])
{
    const struct asim_egress_batch *batch = &shard->batch[out];
    const struct asim_wire *from = shard->sw->in[batch->in], *wire = shard->sw->ports[out].port.out;

    for (uint32_t i = i_group[0]; i < batch->burst; i++) {
        const struct asim_frame *frame = asim_arrival_frame(from, i);

        burst_arrive(port, wire, frame->t, (uint32_t)frame->wire);
        bulk_push(shard, (const uint32_t[3]){batch->in, out, i_group[1]}, frame);
    }
}

/* Whether every frame takes some time on its wire, the shortest packet and an ACK: no two come at
 * one time. */
static inline int burst_takes_time(const struct asim_fabric *fabric, const struct asim_wire *from)
{
    return from->in_tx[fabric->set.data_overhead + 1] && from->in_tx[fabric->set.ack_wire];
}

/* Whether all that comes to port `out` is a burst (switch.h) and the port is plain. */
static inline int burst_may(const struct asim_fabric *fabric, const struct asim_switch_shard *shard,
                            uint32_t out)
{
    const struct asim_switch_port *port = &shard->sw->ports[out];
    const struct asim_egress_batch *batch = &shard->batch[out];

    return batch->burst && bulk_is_uncongested(fabric, port, batch->burst) &&
           burst_takes_time(fabric, shard->sw->in[batch->in]) &&
           asim_link_ring_has_room(port->port.out, batch->burst) &&
           (!port->same_tick ||
            port->same_tick_at != asim_arrival_frame(shard->sw->in[batch->in], 0)->t);
}

/* All of it leaves, or is queued: 1 + the last entry that found the port idle, 0 without one. The
 * shared buffer is left as it is by what begins: what comes and goes within a bulk window takes
 * nothing from anybody. */
static inline uint64_t burst_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                   uint32_t out, const uint64_t begin_until[2])
{
    struct asim_switch_port *to = &shard->sw->ports[out];
    const struct asim_egress_batch *batch = &shard->batch[out];
    const struct asim_wire *from = shard->sw->in[batch->in];
    struct asim_wire *wire = to->port.out;
    struct burst port = {.busy = to->port.busy ? to->port.busy_until : 0,
                         .start = to->port.tx_start,
                         .recency = to->port.start_recency,
                         .peak = to->peak_bytes,
                         .tail = atomic_load_explicit(&wire->tail, memory_order_relaxed)};
    uint32_t i, group = fabric->set.net->priority_group;

    to->rr = (uint8_t)group;
    to->same_tick = 0; /* what comes from here on comes later */
    for (i = 0; i < batch->burst; i++) {
        const struct asim_frame *frame = asim_arrival_frame(from, i);
        struct asim_frame *place = &wire->at[port.tail & wire->mask];
        uint32_t size = (uint32_t)frame->wire;

        if (port.busy >= begin_until[1])
            break;
        burst_arrive(&port, wire, frame->t, size);
        burst_begin(&port, from, frame, i);
        port.busy = port.start + wire->tx[size];
        wire->bytes += size;
        asim_frame_copy(place, frame, port.recency);
        place->t = asim_link_arrival(wire, port.busy);
        asim_port_check_final(shard->worker, wire, place);
        port.tail++;
    }
    if (i < batch->burst) {
        struct burst rest = port;

        burst_wait(shard, out, &rest, (const uint32_t[2]){i, group});
        port.peak = rest.peak;
    }
    burst_end(shard, to, &port);
    if (!port.idle)
        return 0;
    return 1 + asim_arrival_entry(batch->in, port.idle - 1,
                                  asim_arrival_frame(from, port.idle - 1)->t - begin_until[0]);
}

#endif
