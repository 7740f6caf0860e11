/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The short way of a host, for what nearly all its events are: packets in order, ACKs of more, and
 * a NIC that has the next of either to send, in a network in which nothing is lost on wires and
 * nobody looks at single frames (worker->fast_ok). Inlined into the loops of frame_loop.c, so that
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
#ifndef ASIM_FABRIC_HOST_FAST_FAST_RECEIVE_H
#define ASIM_FABRIC_HOST_FAST_FAST_RECEIVE_H

#include "fabric/host/fast/fast_send.h"
#include "fabric/host/receiver.h"

/* The usual ACK: progress, and nothing lost that anybody knows of. What asim_recovery_ack would do
 * is then to move snd_una. */
static inline int asim_ack_is_regular(const struct asim_fabric *fabric,
                                      const struct asim_flow *flow, const struct asim_frame *frame)
{
    return frame->type == ASIM_ACK && !frame->dst && frame->seq > flow->snd_una &&
           frame->seq <= flow->cc.snd_next && !flow->timeouts && !flow->sack &&
           !fabric->set.net->l2_back_to_zero;
}
/* Whether what is expected next is `next` when an answer is due. The last line is ours
 * (rdma-network.md#receiver): an interval of 0, or a message shorter than the interval, never
 * finishes in ASTRA-sim. */
static inline int asim_wants_ack(const struct asim_netconf *net, uint64_t next, uint64_t size)
{
    if (next >= net->l2_ack_interval_bytes && net->l2_ack_interval_bytes)
        return 1;
    if (net->l2_chunk_bytes && next % net->l2_chunk_bytes == 0)
        return 1;
    return next >= size;
}

/* An ACK, of the last byte, too: the usual one, as of asim_ack_is_regular. The flow it is of, whose
 * NIC the caller kicks, or NULL. */
ALWAYS_INLINE struct asim_flow *quick_ack(const struct asim_fabric *fabric, struct asim_host *host,
                                          const struct asim_frame *frame)
{
    struct asim_flow *flow = asim_own_flow(host, frame->slot);
    uint64_t seq = frame->seq;

    if (flow->generation != frame->slot >> 24 || !flow->live || !fabric->set.cc_idle ||
        frame->dst || seq <= flow->snd_una || seq > flow->cc.snd_next || flow->timeouts ||
        flow->sack)
        return NULL;
    host->counts.acks_received++;
    flow->tx_frames--;
    flow->snd_una = seq;
    return flow;
}

/* The first frame of a message has come: nothing else tells the destination that it begins. */
static inline void asim_rx_begin(struct asim_rx *rx, uint8_t generation)
{
    rx->begun_generation = generation;
    rx->next = 0;
    rx->nacked = rx->notified = 0;
    rx->reply_nic = 0;
}

/* The expected packet with nothing kept behind it, and its ACK: at once, or through the FIFO where
 * the port is busy; so there is nothing to kick. The packet is no longer under way and its ACK is:
 * the count of frames stays, but for the notice of the last one. */
ALWAYS_INLINE int quick_data(struct asim_fabric *fabric, struct asim_host *host,
                             const struct asim_frame *frame, int is_one)
{
    struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    uint32_t payload = frame->wire - fabric->set.data_overhead, busy;
    uint8_t generation = (uint8_t)(frame->slot >> 24);
    uint64_t seq = frame->seq, next = seq + payload, youth = 0;
    unsigned flags = (frame->flags & ASIM_CE) * (ASIM_CNP / ASIM_CE);
    struct asim_nic *nic = is_one ? &host->single_nic : host->nics;
    struct asim_frame *ack;

    if (rx->generation != generation)
        return 0;
    if (rx->begun_generation != generation)
        asim_rx_begin(rx, generation); /* which the long way would do, too */
    if (seq != rx->next || rx->out_of_order.n || !asim_wants_ack(fabric->set.net, next, rx->size))
        return 0;
    if (!is_one)
        nic = rx->reply_nic ? &nic[rx->reply_nic - 1] : asim_nic_for_reply(fabric, host, frame, rx);
    busy = (uint32_t)asim_nic_is_busy(host, nic);
    if (nic->port.paused || (nic->acks.n && !busy))
        return 0;
    if (busy)
        ack = asim_ring_slot(&nic->acks);
    else
        ack = quick_begin(host, &nic->port, fabric->set.ack_wire, &youth);
    if (!ack)
        return 0;
    rx->next = next;
    if (next >= rx->size) {
        flags |= ASIM_FINAL;
        asim_rx_count(rx, 1);
    }
    host->counts.data_received++;
    host->counts.in_order += payload;
    host->counts.acks_generated++;
    ack->word1 = asim_frame_word1(next, 0, fabric->set.ack_wire);
    ack->flow = frame->flow;
    ack->word2 = asim_frame_word2(0, ASIM_ACK, flags) | youth << 32;
    if (busy)
        return 1;
    host->counts.acks++;
    quick_leave(nic);
    quick_go(host, &nic->port, ack, flags & ASIM_FINAL);
    return 1;
}

#endif
