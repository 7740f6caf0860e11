/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The family of transports: what a receiver does with a packet beyond a gap, what its answer means
 * to the sender, and what the sender sends again (rdma-network.md#loss-recovery). LOSS_RECOVERY
 * chooses the row. Common to all rows are the ACKs of packets in order (receiver.c), timeouts
 * (recovery.c) and the choice of the next queue pair (qp.c).
 */
#ifndef ASIM_FABRIC_HOST_TRANSPORT_TRANSPORT_H
#define ASIM_FABRIC_HOST_TRANSPORT_TRANSPORT_H

#include <stdint.h>
#include "asim/ext/family.h"

struct asim_fabric;
struct asim_flow;
struct asim_frame;
struct asim_host;
struct asim_notification;
struct asim_rx;

/* Hooks run in the present event of the host. One that lacks memory sets host->worker->failed. */
struct asim_transport {
    struct asim_member member;
    int kind;     /* the value of LOSS_RECOVERY, enum asim_recovery */
    int solicits; /* every packet sent again asks for an ACK */
    /* Receiver: a packet beyond the expected byte. Keeps it (asim_receiver_keep) or drops it, and
     * answers. LOAD_BALANCE spray keeps all packets without asking: a gap then means no loss. */
    void (*gap)(struct asim_fabric *fabric, struct asim_host *host, const struct asim_frame *frame,
                struct asim_rx *rx);
    /* Sender: the answer to a packet beyond a gap, which frame->dst names; snd_una has followed it.
     * 1 if it tells of a loss. */
    int (*answered)(struct asim_host *host, struct asim_flow *flow, const struct asim_frame *frame);
    /* Sender: whether the frame, which timed out, still matters. Its bytes are not acknowledged. */
    int (*is_missing)(const struct asim_flow *flow, const struct asim_notification *note);
    /* Sender: prepares what the timeout of the frame sends again. */
    void (*repeat)(struct asim_host *host, struct asim_flow *flow,
                   const struct asim_notification *note);
};

extern const struct asim_member *const asim_transport_table[];

#endif
