/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The egress ports of a bulk window (bulk.h). A port takes its batch frame by frame. At an
 * uncongested port frames go from receive ring to receive ring without a queue: in one loop for any
 * batch, in a shorter one for a single-source burst. README.md says what each loop brings.
 */
#include "fabric/switch/bulk/bulk.h"

#include "fabric/switch/bulk/egress_queue.h"

/* has_plain_queues: there is one queue for all frames, and no observer reads queues. */
struct window {
    uint64_t begin, until;
    int has_plain_queues;
};

void asim_bulk_apply_deferred(struct asim_switch_shard *shard,
                              const struct asim_switch_shard *other)
{
    for (size_t i = 0; i < other->deferred_updates.n; i++) {
        const struct asim_buffer_update *update = &other->deferred_updates.at[i];

        if (shard->sw->shard_of[update->in] == shard->i)
            asim_egress_account(shard, update->in, update->q, update->bytes);
    }
}

/* --- frame by frame --------------------------------------------------------------------------- */

/* Sends a frame on at once: its egress port is idle, or becomes idle in this tick with no frame
 * queued (a same-tick departure, which asim_switch_port.same_tick_ok allows). tie_order.c sets the
 * event count at the end of the window. 1 if the port was idle. */
static inline int forward(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                          struct asim_transit transit, const struct asim_frame *frame, uint64_t t)
{
    struct asim_switch *sw = shard->sw;
    struct asim_switch_port *port = &sw->ports[transit.out];
    const struct asim_wire *wire = sw->in[transit.in];
    uint32_t bytes = frame->wire, queued = bytes;
    int idle = !port->port.busy || port->port.busy_until != t;
    struct asim_frame *place;

    if (idle) {
        place = asim_port_begin(shard->worker, &port->port, bytes,
                                (struct asim_event_key){t, asim_wire_tie_key(wire, frame), 0});
    } else {
        queued += port->same_tick_at == t ? port->same_tick_bytes : 0; /* 0 ns transmissions */
        port->same_tick = 1;
        port->same_tick_at = t;
        port->same_tick_bytes = queued;
        place = asim_egress_begin_behind(shard->worker, &port->port, bytes);
    }
    if (!place)
        return 0;
    asim_frame_copy(place, frame, port->port.start_recency);
    if (queued > port->peak_bytes)
        port->peak_bytes = queued;
    if (transit.q)
        asim_queue_pass(port, transit.q);
    if (fabric->set.writes_telemetry)
        asim_telemetry_write(fabric, sw, transit.out, place, asim_to_ns(fabric, t));
    place->t = asim_link_arrival(port->port.out, port->port.busy_until);
    asim_port_put_on_wire(shard->worker, port->port.out, place);
    return idle;
}

static inline void enqueue(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                           struct asim_transit transit, const struct asim_frame *frame, uint64_t t)
{
    struct asim_switch_port *port = &shard->sw->ports[transit.out];
    uint64_t length;

    asim_egress_push(shard, transit, frame);
    length = port->bytes + (port->same_tick_at == t ? port->same_tick_bytes : 0);
    if (length > port->peak_bytes)
        port->peak_bytes = length;
    asim_queue_notify(fabric, shard->sw, transit.out, t);
}

/* An arrival at a drained port. 1 if the frame found the port idle: it then is the cause of all
 * frames that follow it without a break. */
static inline int take_frame(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                             struct asim_transit transit, const struct asim_frame *frame,
                             uint64_t t)
{
    struct asim_switch_port *port = &shard->sw->ports[transit.out];

    if (!port->frames && (!port->port.busy || port->port.busy_until < t + port->same_tick_ok))
        return forward(fabric, shard, transit, frame, t);
    enqueue(fabric, shard, transit, frame, t);
    return 0;
}

/* Cause recency of a transmission that starts as one of `tx` ticks ends. */
static inline uint32_t recency_behind(uint64_t tx)
{
    const uint64_t most = (1ull << ASIM_CAUSE_BITS) - 1;

    return tx < most ? (uint32_t)(most - tx) : 0;
}

/* The port is uncongested: its queues are plain, and the frames in it with n more cannot reach an
 * ECN threshold. */
static inline int is_uncongested(const struct window *window, const struct asim_switch_port *port,
                                 uint64_t n)
{
    return window->has_plain_queues && port->frames + n <= port->ecn_free_frames;
}

/* Frames that wait at the start of a window, each with its start << 16 | bytes. At a port in full
 * use some always do. */
enum { MOST_WAITING = 64 };
struct backlog {
    uint64_t at[MOST_WAITING];
    uint32_t n;
};

/* Whether only few frames wait, all in one queue. */
static inline int is_short(const struct asim_switch_port *port, uint32_t q)
{
    return !port->frames || (port->frames <= MOST_WAITING && port->waiting == 1u << q);
}

/* An uncongested egress port while it takes arrivals: its state stays in registers. Frames go
 * straight to the wire, which has room for them. They never enter the shared buffer: they would
 * leave it in the same window. */
struct burst {
    uint64_t busy, start; /* last transmission: end, 0 without one, and start */
    uint32_t recency;     /* of its cause (tie_key.h) */
    uint32_t idle;        /* 1 + the index of the last frame that found the port idle */
    /* Bytes that have arrived and not started. The first such frame starts at next_start; `next` is
     * its place on the egress link. */
    uint64_t waiting, next_start, peak;
    uint32_t next, tail; /* tail: the place of the next frame on the egress link */
};

/* Puts a frame that starts at port->start on the egress link. */
static inline void burst_send(struct asim_switch_shard *shard, struct burst *port,
                              struct asim_wire *wire, const struct asim_frame *frame)
{
    struct asim_frame *place = &wire->at[port->tail++ & wire->mask];

    wire->frames++; /* its number on the link orders completions of one tick */
    port->busy = port->start + wire->tx[(uint32_t)frame->wire];
    asim_frame_copy(place, frame, port->recency);
    place->t = asim_link_arrival(wire, port->busy);
    asim_port_check_final(shard->worker, wire, place);
}

/* Writes the state back to the port, and publishes the frames on the egress link. */
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
    atomic_store_explicit(&wire->tail, port->tail, memory_order_release);
    if (t < shard->worker->min_arrival[wire->to_slot])
        shard->worker->min_arrival[wire->to_slot] = t;
}

/* Arrivals of one egress port, in order. The entries are consumed. */
struct arrivals {
    uint64_t *at, *end;
};

/* Sends the frames that wait and start in this window, although later arrivals come before some of
 * their starts: no arrival changes these. */
static void depart_all(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint32_t p,
                       const struct window *window, struct backlog *backlog)
{
    const struct asim_switch_port *port = &shard->sw->ports[p];

    backlog->n = 0;
    while (port->frames && port->port.busy_until < window->until && !shard->worker->failed) {
        uint64_t bytes = port->bytes;

        asim_egress_depart(fabric, shard, p);
        backlog->at[backlog->n++] =
            (port->port.tx_start - window->begin) << 16 | (bytes - port->bytes);
    }
}

/* All arrivals of an uncongested port: a frame starts as it arrives, or as the one before it ends.
 * A frame that starts in this window goes to the receive ring of the link at once; the first frame
 * that cannot, and all frames behind it, go into the queue. An entry becomes start << 16 | bytes
 * that waited, which gives the queue length that later arrivals see. Returns as serve_batch. */
static uint64_t serve_uncongested(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                  struct asim_transit transit, const struct arrivals *arrivals,
                                  const struct window *window)
{
    struct asim_switch *sw = shard->sw;
    struct asim_switch_port *to = &sw->ports[transit.out];
    struct asim_wire *wire = to->port.out;
    uint64_t cause = 0, bytes = 0, *first = arrivals->at;
    struct burst port = {.waiting = to->bytes, .peak = to->peak_bytes};
    struct backlog backlog;
    uint32_t departed = 0;

    depart_all(fabric, shard, transit.out, window, &backlog);
    asim_queue_pass(to, transit.q);
    port.busy = to->port.busy ? to->port.busy_until : 0;
    port.start = to->port.tx_start;
    port.tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);
    for (uint64_t *at = arrivals->at; at < arrivals->end; at++) {
        uint64_t entry = *at, t = entry >> ASIM_TICK_SHIFT;
        const struct asim_wire *from = sw->in[transit.in = asim_arrival_port(entry)];
        const struct asim_frame *frame = asim_arrival_frame(from, entry);
        uint32_t size = (uint32_t)frame->wire;

        for (; departed < backlog.n && backlog.at[departed] >> 16 < t; departed++)
            port.waiting -= backlog.at[departed] & 0xffff;
        for (; first < at && *first >> 16 < t; first++)
            port.waiting -= *first & 0xffff;
        if (port.waiting + size > port.peak)
            port.peak = port.waiting + size;
        if (port.busy < t + window->begin) {
            port.start = t + window->begin;
            port.recency = asim_wire_recency(from, size);
            cause = entry + 1;
            *at = t << 16;
        } else {
            port.waiting += size;
            *at = (port.busy - window->begin) << 16 | size;
            if (port.busy >= window->until) {
                asim_egress_push(shard, transit, frame);
                continue;
            }
            port.recency = recency_behind(port.busy - port.start);
            port.start = port.busy;
        }
        burst_send(shard, &port, wire, frame);
        bytes += size;
    }
    wire->bytes += bytes;
    burst_end(shard, to, &port);
    return cause;
}

/* All arrivals of a batch, in order. Returns 1 + the last entry that found the port idle; 0: none.
 */
static uint64_t serve_batch(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                            uint32_t out, const struct window *window)
{
    const struct asim_switch *sw = shard->sw;
    struct asim_switch_port *port = &sw->ports[out];
    struct asim_egress_batch *batch = &shard->batch[out];
    struct arrivals arrivals;
    uint64_t cause = 0;

    if (asim_egress_batch_expand(sw, batch, window->begin))
        shard->worker->failed = ASIM_ENOMEM;
    arrivals.at = asim_arrivals_order(shard, batch);
    arrivals.end = arrivals.at + batch->n;
    for (; arrivals.at < arrivals.end; arrivals.at++) {
        uint64_t entry = *arrivals.at, t = window->begin + (entry >> ASIM_TICK_SHIFT);
        uint32_t in = asim_arrival_port(entry);
        const struct asim_frame *frame = asim_arrival_frame(sw->in[in], entry);
        struct asim_transit transit = {in, out, asim_queue_of(fabric, frame)};

        if (port->frames)
            asim_egress_drain(fabric, shard, out, t);
        if (port->same_tick_at != t && is_short(port, transit.q) &&
            is_uncongested(window, port, (uint64_t)(arrivals.end - arrivals.at)) &&
            asim_link_ring_has_room(port->port.out,
                                    port->frames + (uint32_t)(arrivals.end - arrivals.at))) {
            uint64_t last = serve_uncongested(fabric, shard, transit, &arrivals, window);

            return last ? last : cause;
        }
        if (take_frame(fabric, shard, transit, frame, t))
            cause = entry + 1;
    }
    return cause;
}

/* --- single-source bursts ---------------------------------------------------------------------- *
 *
 * All arrivals of an egress port are from one ingress port, frame behind frame in its receive
 * ring. This is the usual case for messages of a few packets. The burst needs no order and no
 * entries, and the state of the port stays in registers. */

/* A frame of `size` bytes arrives at t. Frames that started before t wait no more. A frame that
 * starts at t still waits, and no frame arrives exactly then (arrives_in_sequence). */
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

/* The frame starts on arrival, or behind the one before it. */
static inline void burst_begin(struct burst *port, const struct asim_wire *from,
                               const struct asim_frame *frame, uint32_t index)
{
    if (port->busy < frame->t) {
        port->start = frame->t;
        port->recency = asim_wire_recency(from, frame->wire);
        port->idle = index + 1;
    } else {
        port->recency = recency_behind(port->busy - port->start);
        port->start = port->busy;
    }
}

/* Queues the frames from index i on, which cannot start in this window. Returns the peak. */
static inline uint64_t burst_queue(struct asim_switch_shard *shard, struct asim_transit transit,
                                   struct burst port, uint32_t i)
{
    const struct asim_egress_batch *batch = &shard->batch[transit.out];
    const struct asim_wire *from = shard->sw->in[transit.in];
    const struct asim_wire *wire = shard->sw->ports[transit.out].port.out;

    for (; i < batch->burst; i++) {
        const struct asim_frame *frame = asim_arrival_frame(from, i);

        burst_arrive(&port, wire, frame->t, (uint32_t)frame->wire);
        asim_egress_push(shard, transit, frame);
    }
    return port.peak;
}

/* Whether every frame, the shortest packet and an ACK, takes time on its link, so that no two
 * frames arrive in one tick. */
static inline int arrives_in_sequence(const struct asim_fabric *fabric,
                                      const struct asim_wire *from)
{
    return from->in_tx[fabric->set.data_overhead + 1] && from->in_tx[fabric->set.ack_wire];
}

/* Whether the batch of port `out` is a burst, and the port is uncongested. */
static inline int is_burst(const struct asim_fabric *fabric, const struct asim_switch_shard *shard,
                           uint32_t out, const struct window *window)
{
    const struct asim_switch_port *port = &shard->sw->ports[out];
    const struct asim_egress_batch *batch = &shard->batch[out];

    return batch->burst && !port->frames && is_uncongested(window, port, batch->burst) &&
           arrives_in_sequence(fabric, shard->sw->in[batch->in]) &&
           asim_link_ring_has_room(port->port.out, batch->burst) &&
           (!port->same_tick ||
            port->same_tick_at != asim_arrival_frame(shard->sw->in[batch->in], 0)->t);
}

/* As serve_batch. Frames that start in this window never enter the shared buffer: they would leave
 * it in the same window. */
static inline uint64_t serve_burst(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                   uint32_t out, const struct window *window)
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
    const struct asim_link_ring_view ring = asim_link_ring_view_of(from);
    const struct asim_frame *frame = asim_link_ring_view_nth(&ring, 0);
    uint64_t bytes = 0;
    uint32_t i, group = fabric->set.data_queue;

    asim_queue_pass(to, group);
    to->same_tick = 0; /* all further arrivals are later */
    for (i = 0; i < batch->burst; i++) {
        uint32_t size = (uint32_t)frame->wire;

        if (port.busy >= window->until)
            break;
        burst_arrive(&port, wire, frame->t, size);
        burst_begin(&port, from, frame, i);
        burst_send(shard, &port, wire, frame);
        bytes += size;
        frame = asim_link_ring_view_next(&ring, frame);
    }
    wire->bytes += bytes;
    if (i < batch->burst)
        port.peak = burst_queue(shard, (struct asim_transit){batch->in, out, group}, port, i);
    burst_end(shard, to, &port);
    if (!port.idle)
        return 0;
    return 1 + asim_arrival_entry(batch->in, port.idle - 1,
                                  asim_arrival_frame(from, port.idle - 1)->t - window->begin);
}

/* --- the window --------------------------------------------------------------------------------
 */

static void serve(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint32_t out,
                  const struct window *window)
{
    uint64_t cause = is_burst(fabric, shard, out, window) ? serve_burst(fabric, shard, out, window)
                                                          : serve_batch(fabric, shard, out, window);

    if (cause)
        shard->last_tx_start[shard->n_last_tx_starts++] =
            (struct asim_port_event){cause - 1, out, 0};
    if (shard->sw->ports[out].frames)
        asim_egress_drain(fabric, shard, out, window->until);
}

/* Ports without arrivals drain at the end: the next window may need events, and the time of the
 * switch's next event assumes that no departure is overdue. */
void asim_bulk_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint64_t begin,
                     uint64_t until)
{
    const struct window window = {begin, until,
                                  !fabric->set.writes_telemetry && !fabric->watch->queue &&
                                      !fabric->set.acks_first};
    int single = shard->sw->n_shards == 1;

    for (uint32_t i = 0; i < shard->n_egress_ports && !shard->worker->failed; i++) {
        uint32_t out = shard->egress_ports[i];

        if (single || shard->sw->shard_of[out] == shard->i)
            serve(fabric, shard, out, &window);
    }
    for (uint32_t p = asim_pending_next(shard, 0); p < shard->sw->n_ports;
         p = asim_pending_next(shard, p + 1))
        asim_egress_drain(fabric, shard, p, until);
}
