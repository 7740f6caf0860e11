/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sending side of a NIC: it picks the queue pair that sends next, arms wake-ups, and takes ACKs
 * (rdma-network.md#host-transmit-order, #pacing, #loss-recovery). The scan follows ASTRA-sim's to
 * the letter, because with several flows its order decides every finish time.
 *
 * Costs: the scan finds the next queue pair that may send by bits (qplist.h), and looks at those
 * whose gap is not over. The scan that meets a finished queue pair drops it and frees its slot.
 */
#include "fabric/host/qp.h"

#include "fabric/link/transmit.h"
#include "fabric/host/telemetry.h"
#include "fabric/host/recovery.h"
#include "fabric/host/traffic.h"

/* Whether the flow has bytes left and room in the window, or a packet to retransmit. */
static inline int may_send(const struct asim_flow *flow)
{
    if (asim_recovery_pending(flow->sack))
        return !flow->aborted;
    return asim_flow_has_room(flow) && !flow->aborted;
}

/* The queue pair stays in the list until a scan finds it finished. */
int asim_nic_add(struct asim_host *host, uint32_t at, uint32_t slot)
{
    struct asim_flow *flow = asim_own_flow(host, slot);
    struct asim_nic *nic = &host->nics[at];
    const struct asim_fabric *fabric = host->worker->fabric;
    uint64_t traffic_class = flow->queue == fabric->set.data_queue ? 0 : flow->queue;

    flow->frame_word = host->node | traffic_class << ASIM_NODE_BITS |
                       (uint64_t)flow->generation << 56 | (uint64_t)slot << 32;
    if (fabric->set.qps)
        asim_connection_join(host, nic, flow);
    else if (nic->qps.n >= ASIM_CROWD) /* most messages need no call */
        nic->crowded += (uint64_t)asim_connection_is_crowded(host, nic, flow);
    return asim_qplist_add(&nic->qps, flow);
}

static inline int is_paused(const struct asim_nic *nic, const struct asim_flow *flow)
{
    return nic->port.paused >> flow->queue & 1;
}

/* The first flow in block b, among the places in `mask`, that may send at t, or NULL. Begins to
 * load the flow behind the next one, which this scan or a later one looks at. */
static inline struct asim_flow *find_in(struct asim_nic *nic, uint32_t b, uint64_t mask, uint64_t t)
{
    struct asim_qplist *list = &nic->qps;
    struct asim_qp_block *block = &list->block[b];

    for (uint64_t bits = block->ready & block->in_use & mask; bits; bits &= bits - 1) {
        struct asim_flow *flow = asim_qplist_in(list, b, bits);
        uint64_t behind = bits & (bits - 1);

        behind &= behind - 1;
        if (behind)
            asim_flow_prefetch(asim_qplist_in(list, b, behind));
        if (!may_send(flow))
            block->ready &= ~(bits & -bits);
        else if (flow->next_avail <= t && !is_paused(nic, flow))
            return flow;
    }
    return NULL;
}

/* The same over all places, from `begin` on and round to it. */
static inline struct asim_flow *find(struct asim_nic *nic, uint32_t begin, uint64_t t)
{
    const struct asim_qplist *list = &nic->qps;
    uint32_t n = asim_qplist_blocks(list), first = begin == list->end ? 0 : begin / ASIM_QP_BLOCK;
    uint64_t behind = begin == list->end ? UINT64_MAX : UINT64_MAX << begin % ASIM_QP_BLOCK;
    struct asim_flow *flow = find_in(nic, first, behind, t);

    for (uint32_t b = first + 1; !flow && b < n; b++)
        flow = find_in(nic, b, UINT64_MAX, t);
    for (uint32_t b = 0; !flow && b < first; b++)
        flow = find_in(nic, b, UINT64_MAX, t);
    return flow ? flow : find_in(nic, first, ~behind, t);
}

/* Round robin over the flows of all queues, beginning behind the flow served last: as ns-3's NIC.
 */
static struct asim_flow *choose_of_many(const struct asim_fabric *fabric, struct asim_host *host,
                                        struct asim_nic *nic, uint64_t t)
{
    int all_paused = !fabric->set.several_queues && nic->port.paused >> fabric->set.data_queue & 1;
    struct asim_qplist *list = &nic->qps;
    uint32_t begin = asim_qplist_cursor(list);
    struct asim_flow *chosen = NULL;

    if (!all_paused)
        chosen = find(nic, begin, t);
    if (list->n_finished)
        asim_qplist_reap(list, host, begin, chosen ? chosen->place : ASIM_QP_NONE);
    return chosen;
}

/* Short for a NIC with one queue pair. */
struct asim_flow *asim_nic_choose(const struct asim_fabric *fabric, struct asim_host *host,
                                  struct asim_nic *nic, uint64_t t)
{
    struct asim_flow *flow = nic->qps.front;

    if (!nic->qps.n)
        return NULL;
    if (nic->qps.n != 1 || nic->qps.n_finished)
        return choose_of_many(fabric, host, nic, t);
    return !is_paused(nic, flow) && may_send(flow) && flow->next_avail <= t ? flow : NULL;
}

/* When the first pacing gap ends; any time up to t if one has ended. With QPS_PER_CONNECTION gaps
 * of messages that cannot send do not count, which have no ready bit or lose it in a scan. */
static uint64_t first_gap(const struct asim_fabric *fabric, const struct asim_qplist *list,
                          uint64_t t)
{
    uint64_t earliest = ASIM_NEVER;

    for (uint32_t b = list->first / ASIM_QP_BLOCK; b * ASIM_QP_BLOCK < list->end; b++) {
        uint64_t bits = list->block[b].in_use;

        if (fabric->set.qps && list->n > 1)
            bits &= list->block[b].ready;
        for (; bits && earliest > t; bits &= bits - 1) {
            const struct asim_flow *flow = asim_qplist_in(list, b, bits);

            if (flow->next_avail < earliest && (!fabric->set.qps || may_send(flow)))
                earliest = flow->next_avail;
        }
    }
    return earliest;
}

/* A scan has chosen no flow and has dropped the finished ones. Without ready bits no flow is
 * willing. The bits do not tell for a single queue pair, nor beyond one block. */
static inline void clear_needs_scan(struct asim_qplist *list)
{
    list->needs_scan = list->n == 1 || list->end > ASIM_QP_BLOCK || (list->n && list->block->ready);
}

/* No flow may send now: arms a wake-up at the end of the earliest pacing gap. parity: a flow that
 * is blocked for another reason but whose gap is over suppresses this wake-up for all others
 * (rdma-network.md#host-transmit-order), and a pending wake-up does not move. */
void asim_nic_arm(const struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                  uint64_t t)
{
    uint64_t earliest;

    clear_needs_scan(&nic->qps);
    if (nic->wake_at != ASIM_NEVER || !nic->qps.n ||
        (nic->qps.front->next_avail <= t && !fabric->set.qps))
        return;
    earliest = first_gap(fabric, &nic->qps, t);
    if (earliest <= t || earliest == ASIM_NEVER)
        return;
    nic->wake_at = earliest;
    nic->wake_tie = asim_timer_tie_key(host->tie, earliest - t);
    nic->wake_seq = asim_host_wake_seq(host, nic);
}

/* Flags of a retransmission. After a timeout the ACK may be the lost frame, so the packet asks for
 * one. A packet that a NACK asked for needs no such flag. */
static unsigned retransmit_flags(struct asim_host *host, const struct asim_flow *flow, uint64_t seq,
                                 int solicits)
{
    host->counts.retransmits++;
    return solicits || seq < flow->solicit_below ? ASIM_SOLICIT : 0;
}

/* Sends one packet of the chosen queue pair. The pacing gap counts from the start of the
 * transmission and covers the wire size with headers (rdma-network.md#pacing). */
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
        flags = retransmit_flags(host, flow, seq, fabric->set.solicits);
    frame->word1 = asim_frame_word1(seq, 0, wire);
    frame->flow = flow->frame_word;
    frame->word2 = asim_frame_word2(flow->dst, ASIM_DATA, flags) | (uint64_t)nic->port.start_recency
                                                                       << 32;
    if (fabric->set.has_records &&
        asim_telemetry_begin(fabric, flow, frame, asim_to_ns(fabric, host->now))) {
        worker->failed = ASIM_ENOMEM;
        return;
    }
    if (seq == flow->cc.snd_next)
        flow->cc.snd_next += payload;
    if (flow->snd_high < seq + payload) {
        flow->snd_high = seq + payload;
        asim_connection_sent(fabric, nic, flow);
    }
    host->counts.data++;
    flow->tx_frames++;
    flow->last_wire = wire;
    asim_qplist_set_last_served(&nic->qps, flow->place);
    flow->next_avail = host->now + asim_pacing_gap(fabric, nic, flow->cc.rate_bps, wire);
    asim_port_commit(worker, &nic->port, frame);
}

/* Sends the head of the FIFO of answers. */
static void send_ack(struct asim_host *host, struct asim_nic *nic)
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

/* Called after any event that could let a frame go. Steps and their order follow
 * rdma-network.md#host-transmit-order. Does nothing while the NIC is busy: the end of that frame
 * kicks again. */
void asim_nic_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   uint64_t t)
{
    struct asim_flow *flow;

    if (asim_nic_is_busy(host, nic) || nic->port.down)
        return;
    if (nic->acks.n && !(nic->port.paused >> fabric->set.ack_queue & 1)) {
        send_ack(host, nic);
        return;
    }
    if (fabric->datagrams && asim_nic_send_datagram(fabric, host, nic, 1))
        return;
    flow = asim_nic_choose(fabric, host, nic, t);
    if (flow)
        asim_nic_send(fabric, host, nic, flow);
    else if (!fabric->datagrams || !asim_nic_send_datagram(fabric, host, nic, 0))
        asim_nic_arm(fabric, host, nic, t);
}

/* Applies the ACK to the bytes, then to the rate; then the NIC sends if it may. */
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
    asim_recovery_ack(host, flow, frame);
    asim_qplist_mark_ready(&nic->qps, flow->place);
    if (asim_flow_is_over(flow))
        asim_message_sent(fabric, host, flow);
    else if (!fabric->set.cc_idle)
        asim_pacing_ack(fabric, host, flow, frame);
    if (!asim_nic_is_busy(host, nic))
        asim_nic_kick(fabric, host, nic, host->now);
}
