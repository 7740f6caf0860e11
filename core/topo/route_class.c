/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The lists and classes of hosts (route_state.h). Linear, apart from a sort of the few ports of
 * each host.
 */
#include "topo/route_state.h"

#include <stdlib.h>

/* The difference of two 64-bit keys would not fit an int. */
int asim_route_by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts the ports of host h by (peer, port at the peer): the last hops to one peer are then a
 * slice. Uses r->key. */
static uint32_t sort_last_hops(struct asim_route *r, uint32_t h)
{
    const struct asim_topo *t = r->topo;
    uint32_t first = t->first_port[h], n = t->first_port[h + 1] - first;

    for (uint32_t i = 0; i < n; i++)
        r->key[i] = asim_route_is_down(r, first + i)
                        ? UINT64_MAX /* sorts last; no node has this id */
                        : (uint64_t)t->ports[first + i].peer << 32 | t->ports[first + i].peer_port;
    if (n > 1)
        qsort(r->key, n, sizeof *r->key, asim_route_by_number);
    for (uint32_t i = 0; i < n; i++) {
        r->last_peer[first + i] = (uint32_t)(r->key[i] >> 32);
        r->last_port[first + i] = (uint32_t)r->key[i];
    }
    return n;
}

/* Which switches of a host a list has. */
enum part { ALL, FAR, LOCAL };

/* Writes the distinct switches of h, descending, from its sorted last hops, to r->member. Returns
 * their number. */
static uint32_t switches_of(struct asim_route *r, uint32_t h, uint32_t ports, enum part part)
{
    uint32_t first = r->topo->first_port[h], n = 0;

    for (uint32_t i = ports; i-- > 0;) {
        uint32_t peer = r->last_peer[first + i];

        if (peer < r->hosts || peer == UINT32_MAX ||
            (i + 1 < ports && r->last_peer[first + i + 1] == peer))
            continue;
        if (part == ALL || asim_route_is_local(r, peer - r->hosts) == (part == LOCAL))
            r->member[n++] = peer - r->hosts;
    }
    return n;
}

/* All hosts whose switches with links to others are the same get one class and share one search;
 * ASTRA-sim searches once per host. */
static int find_lists(struct asim_route *r, uint32_t h)
{
    uint32_t ports = sort_last_hops(r, h);
    struct {
        enum part part;
        struct asim_list_store *store;
        uint32_t *of;
    } const lists[] = {{ALL, &r->attached, r->attached_of},
                       {FAR, &r->dest_classes, r->dest_class_of},
                       {LOCAL, &r->locals, r->local_of}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        uint32_t n = switches_of(r, h, ports, lists[i].part);

        if (asim_list_store_keep(lists[i].store, r->member, n, &lists[i].of[h]))
            return ASIM_ENOMEM;
    }
    return 0;
}

/* Hosts of one column have the same next hops to every host with which they share no local
 * switch. */
static int find_column(struct asim_route *r, uint32_t h)
{
    const struct asim_topo *t = r->topo;
    size_t known = r->columns.n;
    uint32_t n = 0, k;

    for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++) {
        uint32_t peer = t->ports[p].peer;

        if (peer < r->hosts || asim_route_is_down(r, p) || asim_route_is_local(r, peer - r->hosts))
            continue;
        r->member[n++] = p - t->first_port[h];
        r->member[n++] = peer;
    }
    if (asim_list_store_keep(&r->columns, r->member, n, &k))
        return ASIM_ENOMEM;
    r->column_of[h] = k;
    if (r->columns.n > known)
        r->column_host[k] = h;
    return 0;
}

/* Five words per port: peer, rate and delay of the link. Hosts with equal words have equal paths to
 * every third host, so one pair serves them all. */
static int find_source_class(struct asim_route *r, uint32_t h)
{
    const struct asim_topo *t = r->topo;
    size_t known = r->source_ports.n;
    uint32_t n = 0, k;

    for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++) {
        const struct asim_link *link = &t->links[t->ports[p].link];

        r->member[n++] = asim_route_is_down(r, p) ? UINT32_MAX : t->ports[p].peer;
        r->member[n++] = (uint32_t)link->rate_bps;
        r->member[n++] = (uint32_t)(link->rate_bps >> 32);
        r->member[n++] = (uint32_t)link->delay_fs;
        r->member[n++] = (uint32_t)(link->delay_fs >> 32);
    }
    if (asim_list_store_keep(&r->source_ports, r->member, n, &k))
        return ASIM_ENOMEM;
    r->source_class_of[h] = k;
    /* A class starts with one host, which also stands in for the second. */
    if (r->source_ports.n > known)
        r->source_classes[k] = (struct asim_source_class){h, h};
    else if (r->source_classes[k].second == r->source_classes[k].first)
        r->source_classes[k].second = h;
    return 0;
}

int asim_route_classify(struct asim_route *r)
{
    for (uint32_t h = 0; h < r->hosts; h++)
        if (find_lists(r, h) || find_column(r, h) || find_source_class(r, h))
            return ASIM_ENOMEM;
    return 0;
}

/* Returns the interfaces of node that lead straight to dst. Linear in the links of dst, which are
 * few and sorted by peer. */
const uint32_t *asim_route_last_hop(const struct asim_route *r, uint32_t node, uint32_t dst,
                                    uint32_t *n)
{
    uint32_t p = r->topo->first_port[dst], end = r->topo->first_port[dst + 1], first;

    while (p < end && r->last_peer[p] < node)
        p++;
    first = p;
    while (p < end && r->last_peer[p] == node)
        p++;
    *n = p - first;
    return *n ? r->last_port + first : NULL;
}
