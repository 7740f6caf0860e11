/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of routing, for route*.c. A switch without a link to another switch is a local switch
 * (an NVSwitch of one server, the only switch of a network): it leads to its own hosts and nowhere
 * else. So local switches are left out of what decides about longer paths, and the GPUs of a
 * thousand servers under one leaf share one row and one column, although each server has an
 * NVSwitch of its own. Only two hosts at one local switch need more: route_local.c.
 */
#ifndef ASIM_TOPO_ROUTE_STATE_H
#define ASIM_TOPO_ROUTE_STATE_H

#include "asim/topology.h"
#include "base/map.h"
#include "topo/list_store.h"
#include "topo/route.h"

/* Hosts whose ports lead to the same peers over links of equal rate and delay form a source class:
 * all path properties of its members are equal. first and second are the two lowest ids of the
 * class; a class of one host has second == first. */
struct asim_source_class {
    uint32_t first, second;
};

struct asim_route_edge { /* from a switch to a neighbouring switch */
    uint32_t to;         /* switch, counted from 0: node id minus the number of hosts */
    uint32_t port_back;  /* interface of `to` that leads back: the next hop */
};

struct asim_route {
    const struct asim_topo *topo;
    const uint8_t *down; /* [links], borrowed; NULL = all links are up */
    uint32_t hosts, switches;
    /* Of each host: the list of its switches, of those that are not local, of those that are. */
    uint32_t *attached_of, *dest_class_of, *local_of;
    struct asim_list_store attached, dest_classes, locals; /* switches, descending */
    /* Of each host: its column (the ports that lead to switches that are not local, with the
     * switches); its source class (peer, rate and delay of each port). */
    uint32_t *column_of, *source_class_of;
    struct asim_list_store columns, source_ports;
    uint32_t *column_host;                    /* [columns.n]: one host of each */
    struct asim_source_class *source_classes; /* [source_ports.n] */
    struct asim_map local_sets; /* (list in attached, source class) -> set of two hosts that share a
                                   local switch */
    uint32_t *edge_first;       /* [switches + 1]; a local switch has no edge */
    struct asim_route_edge *edges; /* of each switch: descending neighbour, ascending port */
    /* The ports at the far ends of each host's links, grouped by peer: the last hop. */
    uint32_t *last_peer, *last_port; /* [ports of hosts] */
    struct asim_list_store sets;     /* next-hop sets; set 0 is empty */
    uint32_t *
        *rows; /* [destination classes]: the set of each switch, then of each column; or NULL */
    uint64_t row_bytes;
    /* Working arrays of the search, [switches] each except member and key. */
    uint32_t *dist, *expansion, *queue, *start, *count;
    uint8_t *by_nvswitch;
    uint32_t *member; /* [edges, or the most ports of a host] */
    uint64_t *key;    /* [the most ports of a host] */
    struct asim_err failure;
};

/* port: index into topo->ports. */
static inline int asim_route_is_down(const struct asim_route *route, uint32_t port)
{
    return route->down && route->down[route->topo->ports[port].link];
}

/* s: switch, counted from 0. */
static inline int asim_route_is_local(const struct asim_route *route, uint32_t s)
{
    return route->edge_first[s] == route->edge_first[s + 1];
}

static inline int asim_route_is_nvswitch(const struct asim_route *route, uint32_t s)
{
    return route->topo->node_type[route->hosts + s] == ASIM_NVSWITCH;
}

/* Compares two uint64_t, for qsort. */
int asim_route_by_number(const void *a, const void *b);
/* Finds the lists and classes of all hosts; after the edges are known. 0 or ASIM_ENOMEM. */
int asim_route_classify(struct asim_route *route);
/* Returns the interfaces of node that lead straight to dst; NULL if none does. */
const uint32_t *asim_route_last_hop(const struct asim_route *route, uint32_t node, uint32_t dst,
                                    uint32_t *n);
/* Whether two hosts share a local switch: then all shortest paths lead over shared switches. */
int asim_route_shares_local(const struct asim_route *route, uint32_t a, uint32_t b);
/* The next-hop set of such hosts, made on first use. 0 or ASIM_ENOMEM. */
int asim_route_local_set(struct asim_route *route, uint32_t src, uint32_t dst, uint32_t *set);
/* Makes all of them. 0 or ASIM_ENOMEM. */
int asim_route_fill_local(struct asim_route *route);

/* Hosts at one switch, one of each class: seen[class] is 1 + the last switch that had the class. */
struct asim_route_classes {
    const uint32_t *class_of;
    uint32_t *seen, *hosts, n;
};

/* n: number of classes. 0 or ASIM_ENOMEM; close it in any case. */
int asim_route_classes_open(struct asim_route_classes *classes, const uint32_t *class_of,
                            uint32_t n);
/* Collects the distinct classes of the hosts at a switch. */
void asim_route_classes_collect(const struct asim_route *route, uint32_t s,
                                struct asim_route_classes *classes);
void asim_route_classes_close(struct asim_route_classes *classes);

#endif
