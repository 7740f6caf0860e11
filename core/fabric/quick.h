/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The short way of a host, for what nearly all its events are: packets in order, ACKs of more, and
 * a NIC that has the next of either to send, in a network in which nothing is lost on wires and
 * nobody looks at single frames (lane->plain). Inlined into the loops of plain.c, so that
 * a frame costs no call and no test of what is the same for all frames of a turn.
 *
 * Each function does all that the long way (qp.c, receiver.c) would do with the event, or returns 0
 * and has changed nothing: then the long way is to be taken. Frames that switches drop may still
 * bring repeats, so what is asked of flows is asked for each frame.
 *
 * Costs: some 540 instructions a packet with its ACK, which are four events at two hosts; the long
 * way takes 950. Tried and left out, since they cost fewer instructions but no less time: taking a
 * message's next packets without going back to the loop, and ends of transmissions found without a
 * branch.
 */
#ifndef ASIM_FABRIC_QUICK_H
#define ASIM_FABRIC_QUICK_H

#include "fabric/turn.h"

/* The usual ACK: progress, and nothing lost that anybody knows of. What asim_recovery_ack would do
 * is then to move snd_una. */
static inline int asim_ack_is_plain(const struct asim_fabric *fabric, const struct asim_flow *flow,
                                    const struct asim_frame *frame)
{
    return frame->type == ASIM_ACK && !frame->dst && frame->seq > flow->snd_una &&
           frame->seq <= flow->cc.snd_next && !flow->timeouts && !flow->repair &&
           !fabric->net->l2_back_to_zero;
}
/* Whether what is expected next is `next` when an answer is due. The last line is ours (spec 2.7,
 * consequences): an interval of 0, or a message shorter than the interval, never finishes in the
 * reference. */
static inline int asim_wants_ack(const struct asim_netconf *net, uint64_t next, uint64_t size)
{
    if (next >= net->l2_ack_interval_bytes && net->l2_ack_interval_bytes)
        return 1;
    if (net->l2_chunk_bytes && next % net->l2_chunk_bytes == 0)
        return 1;
    return next >= size;
}

/* As asim_port_begin, in the present event of the host. The place is asked for first, so that
 * nothing is kept over the call that seldom is. Sets *youth for the frame's side. */
IN_LOOP struct asim_frame *quick_begin(struct asim_host *host, struct asim_port *port,
                                       uint32_t bytes, uint64_t *youth)
{
    struct asim_wire *wire = port->out;
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);
    struct asim_frame *frame;

    if (tail != wire->limit)
        frame = &wire->at[tail & wire->mask];
    else if (!(frame = asim_mail_slot_slow(host->lane, wire)))
        return NULL;
    port->busy = 1;
    port->tx_start = host->now;
    port->start_seq = host->seq;
    port->start_youth = asim_youth(host->tie);
    port->busy_until = host->now + wire->tx[bytes];
    wire->frames++;
    wire->bytes += bytes;
    *youth = port->start_youth;
    return frame;
}

/* As asim_port_commit, for a frame that is written but for its time. `final`: it acknowledges a
 * whole message. */
IN_LOOP void quick_go(struct asim_host *host, struct asim_port *port, struct asim_frame *frame,
                      int final)
{
    struct asim_lane *lane = host->lane;
    struct asim_wire *wire = port->out;
    uint64_t t = port->busy_until + wire->delay;

    frame->t = t;
    if (final && wire->to == frame->src)
        asim_port_notice(lane, wire, frame);
    asim_mail_commit(wire);
    if (t < lane->lowered[wire->to])
        lane->lowered[wire->to] = t;
}

/* An answer has been started: nobody waits for its end where nothing else is there to be sent, and
 * where the end would find, do and arm nothing. */
IN_LOOP void quick_leave(struct asim_nic *nic)
{
    if (!nic->acks.n && (!nic->qps.stirred || !nic->qps.n))
        nic->port.busy = ASIM_NIC_LEAVING;
}

/* An ACK, of the last byte, too: the usual one, as of asim_ack_is_plain. The flow it is of, whose
 * NIC the caller kicks, or NULL. */
IN_LOOP struct asim_flow *quick_ack(const struct asim_fabric *fabric, struct asim_host *host,
                                    const struct asim_frame *frame)
{
    struct asim_flow *flow = asim_own_flow(host, frame->slot);
    uint64_t seq = frame->seq;

    if (flow->generation != frame->slot >> 24 || !flow->live || !fabric->cc_idle || frame->dst ||
        seq <= flow->snd_una || seq > flow->cc.snd_next || flow->timeouts || flow->repair)
        return NULL;
    host->counts.got_acks++;
    flow->tx_frames--;
    flow->snd_una = seq;
    return flow;
}

/* The first frame of a message has come: nothing else tells the destination that it begins. */
static inline void asim_rx_begin(struct asim_rx *rx, uint8_t generation)
{
    rx->heard = generation;
    rx->next = 0;
    rx->nacked = rx->told = 0;
    rx->back = 0;
}

/* The expected packet with nothing kept behind it, and its ACK: at once, or through the FIFO where
 * the port is busy; so there is nothing to kick. The packet is no longer under way and its ACK is:
 * the count of frames stays, but for the notice of the last one. */
IN_LOOP int quick_data(struct asim_fabric *fabric, struct asim_host *host,
                       const struct asim_frame *frame, int is_one)
{
    struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    uint32_t payload = frame->wire - fabric->data_overhead, busy;
    uint8_t generation = (uint8_t)(frame->slot >> 24);
    uint64_t seq = frame->seq, next = seq + payload, youth = 0;
    unsigned flags = (frame->flags & ASIM_CE) * (ASIM_CNP / ASIM_CE);
    struct asim_nic *nic = is_one ? &host->only : host->nics;
    struct asim_frame *ack;

    if (rx->generation != generation)
        return 0;
    if (rx->heard != generation)
        asim_rx_begin(rx, generation); /* which the long way would do, too */
    if (seq != rx->next || rx->ahead.n || !asim_wants_ack(fabric->net, next, rx->size))
        return 0;
    if (!is_one)
        nic = rx->back ? &nic[rx->back - 1] : asim_nic_back(fabric, host, frame, rx);
    busy = (uint32_t)asim_nic_is_busy(host, nic);
    if (nic->port.paused || (nic->acks.n && !busy))
        return 0;
    if (busy)
        ack = asim_ring_slot(&nic->acks);
    else
        ack = quick_begin(host, &nic->port, fabric->ack_wire, &youth);
    if (!ack)
        return 0;
    rx->next = next;
    if (next >= rx->size) {
        flags |= ASIM_FINAL;
        asim_rx_count(rx, 1);
    }
    host->counts.got_data++;
    host->counts.in_order += payload;
    host->counts.acks_made++;
    ack->extent = asim_frame_extent(next, 0, fabric->ack_wire);
    ack->flow = frame->flow;
    ack->rest = asim_frame_rest(0, ASIM_ACK, flags) | youth << 32;
    if (busy)
        return 1;
    host->counts.acks++;
    quick_leave(nic);
    quick_go(host, &nic->port, ack, flags & ASIM_FINAL);
    return 1;
}

/* The head of the FIFO of answers, ACKs and NACKs alike. It is written into its place on the wire
 * before it is dropped from the FIFO, whose memory stays as it is. */
IN_LOOP int quick_answer(struct asim_host *host, struct asim_nic *nic)
{
    const struct asim_frame *head = asim_ring_head(&nic->acks);
    uint64_t youth;
    struct asim_frame *frame = quick_begin(host, &nic->port, (uint32_t)head->wire, &youth);

    if (!frame)
        return 0;
    asim_frame_copy(frame, head, (uint32_t)youth);
    asim_ring_drop(&nic->acks);
    host->counts.acks++;
    quick_leave(nic);
    quick_go(host, &nic->port, frame, head->flags & ASIM_FINAL && head->type == ASIM_ACK);
    return 1;
}

/* The next packet of a flow that goes back on nothing: snd_next is the end of all that was ever
 * sent, so no flag asks for an ACK of what may be there already. */
IN_LOOP int quick_packet(const struct asim_fabric *fabric, struct asim_host *host,
                         struct asim_nic *nic, struct asim_flow *flow)
{
    uint64_t seq = flow->cc.snd_next, left = flow->cc.size - seq, youth;
    uint32_t most = fabric->net->payload_bytes, payload = left < most ? (uint32_t)left : most;
    uint32_t wire = payload + fabric->data_overhead;
    struct asim_frame *frame = quick_begin(host, &nic->port, wire, &youth);

    if (!frame)
        return 0;
    frame->extent = asim_frame_extent(seq, 0, wire);
    frame->flow = flow->name;
    frame->rest = asim_frame_rest(flow->dst, ASIM_DATA, 0) | youth << 32;
    flow->cc.snd_next = flow->snd_high = seq + payload;
    flow->tx_frames++;
    flow->last_wire = wire;
    flow->next_avail = host->now + asim_pacing_gap(fabric, nic, flow->cc.rate_bps, wire);
    asim_qplist_served(&nic->qps, flow->place);
    host->counts.data++;
    quick_go(host, &nic->port, frame, 0);
    return 1;
}

/* The flow whose turn it can only be, where no other may be willing; NULL: that is to be asked. */
IN_LOOP struct asim_flow *quick_only(const struct asim_qplist *list)
{
    uint64_t may;

    if (list->n == 1)
        return list->front;
    may = list->block->may & list->block->here;
    if (!may || may & (may - 1) || list->end > ASIM_QP_BLOCK)
        return NULL;
    return list->block->flow[__builtin_ctzll(may)];
}

/* Its last packet has been started: ACKs are all it waits for, and so does the NIC. Not where the
 * end of it arms a wake-up. */
IN_LOOP void quick_rest(struct asim_nic *nic, const struct asim_flow *flow)
{
    struct asim_qplist *list = &nic->qps;

    if (flow->next_avail > nic->port.busy_until || list->front->next_avail > nic->port.busy_until)
        return;
    if (list->n > 1 && (list->block->may &= ~(1ull << flow->place)))
        return;
    list->stirred = 0;
    nic->port.busy = ASIM_NIC_LEAVING;
}

/* Nobody looks at a queue pair that is alone but here: the wake-up is the long way's, and seldom.
 * Links do not go down in a plain network, so the port is there. A scan that meets but a finished
 * one drops it, and that is all. */
IN_LOOP int quick_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                       uint64_t t)
{
    struct asim_flow *flow;

    if (nic->port.paused)
        return 0;
    if (nic->acks.n)
        return quick_answer(host, nic);
    if (!nic->qps.stirred || !nic->qps.n)
        return 1;
    flow = quick_only(&nic->qps);
    if (!flow || flow->repair || flow->cc.snd_next != flow->snd_high)
        return 0;
    if (nic->qps.n_over) {
        if (nic->qps.n != 1)
            return 0;
        if (flow->cc.snd_next >= flow->cc.size)
            asim_qplist_drop_only(&nic->qps, host);
        return !nic->qps.n;
    }
    if (flow->next_avail > t)
        return nic->wake_at != ASIM_NEVER;
    if (!asim_flow_has_room(flow)) {
        if (nic->qps.n != 1)
            return 0;
        nic->qps.stirred = 0;
        return 1;
    }
    if (!quick_packet(fabric, host, nic, flow))
        return 0;
    if (flow->cc.snd_next >= flow->cc.size)
        quick_rest(nic, flow);
    return 1;
}

/* The same with several queue pairs: whose turn it is is asked out of line. */
static inline void quick_kick_any(struct asim_fabric *fabric, struct asim_host *host,
                                  struct asim_nic *nic, uint64_t t)
{
    struct asim_flow *flow;

    if (nic->acks.n || nic->port.paused) {
        asim_nic_kick(fabric, host, nic, t);
        return;
    }
    flow = asim_nic_choose(fabric, host, nic, t);
    if (!flow)
        asim_nic_arm(host, nic, t);
    else if (flow->repair || flow->cc.snd_next != flow->snd_high)
        asim_nic_send(fabric, host, nic, flow);
    else
        quick_packet(fabric, host, nic, flow);
}

#endif
