/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch in bulk windows: nobody is paused, no port is down, and what comes in before the window
 * ends is no pause and too little to call for one. All that is known when the window opens, for it
 * lies in the mailboxes. Then what ports have in common is the shared buffer alone, and in which
 * order frames enter and leave that makes no difference while none needs headroom: what is in use
 * is a sum over what lies there. So there are no events: the arrivals are dealt by the port they
 * leave through (egress_batch.c), and each port is worked through from one end of the window to the
 * other. It catches up with its departures when the next frame comes, and once more at the end,
 * each at its own time: marks, telemetry and what watchers are told are those of the long way
 * (switch.c), which costs two events a frame.
 *
 * Rests on all arrivals of a time coming before its departures (arrivals_precede_departures in
 * mmu.c): then what is there when an arrival comes is what those before it have left.
 */
#include "fabric/switch/bulk/burst.h"
#include "fabric/host/telemetry.h"

/* A frame that was waiting goes when the one before it is through: the transmission that ends is
 * its cause, whose age is its length. The count of the port stays what it was when it became busy,
 * as in switch.c: there is no count of this event here, and no need for one (tie_key.h). */
static inline struct asim_frame *begin_behind(struct asim_worker *worker, struct asim_port *port,
                                              uint32_t bytes)
{
    struct asim_event_key then = {port->busy_until, asim_port_tie_key(port), port->start_seq};

    return asim_port_begin(worker, port, bytes, then);
}

void asim_bulk_apply_deferred(struct asim_switch_shard *shard,
                              const struct asim_switch_shard *other)
{
    for (size_t i = 0; i < other->deferred_updates.n; i++) {
        const struct asim_buffer_update *debit = &other->deferred_updates.at[i];

        if (shard->sw->shard_of[debit->in] == shard->i)
            bulk_account(shard, debit->in, debit->q, debit->bytes);
    }
}

/* The next frame of port p begins when the present one ends; something must be waiting. */
static inline void depart(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint32_t p)
{
    struct asim_switch *sw = shard->sw;
    struct asim_switch_port *port = &sw->ports[p];
    uint32_t q = asim_queue_next(port), in, bytes;
    struct asim_frame *head = asim_ring_head(&port->queue[q]), *frame;

    in = head->ingress;
    bytes = head->wire;
    frame = begin_behind(shard->worker, &port->port, bytes);
    if (!frame)
        return;
    asim_frame_copy(frame, head, port->port.start_recency);
    asim_queue_drop(port, q);
    asim_queue_notify(fabric, sw, p, port->port.tx_start);
    if (q) {
        bulk_account(shard, in, q, 0 - (uint64_t)bytes);
        port->occupancy[q].egress -= bytes;
    }
    asim_switch_mark_and_stamp(fabric, sw, p, frame, (const uint64_t[2]){q, port->port.tx_start});
    frame->t = asim_link_arrival(port->port.out, port->port.busy_until);
    asim_port_put_on_wire(shard->worker, port->port.out, frame);
}

/* All that leaves port p before t. What leaves at t itself goes after what comes in then, and is
 * left for the next time: costs a test where nothing waits, a copy per frame where something
 * does. */
static inline void drain_until(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                               uint32_t p, uint64_t t)
{
    const struct asim_switch_port *port = &shard->sw->ports[p];

    while (port->frames && port->port.busy_until < t && !shard->worker->failed)
        depart(fabric, shard, p);
}

/* A frame whose way out is free, or becomes free just now with nobody before it: then it leaves
 * what came at this same time behind it, which is no cause for a mark (`passes`). Its count is put
 * in when the window is through (tie_order.c). 1 if the port was free. */
static inline int forward(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                          const uint32_t in_out_q[3], const struct asim_frame *frame, uint64_t t)
{
    struct asim_switch *sw = shard->sw;
    struct asim_switch_port *port = &sw->ports[in_out_q[1]];
    const struct asim_wire *wire = sw->in[in_out_q[0]];
    uint32_t bytes = frame->wire, there = bytes;
    int idle = !port->port.busy || port->port.busy_until != t;
    struct asim_frame *place;

    if (idle) {
        place = asim_port_begin(shard->worker, &port->port, bytes,
                                (struct asim_event_key){t, asim_wire_tie_key(wire, frame), 0});
    } else {
        there +=
            port->same_tick_at == t ? port->same_tick_bytes : 0; /* they may take no time at all */
        port->same_tick = 1;
        port->same_tick_at = t;
        port->same_tick_bytes = there;
        place = begin_behind(shard->worker, &port->port, bytes);
    }
    if (!place)
        return 0;
    asim_frame_copy(place, frame, port->port.start_recency);
    if (there > port->peak_bytes)
        port->peak_bytes = there;
    if (in_out_q[2])
        port->rr = (uint8_t)in_out_q[2];
    if (fabric->set.writes_telemetry)
        asim_telemetry_write(fabric, sw, in_out_q[1], place, asim_to_ns(fabric, t));
    place->t = asim_link_arrival(port->port.out, port->port.busy_until);
    asim_port_put_on_wire(shard->worker, port->port.out, place);
    return idle;
}

static inline void enqueue(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                           const uint32_t in_out_q[3], const struct asim_frame *frame, uint64_t t)
{
    uint32_t p = in_out_q[1];
    struct asim_switch_port *port = &shard->sw->ports[p];
    uint64_t length;

    bulk_push(shard, in_out_q, frame);
    length = port->bytes + (port->same_tick_at == t ? port->same_tick_bytes : 0);
    if (length > port->peak_bytes)
        port->peak_bytes = length;
    asim_queue_notify(fabric, shard->sw, p, t);
}

/* The whole of an arrival: its port, which has caught up, sends it on or queues it. 1 if it went on
 * at once as the first of a row: what later counts as the cause of all that follow it without a
 * break. */
static inline int take_frame(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                             const uint32_t in_out[2], const struct asim_frame *frame, uint64_t t)
{
    uint32_t q = asim_queue_of(fabric, frame), out = in_out[1];
    struct asim_switch_port *port = &shard->sw->ports[out];

    if (!port->frames && (!port->port.busy || port->port.busy_until < t + port->same_tick_ok))
        return forward(fabric, shard, (const uint32_t[3]){in_out[0], out, q}, frame, t);
    enqueue(fabric, shard, (const uint32_t[3]){in_out[0], out, q}, frame, t);
    return 0;
}

/* Arrivals in order, of one way out; consumed. */
struct arrivals {
    uint64_t *at, *end;
    uint64_t begin, until; /* of the window */
};

/* Into the mailbox of the wire, to start at the port's tx_start. The shared buffer is left as it
 * is: what comes and goes within a bulk window takes nothing from anybody. */
static inline void send_uncongested(struct asim_worker *worker, struct asim_port *port,
                                    const struct asim_frame *frame)
{
    struct asim_wire *wire = port->out;
    struct asim_frame *place = asim_link_ring_slot(worker, wire);

    if (!place)
        return;
    wire->frames++;
    wire->bytes += frame->wire;
    port->busy_until = port->tx_start + wire->tx[frame->wire];
    asim_frame_copy(place, frame, port->start_recency);
    place->t = asim_link_arrival(wire, port->busy_until);
    asim_port_put_on_wire(worker, wire, place);
}

/* All that comes to a plain port: a frame starts when it comes, or when the one before it is
 * through. What starts in this window goes straight into the mailbox of the wire; who cannot start
 * goes into the queue, as all behind it do. An entry becomes start << 16 | bytes of what waited,
 * for the length of the queue that the next arrivals see: who comes as another starts still sees it
 * there. Returns the last entry that found the port idle, 0 without one. */
static uint64_t serve_uncongested(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                  uint32_t out, const struct arrivals *arrivals)
{
    struct asim_switch *sw = shard->sw;
    struct asim_switch_port *port = &sw->ports[out];
    uint64_t cause = 0, waiting = 0, *first = arrivals->at;

    port->rr = (uint8_t)fabric->set.net->priority_group;
    for (uint64_t *at = arrivals->at; at < arrivals->end; at++) {
        uint64_t entry = *at, t = entry >> ASIM_TICK_SHIFT;
        uint32_t in = asim_arrival_port(entry);
        const struct asim_wire *from = sw->in[in];
        const struct asim_frame *frame = asim_arrival_frame(from, entry);

        for (; first < at && *first >> 16 < t; first++)
            waiting -= *first & 0xffff;
        t += arrivals->begin;
        if (waiting + frame->wire > port->peak_bytes)
            port->peak_bytes = waiting + frame->wire;
        if (!port->port.busy || port->port.busy_until < t) {
            port->port.busy = 1;
            port->port.tx_start = t;
            port->port.start_recency = asim_wire_recency(from, frame->wire);
            cause = entry + 1;
            *at = (t - arrivals->begin) << 16;
            send_uncongested(shard->worker, &port->port, frame);
            continue;
        }
        waiting += frame->wire;
        *at = (port->port.busy_until - arrivals->begin) << 16 | frame->wire;
        if (port->port.busy_until >= arrivals->until) {
            bulk_push(shard, (const uint32_t[3]){in, out, fabric->set.net->priority_group}, frame);
            continue;
        }
        port->port.start_recency = bulk_recency_behind(port->port.busy_until - port->port.tx_start);
        port->port.tx_start = port->port.busy_until;
        send_uncongested(shard->worker, &port->port, frame);
    }
    return cause;
}

/* Frame by frame while some wait from before, or where somebody looks. As serve_uncongested. */
static uint64_t serve_arrivals(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                               uint32_t out, struct arrivals *arrivals)
{
    struct asim_switch *sw = shard->sw;
    struct asim_switch_port *port = &sw->ports[out];
    uint64_t cause = 0, served;

    for (; arrivals->at < arrivals->end; arrivals->at++) {
        uint64_t entry = *arrivals->at, t = arrivals->begin + (entry >> ASIM_TICK_SHIFT);
        uint32_t in = asim_arrival_port(entry);
        const struct asim_frame *frame = asim_arrival_frame(sw->in[in], entry);

        if (port->frames)
            drain_until(fabric, shard, out, t);
        if (port->same_tick_at != t &&
            bulk_is_uncongested(fabric, port, (uint64_t)(arrivals->end - arrivals->at))) {
            served = serve_uncongested(fabric, shard, out, arrivals);
            return served ? served : cause;
        }
        if (take_frame(fabric, shard, (const uint32_t[2]){in, out}, frame, t))
            cause = entry + 1;
    }
    return cause;
}

/* All that leaves through port `out`, in the order in which it came. */
static void serve(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint32_t out,
                  const uint64_t begin_until[2])
{
    struct asim_switch *sw = shard->sw;
    struct asim_egress_batch *batch = &shard->batch[out];
    uint64_t cause, *at;

    if (burst_may(fabric, shard, out)) {
        cause = burst_serve(fabric, shard, out, begin_until);
    } else {
        if (asim_egress_batch_expand(sw, batch, begin_until[0]))
            shard->worker->failed = ASIM_ENOMEM;
        at = asim_arrivals_order(shard, batch);
        cause =
            serve_arrivals(fabric, shard, out,
                           &(struct arrivals){at, at + batch->n, begin_until[0], begin_until[1]});
    }
    if (cause)
        shard->last_tx_start[shard->n_last_tx_starts++] =
            (struct asim_port_event){cause - 1, out, 0};
    if (sw->ports[out].frames)
        drain_until(fabric, shard, out, begin_until[1]);
}

int asim_bulk_allowed(const struct asim_fabric *fabric, const struct asim_switch *sw)
{
    return !(fabric->set.without & ASIM_FAST_BULK_SWITCH) && !sw->maybe_paused &&
           sw->arrivals_before_departures && !fabric->run.per_event && !fabric->losses &&
           !fabric->watch.frame && (!fabric->watch.queue || sw->samples) &&
           fabric->set.net->load_balance != ASIM_SPRAY;
}

/* Ports with frames from before to which nothing came catch up at the end: the next window may be
 * no bulk one, and who asks for the switch's next time counts on nothing being overdue. */
void asim_bulk_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint64_t begin,
                     uint64_t until)
{
    int alone = shard->sw->n_shards == 1;

    for (uint32_t i = 0; i < shard->n_egress_ports && !shard->worker->failed; i++) {
        uint32_t out = shard->egress_ports[i];

        if (alone || shard->sw->shard_of[out] == shard->i)
            serve(fabric, shard, out, (const uint64_t[2]){begin, until});
    }
    for (uint32_t p = asim_pending_next(shard, 0); p < shard->sw->n_ports;
         p = asim_pending_next(shard, p + 1))
        drain_until(fabric, shard, p, until);
}
