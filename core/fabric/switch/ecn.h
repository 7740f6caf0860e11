/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ECN marks. The switch marks a frame as its transmission starts, by the bytes that stay behind in
 * its queue (rdma-network.md#ecn-marking).
 */
#ifndef ASIM_FABRIC_SWITCH_ECN_H
#define ASIM_FABRIC_SWITCH_ECN_H

#include "fabric/switch/switch.h"

/* Whether to mark a frame that leaves queue q with more than kmin bytes behind it. May draw. */
int asim_ecn_marks(const struct asim_switch *sw, struct asim_switch_port *port, uint32_t q);

#endif
