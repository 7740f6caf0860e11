/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flat routing: equal-cost next hops, shortest in hops, where only switches forward. Destination
 * hosts attached to the same switches form one class; the next-hop set of a (class, node) is an
 * interned list of interface numbers, found by one breadth-first search per class on first use.
 *
 * The order of a list decides ECMP placement. The reference appends in the order of its search,
 * whose neighbours come in order of object address, which on Linux is descending node id (spec
 * rdma-network 4.3, 6.8); so neighbours are visited by descending id here. Parallel links are all
 * members, ascending by port (in the reference the last one hides the others). NVSwitch next hops
 * replace others at equal distance, as SimAI has it. A change of links needs a new asim_route.
 *
 * Memory: 4 bytes x classes x (switches + kinds of source host), plus the lists themselves.
 *
 * Threads: look-ups may fill a row on first use, so a handle is shared only after
 * asim_route_fill_all.
 */
#ifndef ASIM_TOPO_ROUTE_H
#define ASIM_TOPO_ROUTE_H

#include <stdint.h>
#include "asim/err.h"
#include "topo/topo.h"

struct asim_route;

/* topo must be finished and must outlive the handle. Linear in nodes and links. */
int asim_route_open(struct asim_route **route, const struct asim_topo *topo, struct asim_err *err);
/* The same without some links: down[l] not 0 leaves link l out. down is borrowed, and must not
 * change while the handle lives. Numbers of ports stay what they are. */
int asim_route_open_without(struct asim_route **route, const struct asim_topo *topo,
                            const uint8_t *down, struct asim_err *err);
void asim_route_close(struct asim_route *route);

uint32_t asim_route_dest_classes(const struct asim_route *route);
/* Class of destination `host`, 0 ... classes - 1. */
uint32_t asim_route_dest_class(const struct asim_route *route, uint32_t host);

/* Interfaces (1-based) of `node`, host or switch, on shortest paths to dst_host; *n of them. The
 * list lives as long as the handle. NULL and *n = 0: unreachable, or node is dst_host, or memory
 * ran out while the class was searched for (asim_route_error tells). */
const uint32_t *asim_route_ports(struct asim_route *route, uint32_t node, uint32_t dst_host,
                                 uint32_t *n);
/* 0, or the latched failure of a search made on first use. */
int asim_route_error(const struct asim_route *route, struct asim_err *err);

/* Searches for every class now; afterwards asim_route_ports changes nothing and threads may share
 * the handle. */
int asim_route_fill_all(struct asim_route *route, struct asim_err *err);

const struct asim_topo *asim_route_topo(const struct asim_route *route);
/* Hosts whose ports lead to the same peers over links of the same rate and delay are of one kind:
 * no two of them differ in any path property. Representatives are the lowest ids of a kind;
 * second is the next id of that kind, or the first again where it is alone. */
struct asim_source_class {
    uint32_t first, second;
};
const struct asim_source_class *asim_route_source_classes(const struct asim_route *route,
                                                          uint32_t *n);

#endif
