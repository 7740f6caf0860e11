/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sending side of a NIC: which queue pair goes next, when nothing may go yet, and what an ACK
 * does. rdma-network.md#hosts; the scan is ASTRA-sim's to the letter,
 * because with several flows its order decides every finish time.
 *
 * Costs: the scan comes to the next queue pair that may send by bits (qplist.h); those whose gap is
 * not over yet are looked at. Finished ones are dropped by the scan that meets them, which is when
 * their slots are free again.
 */
#include "fabric/host/qp.h"
#include "fabric/host/pacing.h"
#include "fabric/link/transmit.h"
#include "fabric/host/telemetry.h"
#include "fabric/host/memo_hooks.h"

/* Bytes left and room in the window, or something to repeat. */
static inline int is_willing(const struct asim_flow *flow)
{
    if (asim_recovery_pending(flow->sack))
        return !flow->aborted;
    return asim_flow_has_room(flow) && !flow->aborted;
}

/* The slot stays in the list until a scan finds the flow finished. */
int asim_nic_add(struct asim_host *host, uint32_t at, uint32_t slot)
{
    struct asim_flow *flow = asim_own_flow(host, slot);

    flow->frame_word = host->node | (uint64_t)flow->generation << 56 | (uint64_t)slot << 32;
    return asim_qplist_add(&host->nics[at].qps, flow);
}

/* The first of the b-th block's places in `mask` that may send at t, or NULL. */
static inline struct asim_flow *find_in(struct asim_qplist *list, uint32_t b, uint64_t mask,
                                        uint64_t t)
{
    struct asim_qp_block *block = &list->block[b];

    for (uint64_t bits = block->ready & block->in_use & mask; bits; bits &= bits - 1) {
        struct asim_flow *flow = asim_qplist_in(list, b, bits);

        if (!is_willing(flow))
            block->ready &= ~(bits & -bits);
        else if (flow->next_avail <= t)
            return flow;
    }
    return NULL;
}

/* The same once round, from place `begin` on. */
static inline struct asim_flow *find(struct asim_qplist *list, uint32_t begin, uint64_t t)
{
    uint32_t n = asim_qplist_blocks(list), first = begin == list->end ? 0 : begin / ASIM_QP_BLOCK;
    uint64_t behind = begin == list->end ? UINT64_MAX : UINT64_MAX << begin % ASIM_QP_BLOCK;
    struct asim_flow *flow = find_in(list, first, behind, t);

    for (uint32_t b = first + 1; !flow && b < n; b++)
        flow = find_in(list, b, UINT64_MAX, t);
    for (uint32_t b = 0; !flow && b < first; b++)
        flow = find_in(list, b, UINT64_MAX, t);
    return flow ? flow : find_in(list, first, ~behind, t);
}

/* Round robin from behind the one served last. */
static struct asim_flow *choose_of_many(struct asim_host *host, struct asim_nic *nic, uint64_t t,
                                        int paused)
{
    struct asim_qplist *list = &nic->qps;
    uint32_t begin = asim_qplist_cursor(list);
    struct asim_flow *chosen = NULL;

    if (!paused)
        chosen = find(list, begin, t);
    if (list->n_finished)
        asim_qplist_reap(list, host, begin, chosen ? chosen->place : ASIM_QP_NONE);
    return chosen;
}

/* Short where one queue pair is all there is. */
struct asim_flow *asim_nic_choose(const struct asim_fabric *fabric, struct asim_host *host,
                                  struct asim_nic *nic, uint64_t t)
{
    struct asim_flow *flow = nic->qps.front;
    int paused = nic->port.paused >> fabric->set.net->priority_group & 1;

    if (!nic->qps.n)
        return NULL;
    if (nic->qps.n != 1 || nic->qps.n_finished)
        return choose_of_many(host, nic, t, paused);
    return !paused && is_willing(flow) && flow->next_avail <= t ? flow : NULL;
}

/* When the first of all pacing gaps ends; any time up to t if one has. */
static uint64_t first_gap(const struct asim_qplist *list, uint64_t t)
{
    uint64_t earliest = ASIM_NEVER;

    for (uint32_t b = list->first / ASIM_QP_BLOCK; b * ASIM_QP_BLOCK < list->end; b++) {
        for (uint64_t bits = list->block[b].in_use; bits && earliest > t; bits &= bits - 1) {
            uint64_t over = asim_qplist_in(list, b, bits)->next_avail;

            earliest = over < earliest ? over : earliest;
        }
    }
    return earliest;
}

/* A scan has chosen none. It has dropped the finished ones, and where no bit is left none is
 * willing; whether the only one is, or any of more than a block, is not asked here. */
static inline void settle(struct asim_qplist *list)
{
    list->needs_scan = list->n == 1 || list->end > ASIM_QP_BLOCK || (list->n && list->block->ready);
}

/* Nothing may go now: come back when the earliest pacing gap ends.
 * parity: a flow that is blocked for another reason but whose gap is over suppresses this wake-up
 * for all others (defect 9 of the spec), and a pending one is not moved. */
void asim_nic_arm(struct asim_host *host, struct asim_nic *nic, uint64_t t)
{
    uint64_t earliest;

    settle(&nic->qps);
    if (nic->wake_at != ASIM_NEVER || !nic->qps.n || nic->qps.front->next_avail <= t)
        return;
    earliest = first_gap(&nic->qps, t);
    if (earliest <= t || earliest == ASIM_NEVER)
        return;
    nic->wake_at = earliest;
    nic->wake_tie = asim_tie_key(earliest - t, asim_tie_key_age(host->tie), ASIM_CLASS_TIMER);
    nic->wake_seq = host->timer_seq++;
}

/* A packet that went out before. After a timeout the ACK may be what is missing; a NACK's repeats
 * are what the receiver waits for, and ask for nothing, as in ASTRA-sim. */
static unsigned repeat_flags(struct asim_host *host, const struct asim_flow *flow, uint64_t seq,
                             int selective)
{
    host->counts.retransmits++;
    return selective || seq < flow->solicit_below ? ASIM_SOLICIT : 0;
}

/* One packet of the chosen queue pair. The pacing gap counts from the start of the transmission and
 * covers the wire size, headers included (rdma-network.md#pacing). */
void asim_nic_send(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   struct asim_flow *flow)
{
    struct asim_worker *worker = host->worker;
    uint64_t seq =
        asim_recovery_pending(flow->sack) ? asim_recovery_pop(worker, flow) : flow->cc.snd_next;
    uint64_t left = flow->cc.size - seq;
    uint32_t payload =
        left < fabric->set.net->payload_bytes ? (uint32_t)left : fabric->set.net->payload_bytes;
    uint32_t wire = payload + fabric->set.data_overhead;
    unsigned flags = 0;
    struct asim_frame *frame = asim_port_begin(worker, &nic->port, wire, asim_host_event_key(host));

    if (!frame)
        return;
    if (seq < flow->snd_high)
        flags =
            repeat_flags(host, flow, seq, fabric->set.net->loss_recovery == ASIM_SELECTIVE_REPEAT);
    frame->word1 = asim_frame_word1(seq, 0, wire);
    frame->flow = flow->frame_word;
    frame->word2 = asim_frame_word2(flow->dst, ASIM_DATA, flags) | (uint64_t)nic->port.start_recency
                                                                       << 32;
    if (fabric->set.cc->needs &&
        asim_telemetry_begin(fabric, flow, frame, asim_to_ns(fabric, host->now))) {
        worker->failed = ASIM_ENOMEM;
        return;
    }
    if (seq == flow->cc.snd_next)
        flow->cc.snd_next += payload;
    if (flow->snd_high < seq + payload)
        flow->snd_high = seq + payload;
    host->counts.data++;
    flow->tx_frames++;
    flow->last_wire = wire;
    asim_qplist_set_last_served(&nic->qps, flow->place);
    flow->next_avail = host->now + asim_pacing_gap(fabric, nic, flow->cc.rate_bps, wire);
    asim_port_commit(worker, &nic->port, frame);
}

/* Sends the head of the FIFO of answers. */
static void answer(struct asim_host *host, struct asim_nic *nic)
{
    const struct asim_frame *frame = asim_ring_head(&nic->acks);
    struct asim_frame *place =
        asim_port_begin(host->worker, &nic->port, (uint32_t)frame->wire, asim_host_event_key(host));

    if (!place)
        return;
    asim_frame_copy(place, frame, nic->port.start_recency);
    if (frame->type >= ASIM_PAUSE)
        host->counts.pfc_sent++;
    else
        host->counts.acks++;
    asim_ring_drop(&nic->acks);
    asim_port_commit(host->worker, &nic->port, place);
}

/* Called after anything that could let a frame go: the steps and their order are those of the spec.
 * Does nothing while the NIC is busy; the end of that frame kicks again. */
void asim_nic_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   uint64_t t)
{
    struct asim_flow *flow;

    if (asim_nic_is_busy(host, nic) || nic->port.down)
        return;
    if (nic->acks.n && !(nic->port.paused >> fabric->set.ack_queue & 1)) {
        answer(host, nic);
        return;
    }
    flow = asim_nic_choose(fabric, host, nic, t);
    if (!flow)
        asim_nic_arm(host, nic, t);
    else
        asim_nic_send(fabric, host, nic, flow);
}

/* The message is through: the log, then the source's callback (rdma-network.md#completion). The
 * slot is given back when a scan meets the finished queue pair. */
void asim_sender_complete(struct asim_fabric *fabric, struct asim_host *host,
                          struct asim_flow *flow)
{
    const struct asim_msg *msg = &asim_rx_at(host, flow->slot)->msg;

    flow->live = 0;
    asim_qplist_mark_finished(&host->nics[flow->nic].qps, flow->place);
    host->messages++;
    host->counts.completed += flow->cc.size;
    host->worker->open--;
    if (fabric->memo_hooks)
        fabric->memo_hooks->sent(fabric, host, flow);
    if (fabric->watch.fct) {
        struct asim_fct row = {.start = asim_to_ns(fabric, flow->start),
                               .end = asim_to_ns(fabric, host->now),
                               .bytes = msg->bytes,
                               .ideal = flow->ideal,
                               .src = host->node,
                               .dst = flow->dst,
                               .sport = flow->sport};

        fabric->watch.fct(fabric->watch.self, &row);
    }
    fabric->set.user.sent(fabric->set.user.self, msg);
}

/* What the ACK says to congestion control. */
static void tell_cc(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow,
                    const struct asim_frame *frame)
{
    struct asim_cc_ack ack = {.now = asim_to_ns(fabric, host->now),
                              .seq = frame->seq,
                              .age = asim_to_ns(fabric, asim_tie_key_age(host->tie)),
                              .marked = frame->flags & ASIM_CNP};
    uint64_t old_bps = flow->cc.rate_bps;

    if (fabric->set.cc->needs)
        ack.seen = asim_telemetry_by(fabric, asim_rx_of(fabric, host->node, frame->slot), frame);
    fabric->set.cc->on_ack(&flow->cc, &ack, &fabric->set.cc_config);
    asim_pacing_changed(fabric, host, frame->slot & 0xffffff, old_bps);
}

/* What the ACK says of bytes, then of the rate; then whatever may go now goes. */
void asim_sender_ack(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame)
{
    struct asim_flow *flow = asim_own_flow(host, frame->slot);
    struct asim_nic *nic;

    host->counts.acks_received++;
    if (flow->generation != frame->slot >> 24)
        return;
    flow->tx_frames--;
    if (!flow->live)
        return;
    nic = &host->nics[flow->nic];
    asim_recovery_ack(host->worker, flow, frame, host->now);
    asim_qplist_mark_ready(&nic->qps, flow->place);
    if (asim_flow_is_over(flow))
        asim_sender_complete(fabric, host, flow);
    else if (!fabric->set.cc_idle)
        tell_cc(fabric, host, flow, frame);
    if (!asim_nic_is_busy(host, nic))
        asim_nic_kick(fabric, host, nic, host->now);
}
