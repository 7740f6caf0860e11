/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How a host sends on the short way (quick.h): the frame is written where it lies on the wire, and
 * a NIC that may go finds by itself what it sends next in all but the rare cases.
 */
#ifndef ASIM_FABRIC_HOST_FAST_FAST_SEND_H
#define ASIM_FABRIC_HOST_FAST_FAST_SEND_H

#include "fabric/host/pacing.h"
#include "fabric/host/qp.h"
#include "fabric/link/transmit.h"

/* Two loops are made of these, for one NIC and for several, where that is a constant: the compiler
 * would rather have one copy of each, and ask. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* As asim_port_begin, in the present event of the host. The place is asked for first, so that
 * nothing is kept over the call that seldom is. Sets *youth for the frame's side. */
ALWAYS_INLINE struct asim_frame *quick_begin(struct asim_host *host, struct asim_port *port,
                                             uint32_t bytes, uint64_t *youth)
{
    struct asim_wire *wire = port->out;
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);
    struct asim_frame *frame;

    if (tail != wire->limit)
        frame = &wire->at[tail & wire->mask];
    else if (!(frame = asim_link_ring_slot_slow(host->worker, wire)))
        return NULL;
    port->busy = ASIM_NIC_BUSY;
    port->tx_start = host->now;
    port->start_seq = host->seq;
    port->start_recency = asim_cause_recency(host->tie);
    port->busy_until = host->now + wire->tx[bytes];
    wire->frames++;
    wire->bytes += bytes;
    *youth = port->start_recency;
    return frame;
}

/* As asim_port_commit, for a frame that is written but for its time. `final`: it acknowledges a
 * whole message. */
ALWAYS_INLINE void quick_go(struct asim_host *host, struct asim_port *port,
                            struct asim_frame *frame, int final)
{
    struct asim_worker *worker = host->worker;
    struct asim_wire *wire = port->out;
    uint64_t t = asim_link_arrival(wire, port->busy_until);

    frame->t = t;
    if (final && wire->to == frame->src)
        asim_port_notify_final(worker, wire, frame);
    asim_link_ring_commit(wire);
    if (t < worker->min_arrival[wire->to_slot])
        worker->min_arrival[wire->to_slot] = t;
}

/* An answer has been started: nobody waits for its end where nothing else is there to be sent, and
 * where the end would find, do and arm nothing. */
ALWAYS_INLINE void quick_leave(struct asim_nic *nic)
{
    if (!nic->acks.n && (!nic->qps.maybe_paused || !nic->qps.n))
        nic->port.busy = ASIM_NIC_LEAVING;
}

/* The head of the FIFO of answers, ACKs and NACKs alike. It is written into its place on the wire
 * before it is dropped from the FIFO, whose memory stays as it is. */
ALWAYS_INLINE int quick_answer(struct asim_host *host, struct asim_nic *nic)
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
ALWAYS_INLINE int quick_packet(const struct asim_fabric *fabric, struct asim_host *host,
                               struct asim_nic *nic, struct asim_flow *flow)
{
    uint64_t seq = flow->cc.snd_next, left = flow->cc.size - seq, youth;
    uint32_t most = fabric->set.net->payload_bytes, payload = left < most ? (uint32_t)left : most;
    uint32_t wire = payload + fabric->set.data_overhead;
    struct asim_frame *frame = quick_begin(host, &nic->port, wire, &youth);

    if (!frame)
        return 0;
    frame->word1 = asim_frame_word1(seq, 0, wire);
    frame->flow = flow->frame_word;
    frame->word2 = asim_frame_word2(flow->dst, ASIM_DATA, 0) | youth << 32;
    flow->cc.snd_next = flow->snd_high = seq + payload;
    flow->tx_frames++;
    flow->last_wire = wire;
    flow->next_avail = host->now + asim_pacing_gap(fabric, nic, flow->cc.rate_bps, wire);
    asim_qplist_set_last_served(&nic->qps, flow->place);
    host->counts.data++;
    quick_go(host, &nic->port, frame, 0);
    return 1;
}

/* The flow whose turn it can only be, where no other may be willing; NULL: that is to be asked. */
ALWAYS_INLINE struct asim_flow *quick_only(const struct asim_qplist *list)
{
    uint64_t may;

    if (list->n == 1)
        return list->front;
    may = list->block->ready & list->block->in_use;
    if (!may || may & (may - 1) || list->end > ASIM_QP_BLOCK)
        return NULL;
    return asim_qplist_in(list, 0, may);
}

/* Its last packet has been started: ACKs are all it waits for, and so does the NIC. Not where the
 * end of it arms a wake-up. */
ALWAYS_INLINE void quick_rest(struct asim_nic *nic, const struct asim_flow *flow)
{
    struct asim_qplist *list = &nic->qps;

    if (flow->next_avail > nic->port.busy_until || list->front->next_avail > nic->port.busy_until)
        return;
    if (list->n > 1 && (list->block->ready &= ~(1ull << flow->place)))
        return;
    list->maybe_paused = 0;
    nic->port.busy = ASIM_NIC_LEAVING;
}

/* Nobody looks at a queue pair that is alone but here: the wake-up is the long way's, and seldom.
 * Links do not go down in a plain network, so the port is there. A scan that meets but a finished
 * one drops it, and that is all. */
ALWAYS_INLINE int quick_kick(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, uint64_t t)
{
    struct asim_flow *flow;

    if (nic->port.paused)
        return 0;
    if (nic->acks.n)
        return quick_answer(host, nic);
    if (!nic->qps.maybe_paused || !nic->qps.n)
        return 1;
    flow = quick_only(&nic->qps);
    if (!flow || flow->sack || flow->cc.snd_next != flow->snd_high)
        return 0;
    if (nic->qps.n_finished) {
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
        nic->qps.maybe_paused = 0;
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
    else if (flow->sack || flow->cc.snd_next != flow->snd_high)
        asim_nic_send(fabric, host, nic, flow);
    else
        quick_packet(fabric, host, nic, flow);
}

#endif
