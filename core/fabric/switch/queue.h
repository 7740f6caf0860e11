/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queues of a port: inline steps that both switch/advance.c (every departure is an event) and
 * bulk/bulk.c (no events) use, so that both treat a frame alike.
 */
#ifndef ASIM_FABRIC_SWITCH_QUEUE_H
#define ASIM_FABRIC_SWITCH_QUEUE_H

#include <stdint.h>
#include "asim/err.h"
#include "fabric/ground/ground.h"
#include "fabric/link/frame.h"
#include "fabric/switch/switch.h"
#include "net/watch.h"

/* The first queue behind q, and round to it, of `ready`: bits of queues 1 to 7, not 0. */
static inline uint32_t asim_queue_behind(uint32_t ready, uint32_t q)
{
    uint32_t behind = ready >> (q + 1) << (q + 1);

    return (uint32_t)__builtin_ctz(behind ? behind : ready);
}

/* --- queue.c --------------------------------------------------------------------------------- */
/* The choice of the network's scheduler (egress/egress.h) among the queues of `ready`. */
uint32_t asim_queue_choose(const struct asim_fabric *fabric, struct asim_switch_port *port,
                           uint32_t ready);
/* The network uses several queues of data from now on, and the scheduler of its configuration;
 * before the start. 0 or ASIM_ENOMEM. */
int asim_queues_use(struct asim_fabric *fabric);
/* All queues of the port were emptied. */
void asim_queues_reset(const struct asim_fabric *fabric, struct asim_switch_port *port);

/* The queue to serve next, ASIM_QUEUES if none. parity: ns-3's QBB port has eight queues. Queue 0
 * goes first and ignores pauses, so a PFC frame never waits behind the frames that it stops. Round
 * robin serves the unpaused queues 1..7, unless another scheduler has them (egress/egress.h). */
static inline uint32_t asim_queue_next(const struct asim_fabric *fabric,
                                       struct asim_switch_port *port)
{
    uint32_t ready = port->waiting & ~(uint32_t)port->port.paused;

    if (port->waiting & port->not_rr) {
        if (port->waiting & 1)
            return 0;
        return ready ? asim_queue_choose(fabric, port, ready) : ASIM_QUEUES;
    }
    if (!ready)
        return ASIM_QUEUES;
    port->rr = (uint8_t)asim_queue_behind(ready, port->rr);
    return port->rr;
}

/* A frame finds all queues empty and does not enter its own, q > 0: as if it had, and had been
 * served. */
static inline void asim_queue_pass(struct asim_switch_port *port, uint32_t q)
{
    port->rr = (uint8_t)q;
}

/* The first port of the shard from p on with queued frames; sw->n_ports: none. Clears the bits of
 * ports that have none by now. Few ports have some, and a window touches no others. */
static inline uint32_t asim_pending_next(struct asim_switch_shard *shard, uint32_t p)
{
    const struct asim_switch *sw = shard->sw;

    for (; p < sw->n_ports; p = (p / 64 + 1) * 64) {
        uint64_t bits = shard->pending[p / 64] >> p % 64;

        for (; bits; bits &= bits - 1) {
            uint32_t at = p + (uint32_t)__builtin_ctzll(bits);

            if (sw->ports[at].frames)
                return at;
            shard->pending[at / 64] &= ~(1ull << at % 64);
        }
    }
    return sw->n_ports;
}

/* Appends a copy of the frame to its queue. Does not touch the shared buffer. 0 or ASIM_ENOMEM. */
static inline int asim_queue_push(struct asim_switch *sw, struct asim_transit transit,
                                  const struct asim_frame *frame)
{
    struct asim_switch_port *port = &sw->ports[transit.out];
    struct asim_frame *slot = asim_ring_slot(&port->queue[transit.q]);

    if (!slot)
        return ASIM_ENOMEM;
    asim_frame_copy(slot, frame, transit.in);
    sw->shard[sw->shard_of[transit.out]].pending[transit.out / 64] |= 1ull << transit.out % 64;
    port->frames++;
    port->bytes += frame->wire;
    port->waiting |= (uint8_t)(1u << transit.q);
    return 0;
}

/* Removes the head of queue q, which must not be empty. The ring keeps its memory. Does not touch
 * the shared buffer. */
static inline void asim_queue_drop(struct asim_switch_port *port, uint32_t q)
{
    port->frames--;
    port->bytes -= asim_ring_head(&port->queue[q])->wire;
    asim_ring_drop(&port->queue[q]);
    __builtin_prefetch(asim_ring_head(&port->queue[q])); /* for the next departure */
    port->waiting &= (uint8_t) ~((uint32_t)!port->queue[q].n << q);
}

/* The queue of a frame: that of its message's traffic class; 0 for ACKs with priority; a datagram's
 * own. ASTRA-sim's ns-3 backend never gives ACKs priority in switches. */
static inline uint32_t asim_queue_of(const struct asim_fabric *fabric,
                                     const struct asim_frame *frame)
{
    if (!fabric->set.several_queues)
        return fabric->set.data_queue;
    if (frame->type == ASIM_DATAGRAM)
        return frame->tries;
    if (frame->type != ASIM_DATA && fabric->set.acks_first)
        return 0;
    return asim_class_queue(fabric, frame->traffic_class);
}

/* --- queue_watch.c: reports of queue lengths to the observer (watch.queue of net/watch.h) ----- */
/* The bytes queued at port p have changed at t. An observer must exist. */
void asim_queue_changed(const struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                        uint64_t t);
/* The end of a window, for switches with samples: reports what holds now. */
void asim_queue_flush_samples(const struct asim_fabric *fabric, struct asim_switch *sw);
/* Bytes in queue 0: PFC frames, and ACKs with priority. */
uint64_t asim_queue_control_bytes(const struct asim_switch_port *port);

/* Reports a change. With samples it skips changes that no sample shows: a short length between two
 * samples, if the reported length is short, too. */
static inline void asim_queue_notify(const struct asim_fabric *fabric, struct asim_switch *sw,
                                     uint32_t p, uint64_t t)
{
    const struct asim_switch_port *port = &sw->ports[p];
    struct asim_queue_sample *sample;
    uint64_t least = fabric->watch->sampling.least;

    if (!fabric->watch->queue)
        return;
    sample = sw->samples ? &sw->samples[p] : NULL;
    if (!sample || t >= sample->due || sample->bytes >= least || sample->reported >= least ||
        port->waiting & 1) {
        asim_queue_changed(fabric, sw, p, t);
        return;
    }
    sample->since = t;
    sample->bytes = port->bytes;
    sample->control = 0;
}

#endif
