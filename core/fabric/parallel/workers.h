/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Who advances which node, inside the fabric: lanes of threads (workers.c), and what crosses to
 * other processes (distributed.c; its outer side is distributed.h).
 */
#ifndef ASIM_FABRIC_PARALLEL_WORKERS_H
#define ASIM_FABRIC_PARALLEL_WORKERS_H

#include "fabric/node.h"

/* Deals the nodes of this process to n lanes; of[v] modulo n is node v's, NULL: there is one. To be
 * followed by asim_lane_place. 0 or ENOMEM. */
int asim_lane_open(struct asim_fabric *fabric, uint32_t n, const uint32_t *of);
void asim_lane_close(struct asim_fabric *fabric);
/* The length of a window, ticks. Lanes with no short link between them need not stop for those they
 * have inside (NVLinks); runs look at every window. */
static inline uint64_t asim_lane_stride(const struct asim_fabric *fabric)
{
    return fabric->memo || fabric->workers.lookahead < fabric->set.lookahead
               ? fabric->set.lookahead
               : fabric->workers.lookahead;
}
/* A lane's last step in a window, by the lane itself: what it has for its own nodes takes effect,
 * and lane->first is known. */
void asim_lane_end(struct asim_fabric *fabric, struct asim_lane *lane);
/* Advances the nodes of every lane that have something before `until`. */
void asim_lane_advance(struct asim_fabric *fabric, uint64_t until);
/* Every lane takes a step: together: the crew does, side by side; else the caller, in turn. */
void asim_lane_run(struct asim_fabric *fabric, void (*step)(void *fabric, uint32_t lane),
                   int together);

/* window.c: one side in a window of two delays that ends at `until`; the other has come to its
 * middle. 0 or the failure's code. */
int asim_fabric_advance_side(struct asim_fabric *fabric, int side, uint64_t until,
                             struct asim_err *err);
/* A notice for a host of another process. 0 or ASIM_ENOMEM. */
int asim_remote_notification(struct asim_fabric *fabric, const struct asim_notification *note);
/* The destination has counted frames of a flow (flow.h): the source's process is to hear of it. */
void asim_remote_add_release_slow(struct asim_lane *lane, uint32_t src, uint32_t slot);
static inline void asim_remote_add_release(struct asim_lane *lane, uint32_t src, uint32_t slot)
{
    if (lane->fabric->dist.exchange)
        asim_remote_add_release_slow(lane, src, slot);
}
/* Between windows: puts what a lane has noted so into the blocks. 0 or ASIM_ENOMEM. */
int asim_remote_credits(struct asim_fabric *fabric, struct asim_lane *lane);

/* --- next_event.c: what comes next, found by the lanes -------------------------------------------
 */
/* Gives every node its place in fabric->run.next, and wires whether threads meet there: after each
 * change of who has which. 0 or ENOMEM. */
int asim_lane_place(struct asim_fabric *fabric);
/* Hosts in the block that begins with the i-th of the lane's. */
static inline uint32_t asim_block_hosts(const struct asim_lane *lane, uint32_t i)
{
    return lane->n_hosts - i < ASIM_BLOCK ? lane->n_hosts - i : ASIM_BLOCK;
}
/* Between windows, where something else than frames has changed it: asks node v itself. */
static inline void asim_next_renew(struct asim_fabric *fabric, uint32_t v)
{
    *asim_next_of(fabric, v) = asim_node_next(fabric, v);
    fabric->run.block_min[fabric->run.slot[v] / ASIM_BLOCK] = 0;
}
/* Makes lane->far. 0 or ASIM_ENOMEM. Linear in links. */
int asim_lane_list_far(struct asim_fabric *fabric, struct asim_lane *lane);
/* Sets lane->first; what the lane has put into its own nodes' mailboxes counts from now on. */
void asim_lane_know(struct asim_fabric *fabric, struct asim_lane *lane);
/* The lesser of the two. */
uint64_t asim_lane_next(struct asim_fabric *fabric, struct asim_lane *lane);
/* Sets fabric->run.half_next when all lanes know theirs. */
void asim_lanes_know(struct asim_fabric *fabric);

#endif
