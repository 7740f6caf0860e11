/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Windows of twice the length, one side at a time. In most networks every link joins two sides:
 * hosts, and all that is an even number of links away from them, and the switches between. What a
 * side does reaches itself only by way of the other, two delays later. So while the one stands
 * still the other may be advanced by two windows: a node has half as many turns, with twice as much
 * in each.
 *
 * With S and O the earliest events of the side and of the other, and W the smallest delay: nothing
 * reaches the side before min(O, S + W) + W.
 */
#ifndef ASIM_FABRIC_SIDES_H
#define ASIM_FABRIC_SIDES_H

#include "fabric/node.h"

/* Finds the sides; fabric->side stays NULL where there are none. 0 or ASIM_ENOMEM. Linear in links.
 */
int asim_sides_open(struct asim_fabric *fabric);
/* Whether the next window is one side's: then 1, fabric->side_now is that side, and *until its end.
 * Else the sides have come as far as each other, and it is both's. To be asked before each window,
 * with the earliest event of every node known. */
int asim_sides_take(struct asim_fabric *fabric, uint64_t *until);
/* Whether node v has a turn in this window, if it has anything to do. */
static inline int asim_sides_has(const struct asim_fabric *fabric, uint32_t v)
{
    return fabric->side_now == ASIM_BOTH_SIDES || fabric->side[v] == fabric->side_now;
}

#endif
