/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch in its own time: store-and-forward, output-queued, no latency of its own (spec
 * rdma-network.md sections 4.1-4.6). Arrivals of all ports and the ends of transmissions that
 * matter (those with somebody waiting behind) are merged in the order of order.h. The end of a
 * transmission nobody waits for is not an event: the port is found idle when next asked.
 *
 * A frame's life here: taken from a mailbox, routed, admitted, counted, perhaps a PAUSE back,
 * queued, taken out by round robin, uncounted, perhaps marked, started on the next wire, perhaps a
 * RESUME back. No memory is allocated on the way but when a ring grows.
 */
#include "fabric/node.h"

enum { MAX_PFC_REPEATS = 16 };

struct now { /* the event being processed */
    uint64_t t, tie, seq, until;
};

/* What the frames that leave in this event carry as their cause. */
static struct asim_moment moment_of(const struct asim_switch *sw, const struct now *now)
{
    return (struct asim_moment){now->t, asim_tie_age(now->tie), sw->seq};
}

/* Whether the port is free for the event being processed. */
static int is_idle(struct asim_port *port, const struct now *now)
{
    struct asim_entry end = {port->busy_until, asim_port_tie(port), port->start_seq, 0};
    struct asim_entry event = {now->t, now->tie, now->seq, 1};

    if (port->busy && asim_entry_before(&end, &event))
        port->busy = 0;
    return !port->busy;
}

/* Queue to serve next: 0 if it holds anything, else round robin over the unpaused of 1..7. */
static uint32_t next_queue(struct asim_switch_port *port)
{
    if (port->queue[0].n)
        return 0;
    for (uint32_t k = 1; k < ASIM_QUEUES; k++) {
        uint32_t q = (port->rr + k - 1) % (ASIM_QUEUES - 1) + 1;

        if (port->queue[q].n && !(port->port.paused >> q & 1)) {
            port->rr = (uint8_t)q;
            return q;
        }
    }
    return ASIM_QUEUES;
}

/* RED-like marking on the egress bytes left behind (spec 4.5). */
static int marks(const struct asim_fabric *fabric, const struct asim_switch *sw,
                 struct asim_switch_port *port, uint32_t q)
{
    uint64_t e = port->use[q].egress, node;

    if (!fabric->net->enable_qcn || e <= port->kmin)
        return 0;
    if (e > port->kmax)
        return 1;
    node = asim_topo_shown(fabric->topo, sw->node);
    return asim_draw(fabric->seed, node << 32 | port->port.out->id, port->draws++) <
           port->pmax * (double)(e - port->kmin) / (double)(port->kmax - port->kmin);
}

static void send_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, uint32_t q,
                     struct now *now);

/* A PFC frame that the link lost goes again at once, saying what holds now: a RESUME that vanished
 * would stop the port for ever, since pauses have no timer. It stands for 802.1Qbb's refresh. The
 * caller sees that a frame waits behind the lost one. */
static void repeat_pfc(struct asim_fabric *fabric, struct asim_switch *sw,
                       struct asim_switch_port *port, const struct asim_frame *lost)
{
    struct asim_frame frame = {.wire = ASIM_PFC_WIRE,
                               .slot = lost->slot,
                               .dst = lost->dst,
                               .seq = lost->seq + 1,
                               .type = port->pausing >> lost->slot & 1 ? ASIM_PAUSE : ASIM_RESUME};

    if (frame.seq > MAX_PFC_REPEATS)
        return;
    sw->pfc_made++;
    port->frames++;
    port->bytes += frame.wire;
    if (!asim_ring_push(&port->queue[0], &frame))
        fabric->failed = ASIM_ENOMEM;
}

/* Takes the next frame of port p and starts it; 0 if there is none to send. */
static int dequeue(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, struct now *now)
{
    struct asim_switch_port *port = &sw->ports[p];
    uint32_t q = port->frames ? next_queue(port) : ASIM_QUEUES, in;
    struct asim_frame frame;

    if (q == ASIM_QUEUES || port->port.down)
        return 0;
    frame = *asim_ring_head(&port->queue[q]);
    asim_ring_drop(&port->queue[q]);
    port->frames--;
    port->bytes -= frame.wire;
    if (fabric->watch.queue)
        fabric->watch.queue(fabric->watch.self, asim_to_ns(fabric, now->t),
                            (const uint32_t[2]){sw->node, p + 1}, port->bytes);
    in = frame.side;
    if (q)
        asim_mmu_leave(sw, (const uint32_t[3]){in, p, q}, frame.wire);
    if (q && marks(fabric, sw, port, q)) {
        frame.flags |= ASIM_CE;
        sw->marks++;
        port->marks++;
    }
    if (fabric->cc->needs & (ASIM_CC_INT | ASIM_CC_DIGEST))
        asim_telemetry_stamp(fabric, sw, p, &frame, asim_to_ns(fabric, now->t));
    if (asim_port_start(fabric, &port->port, &frame, moment_of(sw, now)) &&
        frame.type >= ASIM_PAUSE)
        repeat_pfc(fabric, sw, port, &frame);
    if (q && asim_mmu_wants_resume(sw, in, q))
        send_pfc(fabric, sw, in, q, now);
    return 1;
}

/* Puts the end of the transmission on the agenda. Only if somebody waits behind it, and only if it
 * falls into this window; the next window's fill_agenda finds the others. */
static void push_departure(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t until)
{
    const struct asim_port *port = &sw->ports[p].port;

    if (port->busy_until < until &&
        asim_agenda_push(&sw->agenda, (struct asim_entry){port->busy_until, asim_port_tie(port),
                                                          port->start_seq, (uint64_t)p << 1 | 1}))
        fabric->failed = ASIM_ENOMEM;
}

/* The next frame of ingress port p as an entry. */
static struct asim_entry arrival_entry(struct asim_switch *sw, uint32_t p)
{
    struct asim_port *port = &sw->ports[p].port;
    const struct asim_frame *head = asim_ring_head(&port->in->mail);

    return (struct asim_entry){head->t, asim_wire_tie(port->in, head), port->in_seq,
                               (uint64_t)p << 1};
}

/* Puts a frame into queue q of port p and starts it if the port is idle. */
static void enqueue(struct asim_fabric *fabric, struct asim_switch *sw, const uint32_t p_q[2],
                    const struct asim_frame *frame, struct now *now)
{
    struct asim_switch_port *port = &sw->ports[p_q[0]];
    uint32_t waiting = port->frames++;

    port->bytes += frame->wire;
    if (port->bytes > port->peak_bytes)
        port->peak_bytes = port->bytes;
    if (fabric->watch.queue)
        fabric->watch.queue(fabric->watch.self, asim_to_ns(fabric, now->t),
                            (const uint32_t[2]){sw->node, p_q[0] + 1}, port->bytes);
    if (!asim_ring_push(&port->queue[p_q[1]], frame))
        fabric->failed = ASIM_ENOMEM;
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_ENQUEUE,
                            (const uint32_t[2]){sw->node, p_q[0] + 1}, frame,
                            asim_to_ns(fabric, now->t));
    if (is_idle(&port->port, now)) {
        if (dequeue(fabric, sw, p_q[0], now) && port->frames)
            push_departure(fabric, sw, p_q[0], now->until);
    } else if (!waiting) {
        push_departure(fabric, sw, p_q[0], now->until);
    }
}

/* PAUSE or RESUME out of port p, whichever its state asks for now. */
static void send_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, uint32_t q,
                     struct now *now)
{
    struct asim_switch_port *port = &sw->ports[p];
    struct asim_frame frame = {.wire = ASIM_PFC_WIRE,
                               .slot = q,
                               .dst = port->port.out->to,
                               .type = port->pausing >> q & 1 ? ASIM_RESUME : ASIM_PAUSE};

    sw->pfc_made++;
    sw->pauses += frame.type == ASIM_PAUSE;
    port->pauses += frame.type == ASIM_PAUSE;
    port->pausing ^= (uint8_t)(1u << q);
    enqueue(fabric, sw, (const uint32_t[2]){p, 0}, &frame, now);
}

/* Among equal-cost ports, by the reference's hash of the flow's tuple seeded with the node id. */
static uint32_t ecmp(const struct asim_fabric *fabric, const struct asim_switch *sw,
                     const struct asim_frame *frame, uint32_t n)
{
    const struct asim_flow *flow = asim_flow_of(fabric, frame->src, frame->slot);
    uint32_t forward = frame->type == ASIM_DATA;
    uint32_t words[3] = {asim_fabric_ip(fabric, forward ? flow->msg.src : flow->msg.dst),
                         asim_fabric_ip(fabric, forward ? flow->msg.dst : flow->msg.src),
                         forward ? flow->sport | 100u << 16 : 100u | (uint32_t)flow->sport << 16};

    return asim_murmur3(words, 3, asim_topo_shown(fabric->topo, sw->node)) % n;
}

/* A pause holds until a resume comes, there is no timer (spec 4.6). A resume may start a frame at
 * once; a frame already on its way is never cut off. */
static void take_pfc(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                     const struct asim_frame *frame, struct now *now)
{
    struct asim_switch_port *port = &sw->ports[p];
    uint8_t bit = (uint8_t)(1u << (frame->slot % ASIM_QUEUES));
    int pause = asim_pause_holds(fabric, frame);

    sw->pfc_got++;
    port->port.paused = (uint8_t)(pause ? port->port.paused | bit : port->port.paused & ~bit);
    if (fabric->watch.pfc)
        fabric->watch.pfc(fabric->watch.self, asim_to_ns(fabric, now->t), sw->node, p + 1, pause);
    if (!pause && is_idle(&port->port, now) && dequeue(fabric, sw, p, now) && port->frames)
        push_departure(fabric, sw, p, now->until);
}

/* Also for frames without a route: the reference loses those silently. */
static void drop(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                 const struct asim_frame *frame, uint64_t t)
{
    sw->drops++;
    sw->ports[p].drops++;
    sw->drop_bytes += frame->wire;
    asim_loss_report(fabric, frame, t, (const uint32_t[2]){sw->node, p + 1});
}

/* Queue of a frame of a message: its priority group, or 0 for ACKs where they have priority; the
 * reference never sets that in switches (spec 4.2). */
static uint32_t queue_of(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    if (frame->type != ASIM_DATA && fabric->net->switch_ack_high_prio)
        return 0;
    return fabric->net->priority_group;
}

/* Which of n equal-cost ports: packets in turn where they are sprayed, else one per flow. */
static uint32_t spread(const struct asim_fabric *fabric, struct asim_switch *sw,
                       const struct asim_frame *frame, uint32_t n)
{
    if (n == 1)
        return 0;
    if (fabric->net->load_balance == ASIM_SPRAY && frame->type == ASIM_DATA)
        return sw->sprayed++ % n;
    return ecmp(fabric, sw, frame, n);
}

/* Reception pipeline: route, admit, account, PFC, enqueue, all at the same instant. */
static void forward(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t in,
                    struct asim_frame *frame, struct now *now)
{
    uint32_t n = 0, q = queue_of(fabric, frame), out;
    const uint32_t *ports = asim_route_ports(fabric->route, sw->node, asim_frame_goal(frame), &n);

    if (!n && asim_route_error(fabric->route, &fabric->failure))
        fabric->failed = fabric->failure.code;
    if (!n || (q && !asim_mmu_admits(sw, in, q, frame->wire))) {
        drop(fabric, sw, in, frame, now->t);
        return;
    }
    out = ports[spread(fabric, sw, frame, n)] - 1;
    frame->side = in;
    if (q)
        asim_mmu_enter(sw, (const uint32_t[3]){in, out, q}, frame->wire);
    if (q && asim_mmu_wants_pause(sw, in, q))
        send_pfc(fabric, sw, in, q, now);
    enqueue(fabric, sw, (const uint32_t[2]){out, q}, frame, now);
}

/* The next frame of the same mailbox takes the place of this one in the agenda: one walk down the
 * heap instead of a pop and a push. */
static void take_frame(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                       struct now *now)
{
    struct asim_wire *in = sw->ports[p].port.in;
    struct asim_frame frame = *asim_ring_head(&in->mail);

    asim_ring_drop(&in->mail);
    sw->ports[p].port.in_seq = sw->seq;
    in->got++;
    in->got_bytes += frame.wire;
    if (in->mail.n && asim_ring_head(&in->mail)->t < now->until)
        asim_agenda_replace(&sw->agenda, arrival_entry(sw, p));
    else
        asim_agenda_pop(&sw->agenda);
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_RX,
                            (const uint32_t[2]){sw->node, p + 1}, &frame,
                            asim_to_ns(fabric, now->t));
    if (frame.type == ASIM_PAUSE || frame.type == ASIM_RESUME)
        take_pfc(fabric, sw, p, &frame, now);
    else
        forward(fabric, sw, p, &frame, now);
}

/* The agenda holds at most one of these per port, and only while the port is busy. */
static void end_of_frame(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                         struct now *now)
{
    asim_agenda_pop(&sw->agenda);
    sw->ports[p].port.busy = 0;
    if (dequeue(fabric, sw, p, now) && sw->ports[p].frames)
        push_departure(fabric, sw, p, now->until);
}

/* Resumes wait until all is out, for the shared buffer is then at its emptiest. */
void asim_switch_port_down(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t t)
{
    struct asim_switch_port *port = &sw->ports[p];
    struct now now = {t, asim_tie(t, 0, ASIM_CLASS_FREE), 0, t};

    sw->seq++;
    port->pausing = port->port.paused = 0;
    for (uint32_t q = 0; q < ASIM_QUEUES; q++) {
        for (; port->queue[q].n; asim_ring_drop(&port->queue[q])) {
            const struct asim_frame *frame = asim_ring_head(&port->queue[q]);

            port->frames--;
            port->bytes -= frame->wire;
            if (q)
                asim_mmu_leave(sw, (const uint32_t[3]){frame->side, p, q}, frame->wire);
            drop(fabric, sw, p, frame, t);
        }
    }
    for (uint32_t in = 0; in < sw->n_ports; in++)
        for (uint32_t q = 1; q < ASIM_QUEUES; q++)
            if (asim_mmu_wants_resume(sw, in, q))
                send_pfc(fabric, sw, in, q, &now);
}

/* What is due before `until` when the window opens. */
static void fill_agenda(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until)
{
    sw->agenda.n = 0;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        struct asim_switch_port *port = &sw->ports[p];
        struct asim_wire *in = port->port.in;

        if (port->frames && port->port.busy)
            push_departure(fabric, sw, p, until);
        if (!in->mail.n || asim_ring_head(&in->mail)->t >= until)
            continue;
        if (asim_agenda_push(&sw->agenda, arrival_entry(sw, p)))
            fabric->failed = ASIM_ENOMEM;
    }
}

/* Ends of transmissions count only where frames wait. Linear in ports. */
uint64_t asim_switch_next(const struct asim_switch *sw)
{
    uint64_t next = ASIM_NEVER;

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        const struct asim_switch_port *port = &sw->ports[p];
        struct asim_ring *mail = &port->port.in->mail;

        if (port->frames && port->port.busy && port->port.busy_until < next)
            next = port->port.busy_until;
        if (mail->n && asim_ring_head(mail)->t < next)
            next = asim_ring_head(mail)->t;
    }
    return next;
}

/* The agenda is empty again afterwards, but for what a failure left. */
uint64_t asim_switch_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until)
{
    fill_agenda(fabric, sw, until);
    while (sw->agenda.n && !fabric->failed) {
        struct asim_entry top = sw->agenda.at[0];
        struct now now = {top.t, top.tie, top.seq, until};

        sw->seq++;
        if (top.value & 1)
            end_of_frame(fabric, sw, (uint32_t)(top.value >> 1), &now);
        else
            take_frame(fabric, sw, (uint32_t)(top.value >> 1), &now);
    }
    return asim_switch_next(sw);
}
