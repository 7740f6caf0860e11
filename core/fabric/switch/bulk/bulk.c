/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch in calm windows: nobody is paused, no port is down, and what comes in before the window
 * ends is no pause and too little to call for one. All that is known when the window opens, for it
 * lies in the mailboxes. Then what ports have in common is the shared buffer alone, and in which
 * order frames enter and leave that makes no difference while none needs headroom: what is in use
 * is a sum over what lies there. So there are no events: the arrivals are dealt by the port they
 * leave through (egress_batch.c), and each port is worked through from one end of the window to the
 * other. It catches up with its departures when the next frame comes, and once more at the end,
 * each at its own time: marks, telemetry and what watchers are told are those of the long way
 * (switch.c), which costs two events a frame.
 *
 * Rests on all arrivals of a time coming before its departures (is_patient in mmu.c): then what is
 * there when an arrival comes is what those before it have left.
 */
#include "fabric/switch/bulk/burst.h"

/* A frame that was waiting goes when the one before it is through: the transmission that ends is
 * its cause, whose age is its length. The count of the port stays what it was when it became busy,
 * as in switch.c: there is no count of this event here, and no need for one (tie_key.h). */
static inline struct asim_frame *begin_behind(struct asim_lane *lane, struct asim_port *port,
                                              uint32_t bytes)
{
    struct asim_event_key then = {port->busy_until, asim_port_tie_key(port), port->start_seq};

    return asim_port_begin(lane, port, bytes, then);
}

void asim_calm_charge(struct asim_desk *desk, const struct asim_desk *other)
{
    for (size_t i = 0; i < other->debits.n; i++) {
        const struct asim_debit *debit = &other->debits.at[i];

        if (desk->sw->desk_of[debit->in] == desk->i)
            calm_hold(desk, debit->in, debit->q, debit->bytes);
    }
}

/* The next frame of port p begins when the present one ends; something must be waiting. */
static inline void depart(struct asim_fabric *fabric, struct asim_desk *desk, uint32_t p)
{
    struct asim_switch *sw = desk->sw;
    struct asim_switch_port *port = &sw->ports[p];
    uint32_t q = asim_queue_next(port), in, bytes;
    struct asim_frame *head = asim_ring_head(&port->queue[q]), *frame;

    in = head->side;
    bytes = head->wire;
    frame = begin_behind(desk->lane, &port->port, bytes);
    if (!frame)
        return;
    asim_frame_copy(frame, head, port->port.start_recency);
    asim_queue_drop(port, q);
    asim_queue_tell(fabric, sw, p, port->port.tx_start);
    if (q) {
        calm_hold(desk, in, q, 0 - (uint64_t)bytes);
        port->use[q].egress -= bytes;
    }
    asim_switch_stamp(fabric, sw, p, frame, (const uint64_t[2]){q, port->port.tx_start});
    frame->t = port->port.busy_until + port->port.out->delay;
    asim_port_put_on_wire(desk->lane, port->port.out, frame);
}

/* All that leaves port p before t. What leaves at t itself goes after what comes in then, and is
 * left for the next time: costs a test where nothing waits, a copy per frame where something
 * does. */
static inline void catch_up(struct asim_fabric *fabric, struct asim_desk *desk, uint32_t p,
                            uint64_t t)
{
    const struct asim_switch_port *port = &desk->sw->ports[p];

    while (port->frames && port->port.busy_until < t && !desk->lane->failed)
        depart(fabric, desk, p);
}

/* A frame whose way out is free, or becomes free just now with nobody before it: then it leaves
 * what came at this same time behind it, which is no cause for a mark (`passes`). Its count is put
 * in when the window is through (tie_order.c). 1 if the port was free. */
static inline int pass_on(struct asim_fabric *fabric, struct asim_desk *desk,
                          const uint32_t in_out_q[3], const struct asim_frame *frame, uint64_t t)
{
    struct asim_switch *sw = desk->sw;
    struct asim_switch_port *port = &sw->ports[in_out_q[1]];
    const struct asim_wire *wire = sw->in[in_out_q[0]];
    uint32_t bytes = frame->wire, there = bytes;
    int idle = !port->port.busy || port->port.busy_until != t;
    struct asim_frame *place;

    if (idle) {
        place = asim_port_begin(desk->lane, &port->port, bytes,
                                (struct asim_event_key){t, asim_wire_tie_key(wire, frame), 0});
    } else {
        there += port->passed_t == t ? port->passed_bytes : 0; /* they may take no time at all */
        port->passed = 1;
        port->passed_t = t;
        port->passed_bytes = there;
        place = begin_behind(desk->lane, &port->port, bytes);
    }
    if (!place)
        return 0;
    asim_frame_copy(place, frame, port->port.start_recency);
    if (there > port->peak_bytes)
        port->peak_bytes = there;
    if (in_out_q[2])
        port->rr = (uint8_t)in_out_q[2];
    if (fabric->set.stamps)
        asim_telemetry_stamp(fabric, sw, in_out_q[1], place, asim_to_ns(fabric, t));
    place->t = port->port.busy_until + port->port.out->delay;
    asim_port_put_on_wire(desk->lane, port->port.out, place);
    return idle;
}

static inline void enqueue(struct asim_fabric *fabric, struct asim_desk *desk,
                           const uint32_t in_out_q[3], const struct asim_frame *frame, uint64_t t)
{
    uint32_t p = in_out_q[1];
    struct asim_switch_port *port = &desk->sw->ports[p];
    uint64_t length;

    calm_push(desk, in_out_q, frame);
    length = port->bytes + (port->passed_t == t ? port->passed_bytes : 0);
    if (length > port->peak_bytes)
        port->peak_bytes = length;
    asim_queue_tell(fabric, desk->sw, p, t);
}

/* The whole of an arrival: its port, which has caught up, sends it on or queues it. 1 if it went on
 * at once as the first of a row: what later counts as the cause of all that follow it without a
 * break. */
static inline int take_frame(struct asim_fabric *fabric, struct asim_desk *desk,
                             const uint32_t in_out[2], const struct asim_frame *frame, uint64_t t)
{
    uint32_t q = asim_queue_of(fabric, frame), out = in_out[1];
    struct asim_switch_port *port = &desk->sw->ports[out];

    if (!port->frames && (!port->port.busy || port->port.busy_until < t + port->passes))
        return pass_on(fabric, desk, (const uint32_t[3]){in_out[0], out, q}, frame, t);
    enqueue(fabric, desk, (const uint32_t[3]){in_out[0], out, q}, frame, t);
    return 0;
}

/* Arrivals in order, of one way out; consumed. */
struct span {
    uint64_t *at, *end;
    uint64_t begin, until; /* of the window */
};

/* Into the mailbox of the wire, to start at the port's tx_start. The shared buffer is left as it
 * is: what comes and goes within a calm window takes nothing from anybody. */
static inline void send_plain(struct asim_lane *lane, struct asim_port *port,
                              const struct asim_frame *frame)
{
    struct asim_wire *wire = port->out;
    struct asim_frame *place = asim_link_ring_slot(lane, wire);

    if (!place)
        return;
    wire->frames++;
    wire->bytes += frame->wire;
    port->busy_until = port->tx_start + wire->tx[frame->wire];
    asim_frame_copy(place, frame, port->start_recency);
    place->t = port->busy_until + wire->delay;
    asim_port_put_on_wire(lane, wire, place);
}

/* All that comes to a plain port: a frame starts when it comes, or when the one before it is
 * through. What starts in this window goes straight into the mailbox of the wire; who cannot start
 * goes into the queue, as all behind it do. An entry becomes start << 16 | bytes of what waited,
 * for the length of the queue that the next arrivals see: who comes as another starts still sees it
 * there. Returns the last entry that found the port idle, 0 without one. */
static uint64_t serve_plain(struct asim_fabric *fabric, struct asim_desk *desk, uint32_t out,
                            const struct span *span)
{
    struct asim_switch *sw = desk->sw;
    struct asim_switch_port *port = &sw->ports[out];
    uint64_t cause = 0, waiting = 0, *first = span->at;

    port->rr = (uint8_t)fabric->set.net->priority_group;
    for (uint64_t *at = span->at; at < span->end; at++) {
        uint64_t entry = *at, t = entry >> ASIM_TICK_SHIFT;
        uint32_t in = asim_batch_in(entry);
        const struct asim_wire *from = sw->in[in];
        const struct asim_frame *frame = asim_batch_frame(from, entry);

        for (; first < at && *first >> 16 < t; first++)
            waiting -= *first & 0xffff;
        t += span->begin;
        if (waiting + frame->wire > port->peak_bytes)
            port->peak_bytes = waiting + frame->wire;
        if (!port->port.busy || port->port.busy_until < t) {
            port->port.busy = 1;
            port->port.tx_start = t;
            port->port.start_recency = asim_wire_recency(from, frame->wire);
            cause = entry + 1;
            *at = (t - span->begin) << 16;
            send_plain(desk->lane, &port->port, frame);
            continue;
        }
        waiting += frame->wire;
        *at = (port->port.busy_until - span->begin) << 16 | frame->wire;
        if (port->port.busy_until >= span->until) {
            calm_push(desk, (const uint32_t[3]){in, out, fabric->set.net->priority_group}, frame);
            continue;
        }
        port->port.start_recency = calm_youth_behind(port->port.busy_until - port->port.tx_start);
        port->port.tx_start = port->port.busy_until;
        send_plain(desk->lane, &port->port, frame);
    }
    return cause;
}

/* Frame by frame while some wait from before, or where somebody looks. As serve_plain. */
static uint64_t serve_span(struct asim_fabric *fabric, struct asim_desk *desk, uint32_t out,
                           struct span *span)
{
    struct asim_switch *sw = desk->sw;
    struct asim_switch_port *port = &sw->ports[out];
    uint64_t cause = 0, plain;

    for (; span->at < span->end; span->at++) {
        uint64_t entry = *span->at, t = span->begin + (entry >> ASIM_TICK_SHIFT);
        uint32_t in = asim_batch_in(entry);
        const struct asim_frame *frame = asim_batch_frame(sw->in[in], entry);

        if (port->frames)
            catch_up(fabric, desk, out, t);
        if (port->passed_t != t && calm_is_plain(fabric, port, (uint64_t)(span->end - span->at))) {
            plain = serve_plain(fabric, desk, out, span);
            return plain ? plain : cause;
        }
        if (take_frame(fabric, desk, (const uint32_t[2]){in, out}, frame, t))
            cause = entry + 1;
    }
    return cause;
}

/* All that leaves through port `out`, in the order in which it came. */
static void serve(struct asim_fabric *fabric, struct asim_desk *desk, uint32_t out,
                  const uint64_t begin_until[2])
{
    struct asim_switch *sw = desk->sw;
    struct asim_batch *batch = &desk->batch[out];
    uint64_t cause, *at;

    if (burst_may(fabric, desk, out)) {
        cause = burst_serve(fabric, desk, out, begin_until);
    } else {
        if (asim_batch_list(sw, batch, begin_until[0]))
            desk->lane->failed = ASIM_ENOMEM;
        at = asim_batch_order(desk, batch);
        cause = serve_span(fabric, desk, out,
                           &(struct span){at, at + batch->n, begin_until[0], begin_until[1]});
    }
    if (cause)
        desk->started[desk->n_started++] = (struct asim_came){cause - 1, out, 0};
    if (sw->ports[out].frames)
        catch_up(fabric, desk, out, begin_until[1]);
}

int asim_calm_may(const struct asim_fabric *fabric, const struct asim_switch *sw)
{
    return !sw->stirred && sw->patient && !fabric->run.per_event && !fabric->losses &&
           !fabric->watch.frame && (!fabric->watch.queue || sw->samples) &&
           fabric->set.net->load_balance != ASIM_SPRAY;
}

/* Ports with frames from before to which nothing came catch up at the end: the next window may be
 * no calm one, and who asks for the switch's next time counts on nothing being overdue. */
void asim_calm_serve(struct asim_fabric *fabric, struct asim_desk *desk, uint64_t begin,
                     uint64_t until)
{
    int alone = desk->sw->n_desks == 1;

    for (uint32_t i = 0; i < desk->n_ways_out && !desk->lane->failed; i++) {
        uint32_t out = desk->ways_out[i];

        if (alone || desk->sw->desk_of[out] == desk->i)
            serve(fabric, desk, out, (const uint64_t[2]){begin, until});
    }
    for (uint32_t p = asim_backlog_next(desk, 0); p < desk->sw->n_ports;
         p = asim_backlog_next(desk, p + 1))
        catch_up(fabric, desk, p, until);
}
