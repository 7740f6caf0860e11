/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queues of a switch's port, and the event the switch is in: small steps, inlined, that are
 * put together by switch.c, where every departure is an event, and by bulk.c, where none is. What
 * both do to a frame stands here once, so that the two cannot come to differ in it.
 */
#ifndef ASIM_FABRIC_SWITCH_QUEUE_H
#define ASIM_FABRIC_SWITCH_QUEUE_H

#include "fabric/node.h"
#include "fabric/host/telemetry.h"

/* Port a frame takes (0-based), or UINT32_MAX where there is none. */
uint32_t asim_switch_route(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                           const struct asim_frame *frame);
/* A frame refused at port p, or without a way. */
void asim_switch_drop(struct asim_switch *sw, uint32_t p, const struct asim_frame *frame,
                      uint64_t t);
/* Whether a frame that leaves queue q of the port now, with bytes above kmin behind it, is marked.
 */
int asim_switch_marks(const struct asim_fabric *fabric, const struct asim_switch *sw,
                      struct asim_switch_port *port, uint32_t q);

/* The whole switch event by event, from `begin` to before `until`; its turn has begun
 * (switch_shard.h). */
void asim_switch_events(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                        uint64_t until);
/* bulk.c: whether a window of the switch may be bulk, as far as its state and what it is asked for
 * say. The rest is said by what comes in (egress_batch.h). */
int asim_bulk_allowed(const struct asim_fabric *fabric, const struct asim_switch *sw);
/* All that leaves by the ports of a shard before `until`, what came in having been dealt. */
void asim_bulk_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint64_t begin,
                     uint64_t until);
/* What another shard holds or no longer holds of what came in at this one's ports. */
void asim_bulk_apply_deferred(struct asim_switch_shard *shard,
                              const struct asim_switch_shard *other);

struct asim_event_context { /* the event being processed */
    uint64_t t, tie, seq, until;
};

/* What the frames that leave in this event carry as their cause: the far end orders what comes in
 * at one time by it. A frame that has waited carries the end of the transmission before it instead,
 * which is what set it off. */
static inline struct asim_event_key asim_now_event_key(const struct asim_switch *sw,
                                                       const struct asim_event_context *event)
{
    return (struct asim_event_key){event->t, event->tie, sw->seq};
}

/* Whether the port is free for the event being processed. Where its transmission ends at the same
 * time, the order of tie_key.h says which of the two is first. */
static inline int asim_port_is_idle(struct asim_port *port, const struct asim_event_context *event)
{
    uint64_t tie;

    if (!port->busy || port->busy_until < event->t)
        return 1;
    if (port->busy_until > event->t)
        return 0;
    tie = asim_port_tie_key(port);
    return tie != event->tie ? tie < event->tie : port->start_seq <= event->seq;
}

/* The reference keeps eight queues and serves them as a QBB port does: queue 0 is for control alone
 * and cannot be paused, so that a pause itself never waits behind what it is to stop.
 * Queue to serve next: 0 if it holds anything, else round robin over the unpaused of 1..7. */
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

/* Tells whoever watches queues that port p has changed at t. Out of line but for what no sample
 * would show: a short length between two samples, and none that was shown before. */
static inline void asim_queue_notify(const struct asim_fabric *fabric, struct asim_switch *sw,
                                     uint32_t p, uint64_t t)
{
    const struct asim_switch_port *port = &sw->ports[p];
    struct asim_queue_sample *sample;
    uint64_t least = fabric->watch.sampling.least;

    if (!fabric->watch.queue)
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

/* The first port of the shard from p on that holds frames, n_ports of the switch behind the last:
 * few do, and who goes through them once a window should touch no others. Bits of ports that hold
 * none by now are cleared. */
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

/* Copies *frame to the end of queue q, as come in at ingress port `side`. 0 or ASIM_ENOMEM, which
 * the caller latches in the worker. The mask of waiting queues and both sums follow, so that nobody
 * looks at eight rings to find one. */
static inline int asim_queue_push(struct asim_switch *sw, struct asim_switch_port *port,
                                  const uint32_t q_side[2], const struct asim_frame *frame)
{
    struct asim_frame *slot = asim_ring_slot(&port->queue[q_side[0]]);
    size_t p = (size_t)(port - sw->ports);

    if (!slot)
        return ASIM_ENOMEM;
    asim_frame_copy(slot, frame, q_side[1]);
    sw->shard[sw->shard_of[p]].pending[p / 64] |= 1ull << p % 64;
    port->frames++;
    port->bytes += frame->wire;
    port->waiting |= (uint8_t)(1u << q_side[0]);
    return 0;
}

/* The ring keeps its memory: a port that was once busy will be so again, and asks for none then.
 * Forgets the head of queue q, which must not be empty; the shared buffer is the caller's. */
static inline void asim_queue_drop(struct asim_switch_port *port, uint32_t q)
{
    port->frames--;
    port->bytes -= asim_ring_head(&port->queue[q])->wire;
    asim_ring_drop(&port->queue[q]);
    port->waiting &= (uint8_t) ~((uint32_t)!port->queue[q].n << q);
}

/* Queue of a frame of a message: its priority group, or 0 for ACKs where they have priority; the
 * reference never sets that in switches (spec 4.2). */
static inline uint32_t asim_queue_of(const struct asim_fabric *fabric,
                                     const struct asim_frame *frame)
{
    if (fabric->set.net->switch_ack_high_prio && frame->type != ASIM_DATA)
        return 0;
    return fabric->set.net->priority_group;
}

/* What is done to a frame that begins to be sent: the mark is decided by what it leaves behind in
 * its queue. */
static inline void asim_switch_mark_and_stamp(struct asim_fabric *fabric, struct asim_switch *sw,
                                              uint32_t p, struct asim_frame *frame,
                                              const uint64_t q_t[2])
{
    struct asim_switch_port *port = &sw->ports[p];

    if (q_t[0] && port->occupancy[q_t[0]].egress > port->kmin &&
        asim_switch_marks(fabric, sw, port, (uint32_t)q_t[0])) {
        frame->flags |= ASIM_CE;
        port->marks++;
    }
    if (fabric->set.writes_telemetry)
        asim_telemetry_write(fabric, sw, p, frame, asim_to_ns(fabric, q_t[1]));
}

/* Puts the end of the transmission on the agenda. Only if somebody waits behind it, and only if it
 * falls into this window; the next window's fill_agenda finds the others. */
static inline void asim_switch_schedule_departure(struct asim_switch *sw, uint32_t p,
                                                  uint64_t until)
{
    const struct asim_port *port = &sw->ports[p].port;
    int32_t value = (int32_t)(p << 1 | 1);

    if (port->busy_until >= until || sw->calendar.at[value].next != ASIM_CALENDAR_ABSENT)
        return;
    sw->calendar.at[value].t = port->busy_until;
    sw->calendar.at[value].tie = asim_port_tie_key(port);
    sw->calendar.at[value].seq = port->start_seq;
    asim_calendar_queue_put(&sw->calendar, value);
}

/* Puts the next frame of ingress port p on the agenda, if it is due in this window. */
static inline void asim_switch_schedule_arrival(struct asim_switch *sw, uint32_t p, uint64_t until)
{
    const struct asim_port *port = &sw->ports[p].port;
    const struct asim_frame *head = asim_link_ring_head(port->in);
    int32_t value = (int32_t)(p << 1);

    if (!head || head->t >= until)
        return;
    sw->calendar.at[value].t = head->t;
    sw->calendar.at[value].tie = asim_wire_tie_key(port->in, head);
    sw->calendar.at[value].seq = port->in->in_seq;
    asim_calendar_queue_put(&sw->calendar, value);
}

#endif
