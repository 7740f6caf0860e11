/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The receiving side of a host (receiver.c), and the steps that its fast path and the transports
 * share.
 */
#ifndef ASIM_FABRIC_HOST_RECEIVER_H
#define ASIM_FABRIC_HOST_RECEIVER_H

#include "conf/netconf_keys.h"
#include "fabric/host/flow.h"
#include "fabric/link/frame.h"

/* A data frame reached its destination host. */
void asim_receiver_data(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame);
/* The steps of a transport (transport/): ACKs or NACKs *data; keeps a packet beyond a gap, in any
 * order, and answers it. */
void asim_receiver_answer(struct asim_fabric *fabric, struct asim_host *host,
                          const struct asim_frame *data, struct asim_rx *rx,
                          enum asim_frame_type type);
void asim_receiver_keep(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame, struct asim_rx *rx,
                        enum asim_frame_type answer);

/* Whether a packet in order that ends at `next` is ACKed. The last line is ours
 * (rdma-network.md#receiver): with an interval of 0, or a message shorter than the interval,
 * ASTRA-sim's message never finishes. */
static inline int asim_wants_ack(const struct asim_netconf *net, uint64_t next, uint64_t size)
{
    if (next >= net->l2_ack_interval_bytes && net->l2_ack_interval_bytes)
        return 1;
    if (net->l2_chunk_bytes && next % net->l2_chunk_bytes == 0)
        return 1;
    return next >= size;
}

/* The first frame of a message has arrived; no other event tells the destination that a message
 * begins. */
static inline void asim_rx_begin(struct asim_rx *rx, uint8_t generation)
{
    rx->begun_generation = generation;
    rx->next = 0;
    rx->nacked = rx->notified = 0;
    rx->reply_nic = 0;
}

#endif
