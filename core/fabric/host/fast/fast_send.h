/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The fast path of sending: a host writes a frame straight into its place on the wire, and a NIC
 * finds its next frame without a scan in all but rare cases. Each function does all that the slow
 * path (qp.c) would do, or returns 0 and has changed nothing; the caller then takes the slow path.
 */
#ifndef ASIM_FABRIC_HOST_FAST_FAST_SEND_H
#define ASIM_FABRIC_HOST_FAST_FAST_SEND_H

#include "fabric/host/qp.h"
#include "fabric/link/transmit.h"
#include "fabric/ground/ground.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"

/* frame_loop.c makes a loop of these functions for each set of NICs, which is a constant there.
 * Without the attribute the compiler would keep one copy and test it at each event. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* The NICs that a loop looks at: the only one of its host; one of several; all. */
enum nics { SINGLE_NIC, ONE_OF_SEVERAL, ALL_NICS };

/* A frame that begins: its place on the wire, the wire's tail behind it, and its cause recency. */
struct fast_frame {
    struct asim_frame *at; /* NULL when out of memory */
    uint32_t tail;
    uint64_t recency;
};

/* As asim_port_begin, in the host's present event. The rare call comes first, so that the compiler
 * keeps no value over it. A frame in `overflow` leaves the tail as it is (link.c). */
ALWAYS_INLINE struct fast_frame fast_begin(struct asim_host *host, struct asim_port *port,
                                           uint32_t bytes)
{
    struct asim_wire *wire = port->out;
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);
    struct fast_frame frame;

    if (tail != wire->limit) {
        frame.at = &wire->at[tail & wire->mask];
        frame.tail = tail + 1;
    } else {
        if (!(frame.at = asim_link_ring_slot_slow(host->worker, wire)))
            return frame;
        frame.tail = tail + (tail != wire->limit);
    }
    port->busy = ASIM_NIC_BUSY;
    port->tx_start = host->now;
    port->start_seq = host->seq;
    port->start_recency = asim_cause_recency(host->tie);
    port->busy_until = host->now + wire->tx[bytes];
    wire->frames++;
    wire->bytes += bytes;
    frame.recency = port->start_recency;
    return frame;
}

/* As asim_port_commit, for a frame that is complete but for its time. is_final: the frame
 * acknowledges a whole message. */
ALWAYS_INLINE void fast_commit(struct asim_host *host, struct asim_port *port,
                               struct fast_frame frame, int is_final)
{
    struct asim_worker *worker = host->worker;
    struct asim_wire *wire = port->out;
    uint64_t t = asim_link_arrival(wire, port->busy_until);

    frame.at->t = t;
    if (is_final && wire->to == frame.at->src)
        worker->fabric->frame_hooks->final(worker, wire, frame.at);
    atomic_store_explicit(&wire->tail, frame.tail, memory_order_release);
    asim_wire_schedule(worker, wire, t);
}

/* An ACK has started. Its end is no event if the NIC has no other ACK and if a scan then would
 * find, do and arm nothing. */
ALWAYS_INLINE void fast_skip_end(struct asim_nic *nic)
{
    if (!nic->acks.n && (!nic->qps.needs_scan || !nic->qps.n))
        nic->port.busy = ASIM_NIC_LEAVING;
}

/* Sends the head of the FIFO of ACKs and NACKs. The frame is copied before it is dropped from the
 * FIFO, whose memory stays as it is. */
ALWAYS_INLINE int fast_send_ack(struct asim_host *host, struct asim_nic *nic)
{
    const struct asim_frame *head = asim_ring_head(&nic->acks);
    struct fast_frame frame = fast_begin(host, &nic->port, (uint32_t)head->wire);

    if (!frame.at)
        return 0;
    asim_frame_copy(frame.at, head, (uint32_t)frame.recency);
    asim_ring_drop(&nic->acks);
    host->counts.acks++;
    fast_skip_end(nic);
    fast_commit(host, &nic->port, frame, head->flags & ASIM_FINAL && head->type == ASIM_ACK);
    return 1;
}

/* Sends the next packet of a flow that retransmits nothing: snd_next is the end of all bytes ever
 * sent, so no flag asks for an ACK. */
ALWAYS_INLINE int fast_send_data(const struct asim_fabric *fabric, struct asim_host *host,
                                 struct asim_nic *nic, struct asim_flow *flow)
{
    uint64_t seq = flow->cc.snd_next, left = flow->cc.size - seq;
    uint32_t most = fabric->set.net->payload_bytes, payload = left < most ? (uint32_t)left : most;
    uint32_t wire = payload + fabric->set.data_overhead;
    struct fast_frame frame = fast_begin(host, &nic->port, wire);

    if (!frame.at)
        return 0;
    frame.at->word1 = asim_frame_word1(seq, 0, wire);
    frame.at->flow = flow->frame_word;
    frame.at->word2 = asim_frame_word2(flow->dst, ASIM_DATA, 0) | frame.recency << 32;
    flow->cc.snd_next = flow->snd_high = seq + payload;
    flow->tx_frames++;
    flow->last_wire = wire;
    flow->next_avail = host->now + asim_pacing_gap(fabric, nic, flow->cc.rate_bps, wire);
    asim_qplist_set_last_served(&nic->qps, flow->place);
    host->counts.data++;
    fast_commit(host, &nic->port, frame, 0);
    return 1;
}

/* The flow that is next if no other can be; NULL: only a scan can tell. */
ALWAYS_INLINE struct asim_flow *fast_single_ready(const struct asim_qplist *list)
{
    uint64_t ready;

    if (list->n == 1)
        return list->front;
    ready = list->block->ready & list->block->in_use;
    if (!ready || ready & (ready - 1) || list->end > ASIM_QP_BLOCK)
        return NULL;
    return asim_qplist_in(list, 0, ready);
}

/* The flow's last packet has started. The end of its transmission is no event if all flows of the
 * NIC wait for ACKs only and no gap ends after it, which would arm a wake-up. */
ALWAYS_INLINE void fast_all_sent(struct asim_nic *nic, const struct asim_flow *flow)
{
    struct asim_qplist *list = &nic->qps;

    if (flow->next_avail > nic->port.busy_until || list->front->next_avail > nic->port.busy_until)
        return;
    if (list->n > 1 && (list->block->ready &= ~(1ull << flow->place)))
        return;
    list->needs_scan = 0;
    nic->port.busy = ASIM_NIC_LEAVING;
}

/* As asim_nic_kick for an idle port. No test of port.down: links do not go down where the fast path
 * holds. The slow path arms wake-ups, which are rare. */
ALWAYS_INLINE int fast_kick(struct asim_fabric *fabric, struct asim_host *host,
                            struct asim_nic *nic, uint64_t t)
{
    struct asim_flow *flow;

    if (nic->port.paused)
        return 0;
    if (nic->acks.n)
        return fast_send_ack(host, nic);
    if (!nic->qps.needs_scan || !nic->qps.n)
        return 1;
    flow = fast_single_ready(&nic->qps);
    if (!flow || flow->sack || flow->cc.snd_next != flow->snd_high)
        return 0;
    if (nic->qps.n_finished) { /* a scan that meets only a finished queue pair drops it */
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
        nic->qps.needs_scan = 0;
        return 1;
    }
    if (!fast_send_data(fabric, host, nic, flow))
        return 0;
    if (flow->cc.snd_next >= flow->cc.size) {
        asim_connection_sent(fabric, nic, flow);
        fast_all_sent(nic, flow);
    }
    return 1;
}

/* As asim_nic_kick where several flows may send: asim_nic_choose scans for the next one, and a
 * packet that retransmits nothing takes the fast path. */
static inline void fast_kick_several(struct asim_fabric *fabric, struct asim_host *host,
                                     struct asim_nic *nic, uint64_t t)
{
    struct asim_flow *flow;

    if (nic->acks.n || nic->port.paused) {
        asim_nic_kick(fabric, host, nic, t);
        return;
    }
    flow = asim_nic_choose(fabric, host, nic, t);
    if (!flow)
        asim_nic_arm(fabric, host, nic, t);
    else if (flow->sack || flow->cc.snd_next != flow->snd_high)
        asim_nic_send(fabric, host, nic, flow);
    else if (fast_send_data(fabric, host, nic, flow))
        asim_connection_sent(fabric, nic, flow);
}

#endif
