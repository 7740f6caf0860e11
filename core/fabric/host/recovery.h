/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sender's answer to losses: the steps that all transports have in common (recovery.c), and the
 * packets to be sent again one by one.
 */
#ifndef ASIM_FABRIC_HOST_RECOVERY_H
#define ASIM_FABRIC_HOST_RECOVERY_H

#include "fabric/link/ranges.h"

struct asim_fabric;
struct asim_flow;
struct asim_frame;
struct asim_host;
struct asim_rx;
struct asim_worker;
struct asim_notification;

/* Bytes the receiver has beyond snd_una, and bytes to be sent again (selective repeat). */
struct asim_sack {
    struct asim_ranges acked, retransmit;
    uint64_t seen_to; /* gaps below it have been put into `retransmit` */
};

/* Chooses the transport (transport/). Each value of LOSS_RECOVERY has a row. */
void asim_recovery_open(struct asim_fabric *fabric);
/* Applies the bytes of an ACK or NACK: moves snd_una, prepares retransmissions. */
void asim_recovery_ack(struct asim_host *host, struct asim_flow *flow,
                       const struct asim_frame *frame);
/* The bytes of the packet that begins at seq, a multiple of the payload; only the last packet of a
 * message is shorter. */
struct asim_range asim_recovery_packet(const struct asim_fabric *fabric,
                                       const struct asim_flow *flow, uint64_t seq);
/* Whether a packet waits to be sent again, which the window does not stop. */
static inline int asim_recovery_pending(const struct asim_sack *sack)
{
    return sack && sack->retransmit.n;
}
/* Offset of the first packet to be sent again; asim_recovery_pending must hold. */
uint64_t asim_recovery_pop(struct asim_worker *worker, struct asim_flow *flow);
/* A notification of loss is due at the source. Returns 1 if the flow may send now: then the caller
 * kicks its NIC. */
int asim_recovery_lost(struct asim_fabric *fabric, struct asim_host *host,
                       const struct asim_notification *note);
/* A new message takes the slot: empties the lists, whose memory stays. */
static inline void asim_recovery_reset(struct asim_sack *sack)
{
    sack->acked.n = sack->retransmit.n = 0;
    sack->seen_to = 0;
}
/* The transport's answer to a packet beyond a gap. */
void asim_recovery_gap(struct asim_fabric *fabric, struct asim_host *host,
                       const struct asim_frame *frame, struct asim_rx *rx);
void asim_recovery_fini(struct asim_flow *flow);

#endif
