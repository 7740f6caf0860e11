/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sending side of a NIC: which queue pair goes next, when nothing may go yet, and what an ACK
 * does. Spec rdma-network.md sections 2.3-2.6 and 2.8; the scan is the reference's to the letter,
 * because with several flows its order decides every finish time.
 *
 * Costs: a scan over the NIC's queue pairs per packet, as in the reference; ranks seldom have more
 * than a few under way. Finished ones are dropped by the scan that meets them, which is when their
 * slots are free again.
 */
#include "fabric/runs.h"
#include "fabric/start.h"

/* Bytes left and room in the window, or something to repeat. */
static inline int is_willing(const struct asim_flow *flow)
{
    if (asim_recovery_pending(flow->repair))
        return !flow->gave_up;
    return flow->cc.snd_next < flow->cc.size &&
           (!flow->window || flow->cc.snd_next - flow->snd_una < flow->window) && !flow->gave_up;
}

/* The slot stays in the list until a scan finds the flow finished. */
int asim_nic_add(struct asim_host *host, uint32_t at, uint32_t slot)
{
    struct asim_nic *nic = &host->nics[at];

    if (asim_grow(&nic->qps, &nic->cap_qps, nic->n_qps + 1, sizeof *nic->qps))
        return ASIM_ENOMEM;
    nic->qps[nic->n_qps++] = (struct asim_qp){asim_own_flow(host, slot), slot};
    return 0;
}

/* Drops the finished flows from position `first` on and says where `chosen` went. */
static size_t sweep(struct asim_host *host, struct asim_nic *nic, size_t first, size_t chosen)
{
    size_t keep = first, moved = chosen;

    for (size_t i = first; i < nic->n_qps; i++) {
        if (asim_flow_is_over(nic->qps[i].flow)) {
            asim_flow_release(host, nic->qps[i].slot);
            nic->n_over--;
            continue;
        }
        if (i == chosen)
            moved = keep;
        nic->qps[keep++] = nic->qps[i];
    }
    nic->n_qps = keep;
    if (nic->first_unsent > first)
        nic->first_unsent = (uint32_t)first;
    return moved;
}

/* Round robin from after the last one served. Returns its position or SIZE_MAX. */
static size_t choose_of_many(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, uint64_t t)
{
    size_t n = nic->n_qps, chosen = SIZE_MAX, first_finished = SIZE_MAX, at;
    int paused = nic->port.paused >> fabric->net->priority_group & 1;

    at = n ? nic->rr_last % n : 0;
    for (size_t k = 0; k < n; k++) {
        struct asim_flow *flow;

        at = at + 1 == n ? 0 : at + 1;
        flow = nic->qps[at].flow;
        if (!paused && is_willing(flow)) {
            if (flow->next_avail > t)
                continue;
            chosen = at;
            break;
        }
        if (asim_flow_is_over(flow) && at < first_finished)
            first_finished = at;
    }
    if (first_finished != SIZE_MAX)
        chosen = sweep(host, nic, first_finished, chosen);
    return chosen;
}

/* The same where none is finished, so that passing one over has no effect: those that have sent all
 * they have, and wait for ACKs, are mostly the oldest, and are not asked. */
static size_t choose_unsent(struct asim_nic *nic, uint64_t t)
{
    size_t n = nic->n_qps, first = nic->first_unsent, begin = nic->rr_last % n + 1, at;

    while (first < n && nic->qps[first].flow->cc.snd_next >= nic->qps[first].flow->cc.size)
        first++;
    nic->first_unsent = (uint32_t)first;
    for (at = begin > first ? begin : first; at < n; at++)
        if (is_willing(nic->qps[at].flow) && nic->qps[at].flow->next_avail <= t)
            return at;
    for (at = first; at < begin && at < n; at++)
        if (is_willing(nic->qps[at].flow) && nic->qps[at].flow->next_avail <= t)
            return at;
    return SIZE_MAX;
}

/* The same where one queue pair is all there is. */
static inline size_t choose(struct asim_fabric *fabric, struct asim_host *host,
                            struct asim_nic *nic, uint64_t t)
{
    const struct asim_flow *flow;
    int paused = nic->port.paused >> fabric->net->priority_group & 1;

    if (!nic->n_qps)
        return SIZE_MAX;
    if (nic->n_qps != 1 && !nic->n_over && !nic->irregular)
        return paused ? SIZE_MAX : choose_unsent(nic, t);
    if (nic->n_qps != 1)
        return choose_of_many(fabric, host, nic, t);
    flow = nic->qps[0].flow;
    if (!paused && is_willing(flow))
        return flow->next_avail > t ? SIZE_MAX : 0;
    if (asim_flow_is_over(flow))
        sweep(host, nic, 0, SIZE_MAX);
    return SIZE_MAX;
}

/* Nothing may go now: come back when the earliest pacing gap ends.
 * parity: a flow that is blocked for another reason but whose gap is over suppresses this wake-up
 * for all others (defect 9 of the spec), and a pending one is not moved. */
static void arm(struct asim_host *host, struct asim_nic *nic, uint64_t t)
{
    uint64_t earliest = ASIM_NEVER;

    if (nic->wake_at != ASIM_NEVER)
        return;
    for (size_t i = 0; i < nic->n_qps; i++) {
        const struct asim_flow *flow = nic->qps[i].flow;

        if (flow->next_avail < earliest)
            earliest = flow->next_avail;
        if (earliest <= t)
            return;
    }
    if (earliest == ASIM_NEVER)
        return;
    nic->wake_at = earliest;
    nic->wake_tie = asim_tie(earliest - t, asim_tie_age(host->tie), ASIM_CLASS_TIMER);
    nic->wake_seq = host->timer_seq++;
}

/* A packet that went out before. After a timeout the ACK may be what is missing; a NACK's repeats
 * are what the receiver waits for, and ask for nothing, as in the reference. */
static unsigned repeat_flags(struct asim_host *host, const struct asim_flow *flow, uint64_t seq,
                             int selective)
{
    host->counts.again++;
    return selective || seq < flow->solicit_below ? ASIM_SOLICIT : 0;
}

/* One packet of the chosen queue pair. The pacing gap counts from the start of the transmission and
 * covers the wire size, headers included (spec 2.5). */
static inline void send_data(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, size_t at)
{
    struct asim_lane *lane = host->lane;
    uint32_t slot = nic->qps[at].slot;
    struct asim_flow *flow = nic->qps[at].flow;
    uint64_t seq =
        asim_recovery_pending(flow->repair) ? asim_recovery_take(lane, flow) : flow->cc.snd_next;
    uint64_t left = flow->cc.size - seq;
    uint32_t payload =
        left < fabric->net->payload_bytes ? (uint32_t)left : fabric->net->payload_bytes;
    uint32_t wire = payload + fabric->data_overhead;
    unsigned flags = 0;
    struct asim_frame *frame = asim_port_begin(lane, &nic->port, wire, asim_host_moment(host));

    if (!frame)
        return;
    if (seq < flow->snd_high)
        flags = repeat_flags(host, flow, seq, fabric->net->loss_recovery == ASIM_SELECTIVE_REPEAT);
    frame->extent = asim_frame_extent(seq, 0, wire);
    frame->flow = host->node | (uint64_t)flow->generation << 56 | (uint64_t)slot << 32;
    frame->rest = asim_frame_rest(flow->msg.dst, ASIM_DATA, flags) | (uint64_t)nic->port.start_youth
                                                                         << 32;
    if (fabric->cc->needs &&
        asim_telemetry_begin(fabric, flow, frame, asim_to_ns(fabric, host->now))) {
        lane->failed = ASIM_ENOMEM;
        return;
    }
    if (seq == flow->cc.snd_next)
        flow->cc.snd_next += payload;
    if (flow->snd_high < seq + payload)
        flow->snd_high = seq + payload;
    host->counts.data++;
    flow->tx_frames++;
    flow->last_wire = wire;
    nic->rr_last = (uint32_t)at;
    flow->next_avail = host->now + asim_pacing_gap(fabric, nic, flow->cc.rate_bps, wire);
    asim_port_commit(lane, &nic->port, frame);
}

/* Sends the head of the FIFO of answers. */
static void answer(struct asim_host *host, struct asim_nic *nic)
{
    const struct asim_frame *frame = asim_ring_head(&nic->acks);
    struct asim_frame *place =
        asim_port_begin(host->lane, &nic->port, (uint32_t)frame->wire, asim_host_moment(host));

    if (!place)
        return;
    asim_frame_copy(place, frame, nic->port.start_youth);
    if (frame->type >= ASIM_PAUSE)
        host->counts.pfc_sent++;
    else
        host->counts.acks++;
    asim_ring_drop(&nic->acks);
    asim_port_commit(host->lane, &nic->port, place);
}

/* Called after anything that could let a frame go: the steps and their order are those of the spec.
 * Does nothing while the NIC is busy; the end of that frame kicks again. */
void asim_nic_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   uint64_t t)
{
    size_t at;

    if (nic->port.busy || nic->port.down)
        return;
    if (nic->acks.n && !(nic->port.paused >> fabric->ack_queue & 1)) {
        answer(host, nic);
        return;
    }
    at = choose(fabric, host, nic, t);
    if (at == SIZE_MAX)
        arm(host, nic, t);
    else
        send_data(fabric, host, nic, at);
}

/* The message is through: the log, then the source's callback (spec 2.10). The slot is given back
 * when a scan meets the finished queue pair. */
static void complete(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow)
{
    flow->live = 0;
    host->nics[flow->nic].n_over++;
    host->messages++;
    host->counts.completed += flow->cc.size;
    if (fabric->runs)
        asim_runs_sent(fabric, host, flow);
    if (fabric->watch.fct) {
        struct asim_fct row = {.start = asim_to_ns(fabric, flow->start),
                               .end = asim_to_ns(fabric, host->now),
                               .bytes = flow->msg.bytes,
                               .ideal = asim_flow_ideal(fabric, host, flow),
                               .src = flow->msg.src,
                               .dst = flow->msg.dst,
                               .sport = flow->sport};

        fabric->watch.fct(fabric->watch.self, &row);
    }
    fabric->user.sent(fabric->user.self, &flow->msg);
}

/* What the ACK says to congestion control. */
static void tell_cc(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow,
                    const struct asim_frame *frame)
{
    struct asim_cc_ack ack = {.now = asim_to_ns(fabric, host->now),
                              .seq = frame->seq,
                              .age = asim_to_ns(fabric, asim_tie_age(host->tie)),
                              .marked = frame->flags & ASIM_CNP};
    uint64_t old_bps = flow->cc.rate_bps;

    if (fabric->cc->needs)
        ack.seen = asim_telemetry_by(fabric, asim_rx_of(fabric, host->node, frame->slot), frame);
    fabric->cc->on_ack(&flow->cc, &ack, fabric->net);
    asim_pacing_changed(fabric, host, frame->slot & 0xffffff, old_bps);
}

/* What the ACK says of bytes, then of the rate; then whatever may go now goes. */
void asim_sender_ack(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame)
{
    struct asim_flow *flow = asim_own_flow(host, frame->slot);
    struct asim_nic *nic;

    host->counts.got_acks++;
    if (flow->generation != frame->slot >> 24)
        return;
    flow->tx_frames--;
    if (!flow->live)
        return;
    nic = &host->nics[flow->nic];
    if (asim_ack_is_plain(fabric, flow, frame)) {
        flow->snd_una = frame->seq;
    } else {
        nic->irregular = 1;
        asim_recovery_ack(host->lane, flow, frame, host->now);
    }
    if (asim_flow_is_over(flow))
        complete(fabric, host, flow);
    else if (!fabric->cc_idle)
        tell_cc(fabric, host, flow, frame);
    if (!nic->port.busy)
        asim_nic_kick(fabric, host, nic, host->now);
}
