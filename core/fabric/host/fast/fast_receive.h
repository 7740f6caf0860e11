/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The fast path of receiving: ACKs that acknowledge more bytes, and data packets in order, in a
 * network that loses no frame on a wire and whose frames nobody watches (ASIM_WAY_HOST_FAST).
 * frame_loop.c inlines it into its loops, so a frame costs no call, and no test that has the same
 * answer for all frames of a turn.
 *
 * Each function does all that the slow path (qp.c, receiver.c) would do with the frame, or returns
 * 0 and has changed nothing; the caller then takes the slow path. Switches may still drop frames
 * and so cause retransmissions; hence the tests of the flow at each frame.
 *
 * Costs: some 540 instructions a packet with its ACK, which are four events at two hosts; the slow
 * path takes 950. Two ideas saved instructions but no time, and are left out: sending a message's
 * next packets without returning to the loop, and finding ends of transmissions without a branch.
 */
#ifndef ASIM_FABRIC_HOST_FAST_FAST_RECEIVE_H
#define ASIM_FABRIC_HOST_FAST_FAST_RECEIVE_H

#include "fabric/host/fast/fast_send.h"
#include "fabric/host/receiver.h"
#include "fabric/ground/ground.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"

/* An ACK, also of the last byte, where asim_recovery_ack would only move snd_una and congestion
 * control would do nothing. Returns the flow, whose NIC the caller kicks, or NULL. */
ALWAYS_INLINE struct asim_flow *fast_ack(const struct asim_fabric *fabric, struct asim_host *host,
                                         const struct asim_frame *frame)
{
    struct asim_flow *flow = asim_own_flow(host, frame->slot);
    uint64_t seq = frame->seq;

    if (flow->generation != frame->slot >> 24 || !flow->live ||
        (frame->flags | ASIM_EACH_ACK) & fabric->set.slow_acks || frame->dst ||
        seq <= flow->snd_una || seq > flow->cc.snd_next || flow->timeouts || flow->sack)
        return NULL;
    host->counts.acks_received++;
    flow->tx_frames--;
    flow->snd_una = seq;
    return flow;
}

/* The expected packet with no packet kept behind it, and its ACK, which starts at once or joins the
 * FIFO of a busy port; so no kick is needed. One frame of the flow ends and one begins: the count
 * of frames changes only at the last packet, whose ACK brings a notification. Returns the NIC that
 * sends the ACK, or NULL. */
ALWAYS_INLINE struct asim_nic *fast_data(struct asim_fabric *fabric, struct asim_host *host,
                                         struct asim_nic *nic, const struct asim_frame *frame,
                                         enum nics nics)
{
    struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    uint32_t payload = frame->wire - fabric->set.data_overhead, busy;
    uint8_t generation = (uint8_t)(frame->slot >> 24);
    uint64_t seq = frame->seq, next = seq + payload;
    unsigned flags = (frame->flags & ASIM_CE) * (ASIM_CNP / ASIM_CE);
    struct fast_frame ack = {NULL, 0, 0};

    if (rx->generation != generation)
        return NULL;
    if (rx->begun_generation != generation)
        asim_rx_begin(rx, generation); /* the slow path would do the same */
    if (seq != rx->next || rx->out_of_order.n || !asim_wants_ack(fabric->set.net, next, rx->size))
        return NULL;
    if (nics != SINGLE_NIC)
        nic = rx->reply_nic ? &host->nics[rx->reply_nic - 1]
                            : asim_nic_for_reply(fabric, host, frame, rx);
    busy = (uint32_t)asim_nic_is_busy(host, nic);
    if (nic->port.paused || (nic->acks.n && !busy))
        return NULL;
    if (busy)
        ack.at = asim_ring_slot(&nic->acks);
    else
        ack = fast_begin(host, &nic->port, fabric->set.ack_wire);
    if (!ack.at)
        return NULL;
    rx->next = next;
    if (next >= rx->size) {
        flags |= ASIM_FINAL;
        asim_rx_count(rx, 1);
    }
    host->counts.data_received++;
    host->counts.in_order += payload;
    host->counts.acks_generated++;
    ack.at->word1 = asim_frame_word1(next, 0, fabric->set.ack_wire);
    ack.at->flow = frame->flow;
    ack.at->word2 = asim_frame_word2(0, ASIM_ACK, flags) | ack.recency << 32;
    if (busy)
        return nic;
    host->counts.acks++;
    fast_skip_end(nic);
    fast_commit(host, &nic->port, ack, flags & ASIM_FINAL);
    return nic;
}

#endif
