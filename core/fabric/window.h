/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The clock of the packet network, for the files of the fabric; fabric.h has its public side.
 */
#ifndef ASIM_FABRIC_WINDOW_H
#define ASIM_FABRIC_WINDOW_H

#include "fabric/node.h"
#include "fabric/switch/bulk/switch_shard.h"

/* As asim_fabric_next, in ticks. */
uint64_t asim_fabric_next_tick(struct asim_fabric *fabric);
/* Advances one half over a window of two delays that ends at `until`; the other half has reached
 * its middle. 0 or the failure's code. */
int asim_fabric_advance_half(struct asim_fabric *fabric, int half, uint64_t until,
                             struct asim_err *err);
/* Time of the next event of a node, from the node itself. Call it between windows. */
static inline uint64_t asim_node_next(const struct asim_fabric *fabric, uint32_t node)
{
    return node < fabric->set.hosts ? asim_host_next(&fabric->host[node])
                                    : asim_switch_next(&fabric->sw[node - fabric->set.hosts]);
}
/* Advances a node to `until`; returns the time of its next event. */
uint64_t asim_node_advance(struct asim_fabric *fabric, uint32_t node, uint64_t until);

#endif
