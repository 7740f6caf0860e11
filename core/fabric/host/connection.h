/* SPDX-License-Identifier: GPL-2.0-only
 *
 * QPS_PER_CONNECTION: messages from a rank to another share so many queue pairs, and those of one
 * queue pair are sent one after another (rdma-network.md#queue-pairs). Each message keeps a flow of
 * its own. A queue pair is told by its destination and its source port. A message that waits has a
 * window of 0 bytes. It waits no longer once all bytes of the message before it were sent for the
 * first time, or that message was given up.
 *
 * Costs: a message that begins, and one that was sent, look for their queue pair among the flows of
 * the NIC.
 */
#ifndef ASIM_FABRIC_HOST_CONNECTION_H
#define ASIM_FABRIC_HOST_CONNECTION_H

#include "fabric/ground/ground.h"
#include "fabric/host/flow.h"

struct asim_fabric;
struct asim_flow;
struct asim_host;
struct asim_nic;

/* The flow is about to join the flows of the NIC. */
void asim_connection_join(const struct asim_host *host, const struct asim_nic *nic,
                          struct asim_flow *flow);
/* The flow stands in no other's way from here on: the next one may send. */
void asim_connection_next(const struct asim_fabric *fabric, struct asim_nic *nic,
                          const struct asim_flow *flow);
/* Without QPS_PER_CONNECTION: whether the NIC has at least so many messages under way, and the last
 * one that a rank began goes to the same host as the flow, which is about to join them. */
enum { ASIM_CROWD = 8 };
int asim_connection_is_crowded(const struct asim_host *host, const struct asim_nic *nic,
                               const struct asim_flow *flow);
/* Bytes of the flow were sent for the first time. */
static inline void asim_connection_sent(const struct asim_fabric *fabric, struct asim_nic *nic,
                                        const struct asim_flow *flow)
{
    if (fabric->set.qps && flow->snd_high >= flow->cc.size)
        asim_connection_next(fabric, nic, flow);
}

#endif
