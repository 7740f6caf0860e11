/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queues of a switch's port, and the event the switch is in: small steps that switch.c puts
 * together, inlined.
 */
#ifndef ASIM_FABRIC_QUEUE_H
#define ASIM_FABRIC_QUEUE_H

#include "fabric/node.h"

struct asim_now { /* the event being processed */
    uint64_t t, tie, seq, until;
};

/* What the frames that leave in this event carry as their cause. */
static inline struct asim_moment asim_now_moment(const struct asim_switch *sw,
                                                 const struct asim_now *now)
{
    return (struct asim_moment){now->t, now->tie, sw->seq};
}

/* Whether the port is free for the event being processed. */
static inline int asim_port_is_idle(struct asim_port *port, const struct asim_now *now)
{
    uint64_t tie;

    if (!port->busy || port->busy_until < now->t)
        return 1;
    if (port->busy_until > now->t)
        return 0;
    tie = asim_port_tie(port);
    return tie != now->tie ? tie < now->tie : port->start_seq <= now->seq;
}

/* Queue to serve next: 0 if it holds anything, else round robin over the unpaused of 1..7. */
static inline uint32_t asim_queue_next(struct asim_switch_port *port)
{
    uint32_t ready = port->waiting & ~(uint32_t)port->port.paused, behind;

    if (port->waiting & 1)
        return 0;
    if (!ready)
        return ASIM_QUEUES;
    behind = ready >> (port->rr + 1) << (port->rr + 1);
    port->rr = (uint8_t)__builtin_ctz(behind ? behind : ready);
    return port->rr;
}

/* Copies *frame to the end of queue q, as come in at ingress port `side`. 0 or ASIM_ENOMEM, which
 * is then latched in the lane. The mask of waiting queues and both sums follow, so that nobody
 * looks at eight rings to find one. */
static inline int asim_queue_push(struct asim_switch *sw, struct asim_switch_port *port,
                                  const uint32_t q_side[2], const struct asim_frame *frame)
{
    struct asim_frame *slot = asim_ring_slot(&port->queue[q_side[0]]);

    if (!slot) {
        sw->lane->failed = ASIM_ENOMEM;
        return ASIM_ENOMEM;
    }
    *slot = *frame;
    slot->side = q_side[1] & 0xffffff;
    port->frames++;
    port->bytes += frame->wire;
    port->waiting |= (uint8_t)(1u << q_side[0]);
    return 0;
}

/* Forgets the head of queue q, which must not be empty; the shared buffer is the caller's. */
static inline void asim_queue_drop(struct asim_switch_port *port, uint32_t q)
{
    port->frames--;
    port->bytes -= asim_ring_head(&port->queue[q])->wire;
    asim_ring_drop(&port->queue[q]);
    if (!port->queue[q].n)
        port->waiting &= (uint8_t) ~(1u << q);
}

#endif
