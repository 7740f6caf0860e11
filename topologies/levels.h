/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The levels of a topology: hosts at level 0, a switch one level above its lowest neighbour (leaf
 * 1, spine 2, core 3 …), NVSwitches apart. Used by check and draw.
 */
#ifndef ASIM_TOPOLOGIES_LEVELS_H
#define ASIM_TOPOLOGIES_LEVELS_H

#include "asim/topology.h"

enum { ASIM_LEVEL_NVSWITCH = 254, ASIM_LEVEL_NONE = 255, ASIM_LEVEL_MAX = 253 };

/* Returns malloc'ed [nodes] with the level of each node; a switch that no host reaches has
 * ASIM_LEVEL_NONE. NULL if out of memory. Links to NVSwitches do not count. */
uint8_t *asim_levels_of(const struct asim_topo *topo);

/* The capacity from the lower-numbered half of the hosts (half 0), or from the hosts with even ids
 * (half 1), to the others: the largest flow of the fabric in bit/s, and the sum of the network
 * links of the smaller side, which is the flow of a fabric without bottleneck. Returns 0 or
 * ASIM_ENOMEM. Dinic's algorithm takes well under a second for 75,000 links. */
struct asim_bisection {
    double flow_bps, full_bps;
};
int asim_bisection_of(const struct asim_topo *topo, int half, struct asim_bisection *out);

#endif
