/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch event by event: store-and-forward, output-queued, without a latency of its own
 * (rdma-network.md#switches). Events are arrivals, and ends of transmissions with a frame queued
 * behind them, in the order of tie_key.h. The end of any other transmission is no event: the next
 * frame finds the port idle.
 *
 * The path of a frame: receive ring, route, admission, shared buffer, perhaps a PAUSE back, queue,
 * round robin, out of the buffer, perhaps an ECN mark, next link, perhaps a RESUME back. Only the
 * growth of a ring allocates memory.
 *
 * Most windows need none of this: see bulk/.
 */
#include "fabric/link/transmit.h"
#include "fabric/switch/advance.h"

#include "fabric/switch/bulk/bulk.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "fabric/switch/ecmp.h"
#include "fabric/switch/stamp.h"
#include "fabric/switch/mmu.h"
#include "fabric/switch/queue.h"

enum { MAX_PFC_REPEATS = 16 };

/* The present event, and the end of the window. is_listed: a list of all events orders them, and
 * the ends of all transmissions are in it. */
struct event {
    uint64_t t, tie, seq, until;
    int is_listed;
};

/* The cause of frames that leave in this event; the far end orders simultaneous arrivals by it. The
 * cause of a frame that has waited is the end of the transmission before it. */
static inline struct asim_event_key key_of(const struct asim_switch *sw, const struct event *event)
{
    return (struct asim_event_key){event->t, event->tie, sw->seq};
}

/* Whether the port is free for this event. If its transmission ends in the same tick, tie_key.h
 * orders the two events. */
static inline int port_is_idle(const struct asim_switch *sw, struct asim_port *port,
                               const struct event *event)
{
    uint64_t tie;

    if (!port->busy || port->busy_until < event->t)
        return 1;
    if (port->busy_until > event->t)
        return 0;
    if (event->is_listed)
        return 0;
    tie = asim_port_tie_key(port);
    if (asim_tie_is_contested(tie, event->tie))
        sw->worker->contested = 1;
    return tie != event->tie ? tie < event->tie : port->start_seq <= event->seq;
}

/* Schedules the end of a port's transmission. Call it only if a frame waits behind. Later windows
 * schedule later ends (schedule_window). */
static inline void schedule_departure(struct asim_switch *sw, uint32_t p, uint64_t until)
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

/* Schedules the next arrival at port p, if it is due in this window. */
static inline void schedule_arrival(struct asim_switch *sw, uint32_t p, uint64_t until)
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

static void send_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, uint32_t q,
                     struct event *event);

/* Sends a PFC frame again that the link lost, with the state that holds now. Pauses have no timer,
 * so a lost RESUME would stop the port for ever. The repetition stands for the refresh of 802.1Qbb.
 * The caller finds a frame queued behind the lost one. */
static void repeat_pfc(struct asim_switch *sw, uint32_t p, const struct asim_frame *lost)
{
    const struct asim_switch_port *port = &sw->ports[p];
    struct asim_frame frame = {.wire = ASIM_PFC_WIRE,
                               .slot = lost->slot,
                               .dst = lost->dst,
                               .seq = lost->seq + 1,
                               .type = port->pausing >> lost->slot & 1 ? ASIM_PAUSE : ASIM_RESUME};

    if (frame.seq > MAX_PFC_REPEATS)
        return;
    sw->pfc_generated++;
    if (asim_queue_push(sw, (struct asim_transit){.out = p}, &frame))
        sw->worker->failed = ASIM_ENOMEM;
}

/* Starts the next frame of port p; 0 if none can start. seq: the count of the event that caused it.
 */
static inline int dequeue(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                          struct event *event, uint64_t seq)
{
    struct asim_switch_port *port = &sw->ports[p];
    struct asim_transit transit = {.out = p, .q = asim_queue_next(fabric, port)};
    struct asim_frame *frame, *head;
    uint32_t bytes;

    if (transit.q == ASIM_QUEUES || port->port.down)
        return 0;
    head = asim_ring_head(&port->queue[transit.q]);
    transit.in = head->ingress;
    bytes = head->wire;
    frame = asim_port_begin(sw->worker, &port->port, bytes,
                            (struct asim_event_key){event->t, event->tie, seq});
    if (!frame)
        return 0;
    asim_frame_copy(frame, head, port->port.start_recency);
    asim_queue_drop(port, transit.q);
    asim_queue_notify(fabric, sw, p, event->t);
    if (transit.q)
        asim_mmu_leave(sw, transit, bytes);
    asim_ecn_stamp(fabric, sw, transit, frame, event->t);
    if (asim_port_commit(sw->worker, &port->port, frame) && frame->type >= ASIM_PAUSE)
        repeat_pfc(sw, p, frame);
    if (transit.q && sw->ports[transit.in].pausing &&
        asim_mmu_wants_resume(sw, transit.in, transit.q))
        send_pfc(fabric, sw, transit.in, transit.q, event);
    return 1;
}

/* The same for an idle port. Rare, so out of line. */
static void start_next(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                       struct event *event)
{
    sw->ports[p].port.busy = 0;
    if (dequeue(fabric, sw, p, event, sw->seq) && sw->ports[p].frames)
        schedule_departure(sw, p, event->until);
}

/* Appends a frame to its queue, and starts it if the port is idle. */
static inline void enqueue(struct asim_fabric *fabric, struct asim_switch *sw,
                           struct asim_transit transit, const struct asim_frame *frame,
                           struct event *event)
{
    uint32_t p = transit.out, waiting = sw->ports[p].frames;
    struct asim_switch_port *port = &sw->ports[p];

    if (asim_queue_push(sw, transit, frame)) {
        sw->worker->failed = ASIM_ENOMEM;
        return;
    }
    if (port->bytes > port->peak_bytes)
        port->peak_bytes = port->bytes;
    asim_queue_notify(fabric, sw, p, event->t);
    if (fabric->watch->frame)
        fabric->watch->frame(fabric->watch->frame_self, ASIM_FRAME_ENQUEUE,
                             (struct asim_port_id){sw->node, p + 1}, frame,
                             asim_to_ns(fabric, event->t));
    if (port_is_idle(sw, &port->port, event))
        start_next(fabric, sw, p, event);
    else if (!waiting)
        schedule_departure(sw, p, event->until);
}

/* Sends PAUSE or RESUME out of port p, and flips the state of the port. */
static void send_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, uint32_t q,
                     struct event *event)
{
    struct asim_switch_port *port = &sw->ports[p];
    struct asim_frame frame = {.wire = ASIM_PFC_WIRE,
                               .slot = q,
                               .dst = port->port.out->to,
                               .type = port->pausing >> q & 1 ? ASIM_RESUME : ASIM_PAUSE};

    sw->pfc_generated++;
    sw->pauses += frame.type == ASIM_PAUSE;
    port->pauses += frame.type == ASIM_PAUSE;
    port->pausing ^= (uint8_t)(1u << q);
    sw->maybe_paused = 1;
    enqueue(fabric, sw, (struct asim_transit){.out = p}, &frame, event);
}

/* A PAUSE holds until a RESUME, without a timer (rdma-network.md#priority-flow-control). A RESUME
 * may start a frame at once. A PAUSE never interrupts a transmission. */
static void take_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                     const struct asim_frame *frame, struct event *event)
{
    struct asim_switch_port *port = &sw->ports[p];
    uint8_t bit = (uint8_t)(1u << (frame->slot % ASIM_QUEUES));
    int pause = asim_pause_holds(fabric, frame);

    sw->pfc_received++;
    sw->maybe_paused = 1;
    port->port.paused = (uint8_t)(pause ? port->port.paused | bit : port->port.paused & ~bit);
    if (fabric->watch->pfc)
        fabric->watch->pfc(fabric->watch->self, asim_to_ns(fabric, event->t), sw->node, p + 1,
                           pause);
    if (!pause && port_is_idle(sw, &port->port, event))
        start_next(fabric, sw, p, event);
}

/* parity: also for frames without a route, which ASTRA-sim's ns-3 backend loses silently. */
static void drop(struct asim_switch *sw, uint32_t p, const struct asim_frame *frame, uint64_t t)
{
    sw->drops++;
    sw->ports[p].drops++;
    sw->drop_bytes += frame->wire;
    sw->worker->fabric->frame_hooks->lost(sw->worker, frame, t,
                                          (struct asim_port_id){sw->node, p + 1});
}

/* Sends a frame on without queueing it, if its egress port is free: 1. Counters and marks are the
 * same, and one copy less. Observers of frames and queues need the slow path. */
static inline int forward(struct asim_fabric *fabric, struct asim_switch *sw,
                          struct asim_transit transit, const struct asim_frame *frame,
                          struct event *event)
{
    struct asim_switch_port *port = &sw->ports[transit.out];
    uint32_t q = transit.q;
    struct asim_frame *place;

    if (port->frames || !port_is_idle(sw, &port->port, event) || port->port.down ||
        (q && (port->port.paused >> q & 1 ||
               !asim_mmu_bypasses(sw, transit.in, q, (uint32_t)frame->wire))) ||
        fabric->watch->frame || (fabric->watch->queue && !sw->samples))
        return 0;
    if (frame->wire > port->peak_bytes)
        port->peak_bytes = frame->wire;
    place = asim_port_begin(sw->worker, &port->port, (uint32_t)frame->wire, key_of(sw, event));
    if (!place)
        return 1;
    asim_frame_copy(place, frame, port->port.start_recency);
    if (q)
        asim_queue_pass(port, q);
    if (fabric->set.writes_telemetry)
        asim_telemetry_write(fabric, sw, transit.out, place, asim_to_ns(fabric, event->t));
    asim_port_commit(sw->worker, &port->port, place);
    return 1;
}

/* Two frames that arrive at one time by two ports and leave by one. */
static inline void note_contest(struct asim_switch *sw, uint32_t in, uint32_t out,
                                const struct event *event)
{
    struct asim_switch_port *port = &sw->ports[out];

    if (port->last_t == event->t && port->last_in != in &&
        asim_tie_is_contested(port->last_tie, event->tie))
        sw->worker->contested = 1;
    port->last_t = event->t;
    port->last_tie = event->tie;
    port->last_in = in;
}

/* Route, admission, shared buffer, PFC and queue, all in one event. */
static inline void receive(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t in,
                           const struct asim_frame *frame, struct event *event)
{
    struct asim_transit transit = {in, asim_ecmp_egress(fabric, sw->shard, frame),
                                   asim_queue_of(fabric, frame)};

    if (transit.out != UINT32_MAX)
        note_contest(sw, in, transit.out, event);
    if (transit.out != UINT32_MAX && forward(fabric, sw, transit, frame, event))
        return;
    if (transit.out == UINT32_MAX || sw->ports[transit.out].port.down ||
        (transit.q && !asim_mmu_admits(sw, in, transit.q, (uint32_t)frame->wire))) {
        drop(sw, in, frame, event->t);
        return;
    }
    if (transit.q)
        asim_mmu_enter(sw, transit, (uint32_t)frame->wire);
    if (transit.q && asim_mmu_wants_pause(sw, in, transit.q))
        send_pfc(fabric, sw, in, transit.q, event);
    enqueue(fabric, sw, transit, frame, event);
}

/* Reads the frame in the receive ring; its place is free again only after the drop. */
static inline void take_frame(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                              struct event *event)
{
    struct asim_wire *in = sw->ports[p].port.in;
    const struct asim_frame *frame = asim_link_ring_head(in);

    asim_link_ring_count_in(in, frame, sw->seq);
    if (fabric->watch->frame)
        fabric->watch->frame(fabric->watch->frame_self, ASIM_FRAME_RX,
                             (struct asim_port_id){sw->node, p + 1}, frame,
                             asim_to_ns(fabric, event->t));
    if (frame->type == ASIM_PAUSE || frame->type == ASIM_RESUME)
        take_pfc(fabric, sw, p, frame, event);
    else
        receive(fabric, sw, p, frame, event);
    asim_link_ring_drop(in);
    schedule_arrival(sw, p, event->until);
}

/* The end of a transmission. A PAUSE since the schedule may leave nothing to send; the port is then
 * idle until an arrival or a RESUME. A port that continues without a break keeps its event count,
 * because it orders the events of the time when the port became busy. */
static inline void end_of_frame(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                                struct event *event)
{
    sw->ports[p].port.busy = 0;
    if (dequeue(fabric, sw, p, event, event->seq) && sw->ports[p].frames)
        schedule_departure(sw, p, event->until);
}

/* RESUME frames go out last, when the shared buffer is emptiest. */
void asim_switch_port_down(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t t)
{
    struct asim_switch_port *port = &sw->ports[p];
    struct event event = {.t = t, .tie = asim_tie_key(t, 0, ASIM_CLASS_FREE), .until = t};

    sw->seq++;
    sw->maybe_paused = 1;
    port->pausing = port->port.paused = 0;
    for (uint32_t q = 0; q < ASIM_QUEUES; q++)
        for (; port->queue[q].n; asim_queue_drop(port, q)) {
            const struct asim_frame *frame = asim_ring_head(&port->queue[q]);

            if (q)
                asim_mmu_leave(sw, (struct asim_transit){frame->ingress, p, q},
                               (uint32_t)frame->wire);
            drop(sw, p, frame, t);
        }
    asim_queues_reset(fabric, port);
    asim_queue_notify(fabric, sw, p, t);
    for (uint32_t in = 0; in < sw->n_ports; in++)
        for (uint32_t q = 1; q < ASIM_QUEUES; q++)
            if (asim_mmu_wants_resume(sw, in, q))
                send_pfc(fabric, sw, in, q, &event);
    if (sw->samples)
        asim_queue_flush_samples(fabric, sw);
}

void asim_switch_use_pfc(struct asim_fabric *fabric, struct asim_switch *sw, int on, uint64_t t)
{
    struct event event = {.t = t, .tie = asim_tie_key(t, 0, ASIM_CLASS_FREE), .until = t};

    sw->seq++;
    sw->without_pfc = !on;
    for (uint32_t in = 0; !on && in < sw->n_ports; in++)
        for (uint32_t q = 1; q < ASIM_QUEUES; q++)
            if (sw->ports[in].pausing >> q & 1)
                send_pfc(fabric, sw, in, q, &event);
    if (sw->samples)
        asim_queue_flush_samples(fabric, sw);
}

/* Clears maybe_paused if no pause holds and no port is down. Only switches with the flag set look.
 */
static void update_maybe_paused(struct asim_switch *sw)
{
    unsigned maybe_paused = 0;

    for (uint32_t p = 0; sw->maybe_paused && p < sw->n_ports; p++) {
        const struct asim_switch_port *port = &sw->ports[p];

        maybe_paused |= port->pausing | port->port.paused | port->port.down;
    }
    sw->maybe_paused = maybe_paused != 0;
}

/* Schedules everything that is due before `until` at the start of a window. */
static void schedule_window(struct asim_switch *sw, uint64_t until)
{
    for (uint32_t d = 0; d < sw->n_shards; d++) {
        struct asim_switch_shard *shard = &sw->shard[d];

        for (uint32_t i = 0; i < shard->n_active; i++)
            schedule_arrival(sw, shard->active[i], until);
        for (uint32_t p = asim_pending_next(shard, 0); p < sw->n_ports;
             p = asim_pending_next(shard, p + 1))
            if (sw->ports[p].port.busy)
                schedule_departure(sw, p, until);
    }
}

/* The calendar queue is empty again afterwards, except after a failure. */
void asim_switch_events(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                        uint64_t until)
{
    int32_t value;

    asim_calendar_queue_begin(&sw->calendar, begin, until);
    schedule_window(sw, until);
    while ((value = asim_calendar_queue_take(&sw->calendar)) != ASIM_CALENDAR_END &&
           !sw->worker->failed) {
        const struct asim_calendar_entry *entry = &sw->calendar.at[value];
        struct event event = {.t = entry->t, .tie = entry->tie, .seq = entry->seq, .until = until};

        sw->seq++;
        if (value & 1)
            end_of_frame(fabric, sw, (uint32_t)value >> 1, &event);
        else
            take_frame(fabric, sw, (uint32_t)value >> 1, &event);
    }
    update_maybe_paused(sw);
}

/* `until` 0 keeps everything out of the calendar queue. */
void asim_switch_handle_one(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                            int is_end)
{
    struct asim_port *port = &sw->ports[p].port;
    struct event event = {.is_listed = 1};
    const struct asim_frame *head;

    if (is_end && !sw->ports[p].frames) {
        port->busy = 0;
        return;
    }
    sw->seq++;
    if (is_end) {
        event.t = port->busy_until;
        event.tie = asim_port_tie_key(port);
        event.seq = port->start_seq;
        end_of_frame(fabric, sw, p, &event);
    } else {
        asim_link_ring_open(port->in);
        head = asim_link_ring_head(port->in);
        event.t = head->t;
        event.tie = asim_wire_tie_key(port->in, head);
        event.seq = port->in->in_seq;
        take_frame(fabric, sw, p, &event);
    }
}

uint64_t asim_switch_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until)
{
    struct asim_switch_shard *shard = sw->shard;
    uint64_t begin = asim_switch_shard_open_rings(shard, until);

    if (begin >= until)
        return begin;
    if (sw->first)
        asim_switch_shard_note_first(shard);
    asim_switch_shard_bucket(fabric, shard, begin, until);
    if (asim_switch_decide_bulk(sw, fabric->set.data_queue)) {
        asim_bulk_serve(fabric, shard, begin, until);
        asim_order_ties(sw);
        asim_tie_sequence_assign(shard);
        asim_bulk_window_end(sw, until - begin);
    } else {
        asim_switch_events(fabric, sw, begin, until);
    }
    if (sw->samples)
        asim_queue_flush_samples(fabric, sw);
    return asim_switch_shard_next(shard);
}
