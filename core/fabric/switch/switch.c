/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch in its own time: store-and-forward, output-queued, no latency of its own (spec
 * rdma-network.md sections 4.1-4.6). Arrivals of all ports and the ends of transmissions that
 * matter (those with somebody waiting behind) are merged in the order of tie_key.h. The end of a
 * transmission nobody waits for is not an event: the port is found idle when next asked.
 *
 * A frame's life here: taken from a mailbox, routed, admitted, counted, perhaps a PAUSE back,
 * queued, taken out by round robin, uncounted, perhaps marked, started on the next wire, perhaps a
 * RESUME back. No memory is allocated on the way but when a ring grows.
 */
#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "fabric/switch/queue.h"
#include "fabric/link/transmit.h"
#include "fabric/switch/mmu.h"
#include "fabric/link/hash.h"
#include "fabric/host/telemetry.h"

enum { MAX_PFC_REPEATS = 16 };

/* RED-like marking on the egress bytes left behind (spec 4.5). */
int asim_switch_marks(const struct asim_fabric *fabric, const struct asim_switch *sw,
                      struct asim_switch_port *port, uint32_t q)
{
    uint64_t e = port->occupancy[q].egress, node;

    if (e > port->kmax)
        return 1;
    node = asim_topo_external_id(fabric->set.topo, sw->node);
    return asim_draw(fabric->set.seed, node << 32 | port->port.out->id, port->draws++) <
           port->pmax * (double)(e - port->kmin) / (double)(port->kmax - port->kmin);
}

static void send_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, uint32_t q,
                     struct asim_event_context *event);

/* A PFC frame that the link lost goes again at once, saying what holds now: a RESUME that vanished
 * would stop the port for ever, since pauses have no timer. It stands for 802.1Qbb's refresh. The
 * caller sees that a frame waits behind the lost one. */
static void repeat_pfc(struct asim_switch *sw, struct asim_switch_port *port,
                       const struct asim_frame *lost)
{
    struct asim_frame frame = {.wire = ASIM_PFC_WIRE,
                               .slot = lost->slot,
                               .dst = lost->dst,
                               .seq = lost->seq + 1,
                               .type = port->pausing >> lost->slot & 1 ? ASIM_PAUSE : ASIM_RESUME};

    if (frame.seq > MAX_PFC_REPEATS)
        return;
    sw->pfc_generated++;
    if (asim_queue_push(sw, port, (const uint32_t[2]){0, 0}, &frame))
        sw->worker->failed = ASIM_ENOMEM;
}

/* Takes the next frame of port p and starts it; 0 if there is none to send. seq: the count of the
 * event that set this off. */
static inline int dequeue(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                          struct asim_event_context *event, uint64_t seq)
{
    struct asim_switch_port *port = &sw->ports[p];
    uint32_t q = port->frames ? asim_queue_next(port) : ASIM_QUEUES, in, bytes;
    struct asim_frame *frame, *head;

    if (q == ASIM_QUEUES || port->port.down)
        return 0;
    head = asim_ring_head(&port->queue[q]);
    in = head->ingress;
    bytes = head->wire;
    frame = asim_port_begin(sw->worker, &port->port, bytes,
                            (struct asim_event_key){event->t, event->tie, seq});
    if (!frame)
        return 0;
    asim_frame_copy(frame, head, port->port.start_recency);
    asim_queue_drop(port, q);
    asim_queue_notify(fabric, sw, p, event->t);
    if (q)
        asim_mmu_leave(sw, (const uint32_t[3]){in, p, q}, bytes);
    asim_switch_mark_and_stamp(fabric, sw, p, frame, (const uint64_t[2]){q, event->t});
    if (asim_port_commit(sw->worker, &port->port, frame) && frame->type >= ASIM_PAUSE)
        repeat_pfc(sw, port, frame);
    if (q && sw->ports[in].pausing && asim_mmu_wants_resume(sw, in, q))
        send_pfc(fabric, sw, in, q, event);
    return 1;
}

/* The same for a port that is idle, though others wait perhaps: seldom, so out of line. */
static void start_next(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                       struct asim_event_context *event)
{
    sw->ports[p].port.busy = 0;
    if (dequeue(fabric, sw, p, event, sw->seq) && sw->ports[p].frames)
        asim_switch_schedule_departure(sw, p, event->until);
}

/* Puts a frame that came in at `side` into queue q of port p and starts it if the port is idle. */
static inline void enqueue(struct asim_fabric *fabric, struct asim_switch *sw,
                           const uint32_t p_q_side[3], const struct asim_frame *frame,
                           struct asim_event_context *event)
{
    uint32_t p = p_q_side[0], waiting = sw->ports[p].frames;
    struct asim_switch_port *port = &sw->ports[p];

    if (asim_queue_push(sw, port, p_q_side + 1, frame)) {
        sw->worker->failed = ASIM_ENOMEM;
        return;
    }
    if (port->bytes > port->peak_bytes)
        port->peak_bytes = port->bytes;
    asim_queue_notify(fabric, sw, p, event->t);
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_ENQUEUE,
                            (const uint32_t[2]){sw->node, p + 1}, frame,
                            asim_to_ns(fabric, event->t));
    if (asim_port_is_idle(&port->port, event))
        start_next(fabric, sw, p, event);
    else if (!waiting)
        asim_switch_schedule_departure(sw, p, event->until);
}

/* PAUSE or RESUME out of port p, whichever its state asks for now. */
static void send_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, uint32_t q,
                     struct asim_event_context *event)
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
    enqueue(fabric, sw, (const uint32_t[3]){p, 0, 0}, &frame, event);
}

/* A pause holds until a resume comes, there is no timer (spec 4.6). A resume may start a frame at
 * once; a frame already on its way is never cut off. */
static void take_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                     const struct asim_frame *frame, struct asim_event_context *event)
{
    struct asim_switch_port *port = &sw->ports[p];
    uint8_t bit = (uint8_t)(1u << (frame->slot % ASIM_QUEUES));
    int pause = asim_pause_holds(fabric, frame);

    sw->pfc_received++;
    sw->maybe_paused = 1;
    port->port.paused = (uint8_t)(pause ? port->port.paused | bit : port->port.paused & ~bit);
    if (fabric->watch.pfc)
        fabric->watch.pfc(fabric->watch.self, asim_to_ns(fabric, event->t), sw->node, p + 1, pause);
    if (!pause && asim_port_is_idle(&port->port, event))
        start_next(fabric, sw, p, event);
}

/* Also for frames without a route: the reference loses those silently. */
void asim_switch_drop(struct asim_switch *sw, uint32_t p, const struct asim_frame *frame,
                      uint64_t t)
{
    sw->drops++;
    sw->ports[p].drops++;
    sw->drop_bytes += frame->wire;
    asim_loss_report(sw->worker, frame, t, (const uint32_t[2]){sw->node, p + 1});
}

/* A frame whose way out is free goes on without lying in the queue: same counters, same marks (it
 * leaves nothing behind), one copy less. Watchers see the long way. */
static inline int forward(struct asim_fabric *fabric, struct asim_switch *sw,
                          const uint32_t in_out_q[3], const struct asim_frame *frame,
                          struct asim_event_context *event)
{
    struct asim_switch_port *port = &sw->ports[in_out_q[1]];
    uint32_t in = in_out_q[0], q = in_out_q[2];
    struct asim_frame *place;

    if (port->frames || !asim_port_is_idle(&port->port, event) || port->port.down ||
        (q &&
         (port->port.paused >> q & 1 || !asim_mmu_bypasses(sw, in, q, (uint32_t)frame->wire))) ||
        fabric->watch.frame || (fabric->watch.queue && !sw->samples))
        return 0;
    if (frame->wire > port->peak_bytes)
        port->peak_bytes = frame->wire;
    place = asim_port_begin(sw->worker, &port->port, (uint32_t)frame->wire,
                            asim_now_event_key(sw, event));
    if (!place)
        return 1;
    asim_frame_copy(place, frame, port->port.start_recency);
    if (q)
        port->rr = (uint8_t)q;
    if (fabric->set.writes_telemetry)
        asim_telemetry_write(fabric, sw, in_out_q[1], place, asim_to_ns(fabric, event->t));
    asim_port_commit(sw->worker, &port->port, place);
    return 1;
}

uint32_t asim_switch_route(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                           const struct asim_frame *frame)
{
    struct asim_switch *sw = shard->sw;
    uint32_t n = 0, goal = asim_frame_goal(frame), known = asim_ecmp_cached(fabric, sw, frame);
    const uint32_t *ports;

    if (known)
        return known - 1;
    ports = asim_route_ports(fabric->route, sw->node, goal, &n);
    if (!n && asim_route_error(fabric->route, &shard->worker->failure))
        shard->worker->failed = shard->worker->failure.code;
    if (n == 1)
        shard->route_cache[goal % ASIM_CACHED_ROUTES] = (struct asim_cached_route){goal, ports[0]};
    if (n < 2)
        return n ? ports[0] - 1 : UINT32_MAX;
    return asim_ecmp_choose(fabric, sw, frame, ports, n) - 1;
}

/* Reception pipeline: route, admit, account, PFC, enqueue, all at the same instant. */
static inline void receive(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t in,
                           const struct asim_frame *frame, struct asim_event_context *event)
{
    uint32_t q = asim_queue_of(fabric, frame), goal = asim_frame_goal(frame), out;
    const struct asim_cached_route *cached = &sw->shard->route_cache[goal % ASIM_CACHED_ROUTES];

    out = cached->dst == goal && cached->port ? cached->port - 1
                                              : asim_switch_route(fabric, sw->shard, frame);
    if (out != UINT32_MAX && forward(fabric, sw, (const uint32_t[3]){in, out, q}, frame, event))
        return;
    if (out == UINT32_MAX || (q && !asim_mmu_admits(sw, in, q, (uint32_t)frame->wire))) {
        asim_switch_drop(sw, in, frame, event->t);
        return;
    }
    if (q)
        asim_mmu_enter(sw, (const uint32_t[3]){in, out, q}, (uint32_t)frame->wire);
    if (q && asim_mmu_wants_pause(sw, in, q))
        send_pfc(fabric, sw, in, q, event);
    enqueue(fabric, sw, (const uint32_t[3]){out, q, in}, frame, event);
}

/* The frame is read where it lies; its place is written again only after the drop. */
static inline void take_frame(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                              struct asim_event_context *event)
{
    struct asim_wire *in = sw->ports[p].port.in;
    const struct asim_frame *frame = asim_link_ring_head(in);

    asim_link_ring_count_in(in, frame, sw->seq);
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_RX,
                            (const uint32_t[2]){sw->node, p + 1}, frame,
                            asim_to_ns(fabric, event->t));
    if (frame->type == ASIM_PAUSE || frame->type == ASIM_RESUME)
        take_pfc(fabric, sw, p, frame, event);
    else
        receive(fabric, sw, p, frame, event);
    asim_link_ring_drop(in);
    asim_switch_schedule_arrival(sw, p, event->until);
}

/* Nothing to do where none waits by now: a pause may have come since this was put on the agenda.
 * The port is then idle until an arrival or a resume finds it so. A port that goes on without a
 * break keeps its count: what came before what when it became busy still does. */
static inline void end_of_frame(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                                struct asim_event_context *event)
{
    sw->ports[p].port.busy = 0;
    if (dequeue(fabric, sw, p, event, event->seq) && sw->ports[p].frames)
        asim_switch_schedule_departure(sw, p, event->until);
}

/* Resumes wait until all is out, for the shared buffer is then at its emptiest. */
void asim_switch_port_down(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t t)
{
    struct asim_switch_port *port = &sw->ports[p];
    struct asim_event_context event = {t, asim_tie_key(t, 0, ASIM_CLASS_FREE), 0, t};

    sw->seq++;
    sw->maybe_paused = 1;
    port->pausing = port->port.paused = 0;
    for (uint32_t q = 0; q < ASIM_QUEUES; q++)
        for (; port->queue[q].n; asim_queue_drop(port, q)) {
            const struct asim_frame *frame = asim_ring_head(&port->queue[q]);

            if (q)
                asim_mmu_leave(sw, (const uint32_t[3]){frame->ingress, p, q},
                               (uint32_t)frame->wire);
            asim_switch_drop(sw, p, frame, t);
        }
    asim_queue_notify(fabric, sw, p, t);
    for (uint32_t in = 0; in < sw->n_ports; in++)
        for (uint32_t q = 1; q < ASIM_QUEUES; q++)
            if (asim_mmu_wants_resume(sw, in, q))
                send_pfc(fabric, sw, in, q, &event);
}

/* Whether a pause holds somewhere or a port is down, which is asked port by port only after there
 * was something of the kind. */
static void update_maybe_paused(struct asim_switch *sw)
{
    unsigned maybe_paused = 0;

    for (uint32_t p = 0; sw->maybe_paused && p < sw->n_ports; p++) {
        const struct asim_switch_port *port = &sw->ports[p];

        maybe_paused |= port->pausing | port->port.paused | port->port.down;
    }
    sw->maybe_paused = maybe_paused != 0;
}

/* What is due before `until` when the window opens. */
static void fill_agenda(struct asim_switch *sw, uint64_t until)
{
    for (uint32_t d = 0; d < sw->n_shards; d++) {
        struct asim_switch_shard *shard = &sw->shard[d];

        for (uint32_t i = 0; i < shard->n_active; i++)
            asim_switch_schedule_arrival(sw, shard->active[i], until);
        for (uint32_t p = asim_pending_next(shard, 0); p < sw->n_ports;
             p = asim_pending_next(shard, p + 1))
            if (sw->ports[p].port.busy)
                asim_switch_schedule_departure(sw, p, until);
    }
}

/* The agenda is empty again afterwards, but for what a failure left. */
void asim_switch_events(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                        uint64_t until)
{
    int32_t value;

    asim_calendar_queue_begin(&sw->calendar, begin, until);
    fill_agenda(sw, until);
    while ((value = asim_calendar_queue_take(&sw->calendar)) != ASIM_CALENDAR_END &&
           !sw->worker->failed) {
        const struct asim_calendar_entry *entry = &sw->calendar.at[value];
        struct asim_event_context event = {entry->t, entry->tie, entry->seq, until};

        sw->seq++;
        if (value & 1)
            end_of_frame(fabric, sw, (uint32_t)value >> 1, &event);
        else
            take_frame(fabric, sw, (uint32_t)value >> 1, &event);
    }
    update_maybe_paused(sw);
}

/* A switch with one shard; of others see sharded_switch.c. */
uint64_t asim_switch_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until)
{
    struct asim_switch_shard *shard = sw->shard;
    uint64_t begin = asim_switch_shard_open_rings(shard, until);

    if (begin >= until)
        return begin;
    asim_switch_shard_bucket(fabric, shard, begin, until);
    if (asim_switch_decide_bulk(sw, fabric->set.net->priority_group)) {
        sw->in_lockstep = 0;
        if (shard->in_lockstep)
            asim_lockstep_join(sw);
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
