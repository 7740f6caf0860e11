/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sending side of a NIC: which queue pair goes next, when nothing may go yet, and what an ACK
 * does. Spec rdma-network.md sections 2.3-2.6 and 2.8; the scan is the reference's to the letter,
 * because with several flows its order decides every finish time.
 */
#include "fabric/node.h"

/* All bytes acknowledged; snd_next may still be behind after a go-back-N. */
static int is_finished(const struct asim_flow *flow)
{
    return flow->snd_una >= flow->cc.size;
}

/* Bytes left and room in the window. */
static int is_willing(const struct asim_flow *flow)
{
    return flow->cc.snd_next < flow->cc.size &&
           (!flow->window || flow->cc.snd_next - flow->snd_una < flow->window);
}

/* The slot stays in the list until a scan finds the flow finished. */
int asim_nic_add(struct asim_nic *nic, uint32_t slot)
{
    if (asim_grow(&nic->qps, &nic->cap_qps, nic->n_qps + 1, sizeof *nic->qps))
        return ASIM_ENOMEM;
    nic->qps[nic->n_qps++] = slot;
    return 0;
}

/* Drops the finished flows from position `first` on and says where `chosen` went. */
static size_t sweep(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                    size_t first, size_t chosen)
{
    size_t keep = first, moved = chosen;

    for (size_t i = first; i < nic->n_qps; i++) {
        if (is_finished(asim_flow_of(fabric, host->node, nic->qps[i]))) {
            asim_flow_release(host, nic->qps[i]);
            continue;
        }
        if (i == chosen)
            moved = keep;
        nic->qps[keep++] = nic->qps[i];
    }
    nic->n_qps = keep;
    return moved;
}

/* Round robin from after the last one served. Returns its position or SIZE_MAX. */
static size_t choose(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                     uint64_t t)
{
    size_t n = nic->n_qps, chosen = SIZE_MAX, first_finished = SIZE_MAX, at;
    int paused = nic->port.paused >> ASIM_DATA_QUEUE & 1;

    at = n ? nic->rr_last % n : 0;
    for (size_t k = 0; k < n; k++) {
        struct asim_flow *flow;

        at = at + 1 == n ? 0 : at + 1;
        flow = asim_flow_of(fabric, host->node, nic->qps[at]);
        if (!paused && is_willing(flow)) {
            if (flow->next_avail > t)
                continue;
            chosen = at;
            break;
        }
        if (is_finished(flow) && at < first_finished)
            first_finished = at;
    }
    if (first_finished != SIZE_MAX)
        chosen = sweep(fabric, host, nic, first_finished, chosen);
    return chosen;
}

/* Nothing may go now: come back when the earliest pacing gap ends.
 * parity: a flow that is blocked for another reason but whose gap is over suppresses this wake-up
 * for all others (defect 9 of the spec), and a pending one is not moved. */
static void arm(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                uint64_t t)
{
    uint64_t earliest = ASIM_NEVER;

    if (nic->wake_at != ASIM_NEVER)
        return;
    for (size_t i = 0; i < nic->n_qps; i++) {
        const struct asim_flow *flow = asim_flow_of(fabric, host->node, nic->qps[i]);

        if (flow->next_avail < earliest)
            earliest = flow->next_avail;
        if (earliest <= t)
            return;
    }
    if (earliest == ASIM_NEVER)
        return;
    nic->wake_at = earliest;
    nic->wake_tie = asim_tie(earliest - t, host->age, ASIM_CLASS_TIMER);
    nic->wake_seq = host->timer_seq++;
}

/* One packet of the chosen queue pair. The pacing gap counts from the start of the transmission and
 * covers the wire size, headers included (spec 2.5). */
static void send_data(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                      size_t at, uint64_t t)
{
    uint32_t slot = nic->qps[at];
    struct asim_flow *flow = asim_flow_of(fabric, host->node, slot);
    uint64_t left = flow->cc.size - flow->cc.snd_next;
    uint32_t payload =
        left < fabric->net->payload_bytes ? (uint32_t)left : fabric->net->payload_bytes;
    struct asim_frame frame = {.seq = flow->cc.snd_next,
                               .wire = payload + fabric->data_overhead,
                               .src = host->node,
                               .slot = (uint32_t)flow->generation << 24 | slot,
                               .dst = flow->msg.dst,
                               .type = ASIM_DATA};

    if (fabric->cc->needs && asim_telemetry_begin(fabric, flow, flow->cc.snd_next, t)) {
        fabric->failed = ASIM_ENOMEM;
        return;
    }
    flow->cc.snd_next += payload;
    flow->last_wire = frame.wire;
    nic->rr_last = (uint32_t)at;
    asim_port_start(fabric, &nic->port, &frame, asim_host_moment(host));
    flow->next_avail = t + asim_pacing_gap(fabric, nic, flow->cc.rate_bps, frame.wire);
}

/* Called after anything that could let a frame go: the steps and their order are those of the spec.
 * Does nothing while the NIC is busy; the end of that frame kicks again. */
void asim_nic_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   uint64_t t)
{
    size_t at;
    int ack_queue = fabric->net->ack_high_prio ? 0 : ASIM_DATA_QUEUE;

    if (nic->port.busy)
        return;
    if (nic->acks.n && !(nic->port.paused >> ack_queue & 1)) {
        struct asim_frame ack = *asim_ring_head(&nic->acks);

        asim_ring_drop(&nic->acks);
        asim_port_start(fabric, &nic->port, &ack, asim_host_moment(host));
        return;
    }
    at = choose(fabric, host, nic, t);
    if (at == SIZE_MAX)
        arm(fabric, host, nic, t);
    else
        send_data(fabric, host, nic, at, t);
}

/* The message is through: the log, then the source's callback (spec 2.10). The slot is given back
 * when a scan meets the finished queue pair. */
static void complete(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow)
{
    flow->live = 0;
    host->messages++;
    if (fabric->watch.fct) {
        struct asim_fct row = {.start = flow->start,
                               .end = host->now,
                               .bytes = flow->msg.bytes,
                               .ideal = asim_flow_ideal(fabric, flow),
                               .src = flow->msg.src,
                               .dst = flow->msg.dst,
                               .sport = flow->sport};

        fabric->watch.fct(fabric->watch.self, &row);
    }
    fabric->user.sent(fabric->user.self, &flow->msg);
}

/* parity: with L2_BACK_TO_ZERO the reference floors every ACK to a chunk, which never finishes a
 * message that is not a multiple of it; here the ACK counts as it is. */
void asim_sender_ack(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame, uint64_t t)
{
    struct asim_flow *flow = asim_flow_of(fabric, host->node, frame->slot);
    struct asim_cc_ack ack = {
        .now = t, .seq = frame->seq, .age = host->age, .marked = frame->flags & ASIM_CNP};
    struct asim_nic *nic;

    if (!flow->live || flow->generation != frame->slot >> 24)
        return;
    nic = &host->nics[flow->nic];
    if (frame->seq > flow->snd_una)
        flow->snd_una = frame->seq;
    /* After a go-back-N an ACK of what was sent before may pass snd_next; bytes in flight would
     * then underflow and the flow stay window-bound for ever (spec 2.8, defect 29). */
    if (flow->cc.snd_next < flow->snd_una)
        flow->cc.snd_next = flow->snd_una;
    if (is_finished(flow)) {
        complete(fabric, host, flow);
    } else {
        uint64_t old_bps = flow->cc.rate_bps;

        if (frame->type == ASIM_NACK)
            flow->cc.snd_next = flow->snd_una;
        if (fabric->cc->needs)
            ack.seen = asim_telemetry_of(fabric, flow, frame->seq - (frame->type == ASIM_ACK));
        fabric->cc->on_ack(&flow->cc, &ack, fabric->net);
        asim_pacing_changed(fabric, host, frame->slot & 0xffffff, old_bps);
    }
    asim_nic_kick(fabric, host, nic, t);
}
