/* SPDX-License-Identifier: GPL-2.0-only
 *
 * MESSAGE_ORDER in_order: messages of ranks that leave a NIC for the same host are sent one after
 * another, in the order in which they began, as the work requests of one queue pair
 * (rdma-network.md#host-transmit-order). A message that waits has a window of 0 bytes. It waits no
 * longer once all bytes of the message before it were sent for the first time, or that message was
 * given up.
 *
 * Costs: a message that begins, and one that was sent, look for the same destination among the
 * queue pairs of the NIC.
 */
#ifndef ASIM_FABRIC_HOST_MESSAGE_ORDER_H
#define ASIM_FABRIC_HOST_MESSAGE_ORDER_H

#include "fabric/node.h"

/* The flow is about to join the NIC's queue pairs. */
void asim_message_order_join(const struct asim_host *host, const struct asim_nic *nic,
                             struct asim_flow *flow);
/* The flow stands in no other's way from here on: the next one may send. */
void asim_message_order_next(const struct asim_fabric *fabric, struct asim_nic *nic,
                             const struct asim_flow *flow);
/* Bytes of the flow were sent for the first time. */
static inline void asim_message_order_sent(const struct asim_fabric *fabric, struct asim_nic *nic,
                                           const struct asim_flow *flow)
{
    if (fabric->set.in_order && flow->snd_high >= flow->cc.size)
        asim_message_order_next(fabric, nic, flow);
}

#endif
