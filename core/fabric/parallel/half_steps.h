/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Windows of twice the length, one side at a time. In most networks every link joins two sides:
 * hosts, and all that is an even number of links away from them, and the switches between. What a
 * side does reaches itself only by way of the other, two delays later. So while the one stands
 * still the other may be advanced by two windows: a node has half as many turns, with twice as much
 * in each.
 *
 * With S and O the earliest events of the side and of the other, and W the smallest delay: nothing
 * reaches the side before min(O, S + W) + W. Of several processes, which know their own events
 * only, all take the same turns on a grid of W (distributed.h).
 */
#ifndef ASIM_FABRIC_PARALLEL_HALF_STEPS_H
#define ASIM_FABRIC_PARALLEL_HALF_STEPS_H

#include "fabric/node.h"

enum { ASIM_BOTH_HALVES = 2 };

/* Whose the next window is. */
enum asim_half_step {
    ASIM_STEP_BOTH,    /* sides have come as far as each other, and go on together */
    ASIM_STEP_ALONE,   /* one goes on */
    ASIM_STEP_HOSTS,   /* they are to go on together, and the hosts' is behind: it comes first */
    ASIM_STEP_SWITCHES /* or the other one */
};

/* Finds the sides; fabric->set.half_of stays NULL where there are none. 0 or ASIM_ENOMEM. Linear in
 * nodes and links. */
int asim_half_steps_open(struct asim_fabric *fabric);
/* To be asked before each window, with the earliest event of every node known. */
enum asim_half_step asim_half_steps_next(const struct asim_fabric *fabric);
/* Whether sides may go on alone in this network at all. */
int asim_half_steps_allowed(const struct asim_fabric *fabric);
/* Begins that turn, with fabric->run.half whose it is, and returns the end of the window, which is
 * `together` where it is both's. */
uint64_t asim_half_steps_begin(struct asim_fabric *fabric, enum asim_half_step turn,
                               uint64_t together);
/* Whether node v has a turn in this window, if it has anything to do. */
static inline int asim_half_steps_includes(const struct asim_fabric *fabric, uint32_t v)
{
    return fabric->run.half == ASIM_BOTH_HALVES || fabric->set.half_of[v] == fabric->run.half;
}

#endif
