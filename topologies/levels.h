/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The shape of a topology as a person sees it: hosts at level 0, a switch one level above the
 * lowest neighbour (leaf 1, spine 2, core 3 …), NVSwitches apart. Used by check and draw.
 */
#ifndef ASIM_TOPOLOGIES_LEVELS_H
#define ASIM_TOPOLOGIES_LEVELS_H

#include "asim/topology.h"

enum { ASIM_LEVEL_NVSWITCH = 254, ASIM_LEVEL_NONE = 255, ASIM_LEVEL_MAX = 253 };

/* malloc'ed [nodes]: level of each node; a switch no host reaches has ASIM_LEVEL_NONE. NULL when
 * out of memory. Links over NVSwitches do not count. */
uint8_t *asim_levels_of(const struct asim_topo *topo);

/* Capacity of the links from the lower-numbered half of the hosts (half 0), or from the hosts with
 * even ids (half 1), to the others: the largest flow the fabric carries at once, in bit/s, and the
 * sum of the network links of the smaller side, which is what a fabric without bottleneck would
 * carry. 0 or ASIM_ENOMEM. Push-relabel is not needed: Dinic on 75,000 links takes well under a
 * second. */
struct asim_bisection {
    double flow_bps, full_bps;
};
int asim_bisection_of(const struct asim_topo *topo, int half, struct asim_bisection *out);

#endif
