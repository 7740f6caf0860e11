/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Gaps between packets, and the calls of congestion control that change them (pacing.c).
 */
#ifndef ASIM_FABRIC_HOST_PACING_H
#define ASIM_FABRIC_HOST_PACING_H

#include "fabric/ground/ground.h"
#include "fabric/host/host.h"
#include "conf/netconf_keys.h"

/* Gap after a frame of that size at that rate (rdma-network.md#pacing). */
static inline uint64_t asim_pacing_gap(const struct asim_fabric *fabric, const struct asim_nic *nic,
                                       uint64_t bps, uint32_t wire)
{
    if (!fabric->set.net->rate_bound || bps == nic->rate_bps)
        return nic->port.out->tx[wire];
    return asim_tx_ticks(fabric, wire, bps);
}
/* Call after a hook of the flow's congestion control; old_bps is its rate before. */
void asim_pacing_changed(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot,
                         uint64_t old_bps);
/* The timer of a flow's congestion control is due. payload: as armed. */
void asim_pacing_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload);

#endif
