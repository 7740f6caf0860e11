/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flat routing: equal-cost next hops on the paths with the fewest hops, where only switches
 * forward. Destination hosts attached to the same switches form a destination class; switches that
 * lead only to their own hosts (NVSwitches of a server) do not count here. A next-hop set
 * of a (class, node) is a list of interface numbers; one breadth-first search per class finds all
 * of its sets on first use.
 *
 * The order of a list decides the choice of ECMP. ASTRA-sim's ns-3 backend appends in the order of
 * its search, whose neighbours come in order of object address, which on Linux is descending node
 * id (rdma-network.md#routing-and-ecmp and rdma-network.md#recorded-numbers); this search visits
 * neighbours by descending id. Parallel links are all members, ascending by port (in ASTRA-sim the
 * last one hides the others). NVSwitch next hops replace others at equal distance, as in SimAI. A
 * change of links needs a new asim_route.
 *
 * Memory: 4 bytes x destination classes x (switches + distinct port lists of hosts), plus the
 * lists.
 *
 * Threads: a look-up may fill a row on first use, so threads may share a handle only after
 * asim_route_fill_all.
 */
#ifndef ASIM_TOPO_ROUTE_H
#define ASIM_TOPO_ROUTE_H

#include <stdint.h>
#include "asim/err.h"

struct asim_route;
struct asim_topo;

/* Next hops are asim_route_ports and asim_route_error (asim/topology.h). */

/* topo must be finished and must outlive the handle. Leaves out the links l with down[l] != 0; port
 * numbers stay the same. down is borrowed and must not change while the handle lives; NULL = all
 * links are up. Linear in nodes and links. */
int asim_route_open(struct asim_route **route, const struct asim_topo *topo, const uint8_t *down,
                    struct asim_err *err);
void asim_route_close(struct asim_route *route);

uint32_t asim_route_dest_classes(const struct asim_route *route);
/* The destination class of `host`, 0 … classes - 1. */
uint32_t asim_route_dest_class(const struct asim_route *route, uint32_t host);

/* Fills the rows of all classes. Afterwards asim_route_ports changes nothing, and threads may share
 * the handle. */
int asim_route_fill_all(struct asim_route *route, struct asim_err *err);

const struct asim_topo *asim_route_topo(const struct asim_route *route);
/* Visits pairs of hosts so that each pair has the same path figures (rates, delays and links on the
 * way) as a visited one. Also visits a host with itself where nothing stands for it. Stops at the
 * first result other than 0 and returns it; ASIM_ENOMEM. */
typedef int asim_route_visit(void *self, uint32_t src, uint32_t dst);
int asim_route_each_pair(struct asim_route *route, asim_route_visit *visit, void *self);

#endif
