/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The earliest event: each worker finds it among its own nodes, which lie in its core's cache; the
 * caller then asks the workers, and no nodes but those where workers meet.
 */
#ifndef ASIM_FABRIC_CLOCK_NEXT_EVENT_H
#define ASIM_FABRIC_CLOCK_NEXT_EVENT_H

#include "fabric/ground/worker.h"
#include "fabric/link/schedule.h"

/* Gives every node its slot in schedule.next, and marks wires on which threads meet. Call after
 * each change of workers.of or of the sharded switches. 0 or ASIM_ENOMEM. */
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
#endif
