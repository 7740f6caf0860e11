/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sending side of a NIC (qp.c): it picks the next queue pair, sends, paces, and takes ACKs; the
 * queue pairs that several messages share (connection.c); gaps and rates (pacing.c).
 */
#ifndef ASIM_FABRIC_HOST_QP_H
#define ASIM_FABRIC_HOST_QP_H

#include "conf/netconf_keys.h"
#include "fabric/ground/ground.h"
#include "fabric/host/host.h"

/* Sends one frame if the port is idle and a frame may go (rdma-network.md#host-transmit-order). */
void asim_nic_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   uint64_t t);
/* A new queue pair joins the round robin at its end. 0 or ASIM_ENOMEM. */
int asim_nic_add(struct asim_host *host, uint32_t nic, uint32_t slot);
/* The steps of asim_nic_kick. _choose returns the flow that may send, or NULL, and drops the
 * finished queue pairs its scan meets, so a kick calls it once. _send sends one packet of that
 * flow. _arm plans a wake-up at the end of the first pacing gap. */
struct asim_flow *asim_nic_choose(const struct asim_fabric *fabric, struct asim_host *host,
                                  struct asim_nic *nic, uint64_t t);
void asim_nic_send(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   struct asim_flow *flow);
void asim_nic_arm(const struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                  uint64_t t);
/* An ACK or NACK came back to the flow's source. */
void asim_sender_ack(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame);
/* For a caller that has something to send. An unobserved end of a transmission becomes an event
 * here; if it came before the present event, the port is idle. */
static inline int asim_nic_is_busy(const struct asim_host *host, struct asim_nic *nic)
{
    struct asim_port *port = &nic->port;

    if (port->busy == ASIM_NIC_LEAVING)
        port->busy = port->busy_until > host->now ||
                     (port->busy_until == host->now && asim_port_tie_key(port) > host->tie);
    return port->busy != ASIM_NIC_IDLE;
}

/* --- connection.c --------------------------------------------------------------------------- */
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

/* --- pacing.c ------------------------------------------------------------------------------- */
/* Gap after a frame of that size at that rate (rdma-network.md#pacing). */
static inline uint64_t asim_pacing_gap(const struct asim_fabric *fabric, const struct asim_nic *nic,
                                       uint64_t bps, uint32_t wire)
{
    if (!fabric->set.net->rate_bound || bps == nic->rate_bps)
        return nic->port.out->tx[wire];
    return asim_tx_ticks(fabric, wire, bps);
}
/* Passes an ACK to the flow's congestion control. */
void asim_pacing_ack(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow,
                     const struct asim_frame *frame);
/* Call after a hook of the flow's congestion control; old_bps is its rate before. */
void asim_pacing_changed(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot,
                         uint64_t old_bps);
/* The timer of a flow's congestion control is due. payload: as armed. */
void asim_pacing_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload);

#endif
