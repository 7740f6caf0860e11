/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How a frame leaves a node, inline for hosts and switches: book the port, write the frame into its
 * place in the wire's receive ring, lower the next time of the far node. Code writes frames in
 * their final place, word by word (frame.h), and never assembles them elsewhere.
 */
#ifndef ASIM_FABRIC_LINK_TRANSMIT_H
#define ASIM_FABRIC_LINK_TRANSMIT_H

#include "fabric/ground/worker.h"
#include "fabric/link/insertion.h"
#include "fabric/link/link.h"
#include "fabric/ground/ground.h"

/* parity: ns-3 schedules the end of a transmission before the arrival. */
static inline void asim_port_insert(struct asim_insertion *insertion, const struct asim_port *port)
{
    const struct asim_wire *wire = port->out;

    asim_insertion_add(insertion, port->busy_until, ASIM_INSERTED_END, wire->id);
    asim_insertion_add(insertion, asim_link_arrival(wire, port->busy_until), ASIM_INSERTED_ARRIVAL,
                       wire->id);
}
/* 1 if the wire loses the frame that starts at `start` and would arrive at frame->t; counts the
 * frame and notifies its source. Call only where wire->loss is set (loss.c). */
int asim_loss_drops(struct asim_worker *worker, const struct asim_wire *wire,
                    const struct asim_frame *frame, uint64_t start);

/* Starts serializing a frame of `bytes` now. Returns its place in the receive ring; the caller
 * fills all but t, with port->start_recency as its cause_recency. NULL when out of memory:
 * the worker has then failed. */
static inline struct asim_frame *asim_port_begin(struct asim_worker *worker, struct asim_port *port,
                                                 uint32_t bytes, struct asim_event_key now)
{
    struct asim_wire *wire = port->out;
    struct asim_frame *frame = asim_link_ring_slot(worker, wire);

    if (!frame)
        return NULL;
    port->busy = 1;
    port->tx_start = now.t;
    port->start_seq = now.seq;
    port->start_recency = asim_cause_recency(now.tie);
    port->busy_until = now.t + wire->tx[bytes];
    wire->frames++;
    wire->bytes += bytes;
    if (worker->fabric->insertion)
        asim_port_insert(worker->fabric->insertion, port);
    return frame;
}

/* Notifies the destination if this is the last link of a message's final ACK. */
static inline void asim_port_check_final(struct asim_worker *worker, const struct asim_wire *wire,
                                         const struct asim_frame *frame)
{
    if (frame->flags & ASIM_FINAL && wire->to == frame->src && frame->type == ASIM_ACK)
        worker->fabric->frame_hooks->final(worker, wire, frame);
}

/* The far node has an event at t. */
static inline void asim_wire_schedule(struct asim_worker *worker, const struct asim_wire *wire,
                                      uint64_t t)
{
    if (t < worker->min_arrival[wire->to_slot])
        worker->min_arrival[wire->to_slot] = t;
}

/* The written frame, due at t, is on the wire. */
static inline void asim_port_publish(struct asim_worker *worker, struct asim_wire *wire, uint64_t t)
{
    asim_link_ring_commit(wire);
    asim_wire_schedule(worker, wire, t);
}

/* Puts a complete frame on the wire: the last part of asim_port_commit, and all of it where no
 * frame is lost or watched. */
static inline void asim_port_put_on_wire(struct asim_worker *worker, struct asim_wire *wire,
                                         const struct asim_frame *frame)
{
    asim_port_check_final(worker, wire, frame);
    asim_port_publish(worker, wire, frame->t);
}

/* Completes the transmission of a written frame. Returns 1 if the wire loses the frame, which is
 * known here because draws are keyed and link events are planned. The ring stays sorted, because a
 * wire is FIFO with constant delay. */
static inline int asim_port_commit(struct asim_worker *worker, struct asim_port *port,
                                   struct asim_frame *frame)
{
    struct asim_wire *wire = port->out;

    frame->t = asim_link_arrival(wire, port->busy_until);
    if (worker->fabric->schedule.per_event)
        asim_port_report(worker->fabric, port, frame);
    if (wire->loss && asim_loss_drops(worker, wire, frame, port->tx_start)) {
        wire->overflow.n -= wire->overflow.n > 0;
        return 1;
    }
    if (worker->fabric->schedule.per_event && asim_fabric_owns(worker->fabric, wire->to))
        asim_port_schedule(worker->fabric, wire, frame->t);
    asim_port_put_on_wire(worker, wire, frame);
    return 0;
}

#endif
