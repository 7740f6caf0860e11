/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Two hosts that share a local switch (route_state.h), and the pairs of hosts that stand for all
 * others.
 *
 * Hosts that share a switch are two hops apart, and no path over two switches is as short. So the
 * next hops are the sender's ports to shared switches, in the order in which the search from the
 * destination expands these: by descending id, and ascending by port. No search is needed.
 */
#include "topo/route_state.h"

#include <stdlib.h>

/* Whether the port, an index into topo->ports, leads up to a local switch. */
static int leads_to_local(const struct asim_route *r, uint32_t port)
{
    uint32_t peer = r->topo->ports[port].peer;

    return peer >= r->hosts && !asim_route_is_down(r, port) &&
           asim_route_is_local(r, peer - r->hosts);
}

/* Linear in the links of both. */
int asim_route_shares_local(const struct asim_route *r, uint32_t a, uint32_t b)
{
    const struct asim_topo *t = r->topo;
    uint32_t n;

    if (!r->locals.lists[r->local_of[a]].n || !r->locals.lists[r->local_of[b]].n)
        return 0;
    for (uint32_t p = t->first_port[a]; p < t->first_port[a + 1]; p++)
        if (leads_to_local(r, p) && asim_route_last_hop(r, t->ports[p].peer, b, &n))
            return 1;
    return 0;
}

/* Writes the ports of src to switches of dst to r->member, and returns their number. */
static uint32_t shared_ports(struct asim_route *r, uint32_t src, uint32_t dst)
{
    const struct asim_topo *t = r->topo;
    uint32_t n = 0, kept = 0, ignored;
    int nv = 0;

    for (uint32_t p = t->first_port[src]; p < t->first_port[src + 1]; p++) {
        uint32_t peer = t->ports[p].peer;

        if (peer < r->hosts || asim_route_is_down(r, p) ||
            !asim_route_last_hop(r, peer, dst, &ignored))
            continue;
        nv |= asim_route_is_nvswitch(r, peer - r->hosts);
        r->key[n++] = (uint64_t)(UINT32_MAX - peer) << 32 | (p - t->first_port[src] + 1);
    }
    if (n > 1)
        qsort(r->key, n, sizeof *r->key, asim_route_by_number);
    for (uint32_t i = 0; i < n; i++)
        if (!nv || asim_route_is_nvswitch(r, UINT32_MAX - (uint32_t)(r->key[i] >> 32) - r->hosts))
            r->member[kept++] = (uint32_t)r->key[i];
    return kept;
}

int asim_route_local_set(struct asim_route *r, uint32_t src, uint32_t dst, uint32_t *set)
{
    uint32_t to = r->attached_of[dst], from = r->source_class_of[src];
    const uint64_t *known = asim_map_get(&r->local_sets, to, from);
    uint64_t *slot;

    if (known) {
        *set = (uint32_t)*known;
        return 0;
    }
    if (asim_list_store_keep(&r->sets, r->member, shared_ports(r, src, dst), set) ||
        !(slot = asim_map_put(&r->local_sets, to, from)))
        return ASIM_ENOMEM;
    *slot = *set;
    return 0;
}

void asim_route_classes_collect(const struct asim_route *r, uint32_t s,
                                struct asim_route_classes *classes)
{
    const struct asim_topo *t = r->topo;
    uint32_t v = r->hosts + s;

    classes->n = 0;
    for (uint32_t p = t->first_port[v]; p < t->first_port[v + 1]; p++) {
        uint32_t host = t->ports[p].peer;

        if (host >= r->hosts || asim_route_is_down(r, p) ||
            classes->seen[classes->class_of[host]] == s + 1)
            continue;
        classes->seen[classes->class_of[host]] = s + 1;
        classes->hosts[classes->n++] = host;
    }
}

int asim_route_classes_open(struct asim_route_classes *classes, const uint32_t *class_of,
                            uint32_t n)
{
    *classes = (struct asim_route_classes){class_of, calloc((size_t)n + 1, sizeof(uint32_t)),
                                           calloc((size_t)n + 1, sizeof(uint32_t)), 0};
    return classes->seen && classes->hosts ? 0 : ASIM_ENOMEM;
}

void asim_route_classes_close(struct asim_route_classes *classes)
{
    ASIM_FREE(classes->seen, classes->hosts);
}

/* For each local switch and each pair of a source class and a list of switches at it. */
int asim_route_fill_local(struct asim_route *r)
{
    struct asim_route_classes from, to = {0};
    uint32_t set;
    int rc = asim_route_classes_open(&from, r->source_class_of, (uint32_t)r->source_ports.n);

    if (!rc)
        rc = asim_route_classes_open(&to, r->attached_of, (uint32_t)r->attached.n);
    for (uint32_t s = 0; !rc && s < r->switches; s++) {
        if (!asim_route_is_local(r, s))
            continue;
        asim_route_classes_collect(r, s, &from);
        asim_route_classes_collect(r, s, &to);
        for (uint32_t a = 0; a < from.n; a++)
            for (uint32_t b = 0; !rc && b < to.n; b++)
                rc = asim_route_local_set(r, from.hosts[a], to.hosts[b], &set);
    }
    asim_route_classes_close(&from);
    asim_route_classes_close(&to);
    return rc;
}
