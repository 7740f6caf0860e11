/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Who advances which node, inside the fabric: workers of threads (workers.c), and what crosses to
 * other processes (distributed.c; its outer side is distributed.h).
 */
#ifndef ASIM_FABRIC_PARALLEL_WORKERS_H
#define ASIM_FABRIC_PARALLEL_WORKERS_H

#include "fabric/link/schedule.h"
#include "fabric/window.h"

/* Deals the nodes of this process to n workers; of[v] modulo n is node v's, NULL: there is one. To
 * be followed by asim_workers_assign_slots. 0 or ENOMEM. */
int asim_workers_open(struct asim_fabric *fabric, uint32_t n, const uint32_t *of);
void asim_workers_close(struct asim_fabric *fabric);
/* The length of a window, ticks. Workers with no short link between them need not stop for those
 * they have inside (NVLinks); runs look at every window. */
static inline uint64_t asim_workers_lookahead(const struct asim_fabric *fabric)
{
    return fabric->memo || fabric->workers.lookahead < fabric->set.lookahead
               ? fabric->set.lookahead
               : fabric->workers.lookahead;
}
/* A worker's last step in a window, by the worker itself: what it has for its own nodes takes
 * effect, and worker->half_next is known. */
void asim_worker_end(struct asim_fabric *fabric, struct asim_worker *worker);
/* Advances the nodes of every worker that have something before `until`. */
void asim_workers_advance(struct asim_fabric *fabric, uint64_t until);
/* Every worker takes a step: together: the team does, side by side; else the caller, in turn. */
void asim_workers_run(struct asim_fabric *fabric, void (*step)(void *fabric, uint32_t worker),
                      int together);

/* A notice for a host of another process. 0 or ASIM_ENOMEM. */
int asim_distributed_notification(struct asim_fabric *fabric, const struct asim_notification *note);
/* Between windows: puts what a worker has noted so into the blocks. 0 or ASIM_ENOMEM. */
int asim_distributed_send_releases(struct asim_fabric *fabric, struct asim_worker *worker);

/* --- next_event.c: what comes next, found by the workers
 * -------------------------------------------
 */
/* Gives every node its place in fabric->run.next, and wires whether threads meet there: after each
 * change of who has which. 0 or ENOMEM. */
int asim_workers_assign_slots(struct asim_fabric *fabric);
/* Hosts in the block that begins with the i-th of the worker's. */
static inline uint32_t asim_block_hosts(const struct asim_worker *worker, uint32_t i)
{
    return worker->n_hosts - i < ASIM_BLOCK ? worker->n_hosts - i : ASIM_BLOCK;
}
/* Between windows, where something else than frames has changed it: asks node v itself. */
static inline void asim_next_renew(struct asim_fabric *fabric, uint32_t v)
{
    *asim_next_of(fabric, v) = asim_node_next(fabric, v);
    fabric->run.block_min[fabric->run.slot[v] / ASIM_BLOCK] = 0;
}
/* Makes worker->neighbour. 0 or ASIM_ENOMEM. Linear in links. */
int asim_worker_list_neighbours(struct asim_fabric *fabric, struct asim_worker *worker);
/* Sets worker->half_next; what the worker has put into its own nodes' mailboxes counts from now on.
 */
void asim_worker_find_next(struct asim_fabric *fabric, struct asim_worker *worker);
/* The lesser of the two. */
uint64_t asim_worker_next(struct asim_fabric *fabric, struct asim_worker *worker);
/* Sets fabric->run.half_next when all workers know theirs. */
void asim_workers_find_next(struct asim_fabric *fabric);

#endif
