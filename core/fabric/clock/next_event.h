/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The earliest event: each worker finds it among its own nodes, which lie in its core's cache; the
 * caller then asks the workers, and no nodes but those where workers meet.
 */
#ifndef ASIM_FABRIC_CLOCK_NEXT_EVENT_H
#define ASIM_FABRIC_CLOCK_NEXT_EVENT_H

#include "fabric/host/host.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "fabric/switch/switch.h"
#include "fabric/link/schedule.h"

/* Gives every node its slot in run.next, and marks wires on which threads meet. Call after each
 * change of workers.of or of the sharded switches. 0 or ASIM_ENOMEM. */
int asim_workers_assign_slots(struct asim_fabric *fabric);
/* Makes worker->neighbour. 0 or ASIM_ENOMEM. Linear in links. */
int asim_worker_list_neighbours(struct asim_fabric *fabric, struct asim_worker *worker);
/* Sets worker->half_next, with the frames the worker has sent to its own nodes. */
void asim_worker_find_next(struct asim_fabric *fabric, struct asim_worker *worker);
/* Does that and returns the earlier time of both halves. */
uint64_t asim_worker_next(struct asim_fabric *fabric, struct asim_worker *worker);
/* Sets run.half_next from the workers' half_next. */
void asim_workers_find_next(struct asim_fabric *fabric);

static inline uint64_t asim_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Hosts in the block of slots that begins with the worker's i-th. */
static inline uint32_t asim_block_hosts(const struct asim_worker *worker, uint32_t i)
{
    return worker->n_hosts - i < ASIM_BLOCK ? worker->n_hosts - i : ASIM_BLOCK;
}
/* Time of node v's next event, from the node itself. Between windows. */
static inline uint64_t asim_node_next(const struct asim_fabric *fabric, uint32_t v)
{
    return v < fabric->set.hosts ? asim_host_next(&fabric->host[v])
                                 : asim_switch_next(&fabric->sw[v - fabric->set.hosts]);
}
/* Sets run.next of node v from that: after a change by something other than a frame. */
static inline void asim_next_renew(struct asim_fabric *fabric, uint32_t v)
{
    *asim_next_of(fabric, v) = asim_node_next(fabric, v);
    fabric->run.block_min[fabric->run.slot[v] / ASIM_BLOCK] = 0;
}

#endif
