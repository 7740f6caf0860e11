/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inside of asim_route, shared by route.c (set-up and lookup) and route_fill.c (the search).
 * Switches are counted from 0 here: node id minus the number of hosts.
 *
 * Everything is owned by the handle and freed by asim_route_close, scratch included.
 */
#ifndef ASIM_TOPO_ROUTE_IMPL_H
#define ASIM_TOPO_ROUTE_IMPL_H

#include "topo/list_store.h"
#include "topo/route.h"

struct asim_route_edge { /* from a switch to a neighbouring switch, as the search walks it */
    uint32_t to;         /* switch */
    uint32_t port_back;  /* interface of `to` that leads back: the next hop the search finds */
};

struct asim_route {
    const struct asim_topo *topo;
    const uint8_t *down; /* [links], borrowed; NULL = all are up */
    uint32_t hosts, switches;
    uint32_t *class_of, *kind_of;    /* [hosts] */
    struct asim_list_store legs;     /* class -> its switches, descending */
    struct asim_list_store shapes;   /* kind of host -> (peer, rate, delay) of each port */
    struct asim_source_class *kinds; /* [shapes.n] */
    uint32_t *edge_first;            /* [switches + 1] */
    struct asim_route_edge *edges;   /* per switch: descending neighbour, ascending port */
    /* Ports at the far ends of each host's links, grouped by peer: the last hop. */
    uint32_t *last_peer, *last_port; /* [ports of hosts] */
    struct asim_list_store sets;     /* next-hop sets; number 0 is the empty one */
    uint32_t **rows;                 /* [classes]: set number per switch, then per kind; or NULL */
    uint64_t row_bytes;
    /* Scratch of the search, [switches] each but member and key. */
    uint32_t *dist, *place, *queue, *start, *count;
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

/* Searches for class c and fills its row. */
int asim_route_fill(struct asim_route *route, uint32_t c, struct asim_err *err);

#endif
