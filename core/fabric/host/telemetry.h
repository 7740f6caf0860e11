/* SPDX-License-Identifier: GPL-2.0-only
 *
 * INT, timestamps, PINT (rdma-network.md#telemetry-headers and rdma-network.md#congestion-control):
 * what packets gather, kept beside their flow. Only where the congestion control chosen has any
 * `needs`.
 */
#ifndef ASIM_FABRIC_HOST_TELEMETRY_H
#define ASIM_FABRIC_HOST_TELEMETRY_H

#include "cc/cc.h"
#include "fabric/host/flow.h"
#include "fabric/link/frame.h"
#include "fabric/switch/switch.h"

struct asim_fabric;

/* Frame sizes for the congestion control chosen. */
void asim_telemetry_sizes(struct asim_fabric *fabric);
/* Record of the packet around byte seq, as this frame (or the one it answers) was sent; NULL if it
 * was sent again since, or is known to have arrived. Only where cc->needs is not 0. */
struct asim_telemetry *asim_telemetry_of(const struct asim_fabric *fabric, const struct asim_rx *rx,
                                         const struct asim_frame *frame, uint64_t seq);
/* The record a frame of either direction may add to or bring back, as asim_telemetry_of. */
const struct asim_telemetry *asim_telemetry_by(const struct asim_fabric *fabric,
                                               const struct asim_rx *rx,
                                               const struct asim_frame *frame);
/* A record comes with a frame from another process. cap: places the sender has; 0 at the sender
 * itself. 0 or ASIM_ENOMEM. */
int asim_telemetry_take(struct asim_fabric *fabric, struct asim_rx *rx,
                        const struct asim_telemetry *seen, uint32_t cap);
/* A packet leaves its sender: an empty record, stamped, and frame->tries. 0 or ASIM_ENOMEM. */
int asim_telemetry_begin(struct asim_fabric *fabric, struct asim_flow *flow,
                         struct asim_frame *frame, uint64_t now);
/* A data frame leaves switch port p; call before asim_port_commit. */
void asim_telemetry_write(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                          const struct asim_frame *frame, uint64_t now);

#endif
