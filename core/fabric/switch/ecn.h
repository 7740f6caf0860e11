/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ECN marks. The switch marks a frame as its transmission starts, by the bytes that stay behind in
 * its queue (rdma-network.md#ecn-marking).
 */
#ifndef ASIM_FABRIC_SWITCH_ECN_H
#define ASIM_FABRIC_SWITCH_ECN_H

#include "fabric/host/telemetry.h"
#include "fabric/node.h"

/* Whether to mark a frame that leaves queue q with more than kmin bytes behind it. May draw. */
int asim_ecn_marks(const struct asim_fabric *fabric, const struct asim_switch *sw,
                   struct asim_switch_port *port, uint32_t q);

/* Marks the frame, and writes telemetry into it. The frame's transmission starts at t. */
static inline void asim_ecn_stamp(struct asim_fabric *fabric, struct asim_switch *sw,
                                  struct asim_transit transit, struct asim_frame *frame, uint64_t t)
{
    struct asim_switch_port *port = &sw->ports[transit.out];

    if (transit.q && port->occupancy[transit.q].egress > port->kmin &&
        asim_ecn_marks(fabric, sw, port, transit.q)) {
        frame->flags |= ASIM_CE;
        port->marks++;
    }
    if (fabric->set.writes_telemetry)
        asim_telemetry_write(fabric, sw, transit.out, frame, asim_to_ns(fabric, t));
}

#endif
