/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The next event of a node that something other than a frame has changed.
 */
#ifndef ASIM_FABRIC_EVENTS_RENEW_H
#define ASIM_FABRIC_EVENTS_RENEW_H

#include "fabric/host/host.h"
#include "fabric/link/schedule.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "fabric/switch/switch.h"
#include "fabric/host/advance.h"

/* Time of node v's next event, from the node itself. Between windows. */
static inline uint64_t asim_node_next(const struct asim_fabric *fabric, uint32_t v)
{
    return v < fabric->set.hosts ? asim_host_next(&fabric->host[v])
                                 : asim_switch_next(&fabric->sw[v - fabric->set.hosts]);
}
/* Sets schedule.next of node v from that: after a change by something other than a frame. */
static inline void asim_next_renew(struct asim_fabric *fabric, uint32_t v)
{
    *asim_next_of(fabric, v) = asim_node_next(fabric, v);
    fabric->schedule.block_min[fabric->schedule.slot[v] / ASIM_BLOCK] = 0;
}

#endif
