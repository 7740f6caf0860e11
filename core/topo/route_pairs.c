/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Pairs of hosts that stand for all pairs, for figures of paths (pair.c).
 *
 * Hosts whose ports to switches that are not local lead to the same peers over links of equal rate
 * and delay form a far class: equal paths lead from them to every host with which they share no
 * local switch. Two hosts of a far class suffice, if there are two that share no local switch.
 * Hosts that share one are visited by source class, switch by switch. So the number of pairs is
 * quadratic in the leaf switches and in the GPUs of a server, and not in the GPUs.
 *
 * This needs that sharing is transitive: hosts at one local switch have all local switches in
 * common. Networks where they have not, and networks with links between hosts, are visited by pairs
 * of source classes.
 */
#include "topo/route_state.h"

#include <stdlib.h>

struct visitor {
    asim_route_visit *visit;
    void *self;
};

static int call(const struct visitor *visitor, uint32_t src, uint32_t dst)
{
    return visitor->visit(visitor->self, src, dst);
}

static int is_transitive(const struct asim_route *r)
{
    const struct asim_topo *t = r->topo;

    for (uint32_t h = 0; h < r->hosts; h++)
        for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++)
            if (t->ports[p].peer < r->hosts)
                return 0;
    for (uint32_t s = 0; s < r->switches; s++) {
        uint32_t v = r->hosts + s, first = UINT32_MAX;

        for (uint32_t p = t->first_port[v]; p < t->first_port[v + 1]; p++) {
            if (!asim_route_is_local(r, s) || t->ports[p].peer >= r->hosts ||
                asim_route_is_down(r, p))
                continue;
            if (first != UINT32_MAX && r->local_of[t->ports[p].peer] != first)
                return 0;
            first = r->local_of[t->ports[p].peer];
        }
    }
    return 1;
}

/* The second host of a class stands for pairs within the class. */
static int visit_source_classes(const struct asim_route *r, const struct visitor *visitor)
{
    int rc = 0;

    for (size_t a = 0; a < r->source_ports.n; a++)
        for (size_t b = 0; !rc && b < r->source_ports.n; b++)
            rc = call(visitor, r->source_classes[a].first,
                       a == b ? r->source_classes[b].second : r->source_classes[b].first);
    return rc;
}

/* Another host of h's class; h itself where there is none. */
static uint32_t another(const struct asim_route *r, uint32_t h)
{
    const struct asim_source_class *c = &r->source_classes[r->source_class_of[h]];

    return c->second != h ? c->second : c->first;
}

/* Pairs within each local switch. Hosts of one source class have it in common; the first one at the
 * switch need not be the first of its class. */
static int visit_local(struct asim_route *r, const struct visitor *visitor)
{
    struct asim_route_classes at = {0};
    int rc = asim_route_classes_open(&at, r->source_class_of, (uint32_t)r->source_ports.n);

    for (uint32_t s = 0; !rc && s < r->switches; s++) {
        if (!asim_route_is_local(r, s))
            continue;
        asim_route_classes_collect(r, s, &at);
        for (uint32_t a = 0; a < at.n; a++)
            for (uint32_t b = 0; !rc && b < at.n; b++)
                rc = call(visitor, at.hosts[a], a == b ? another(r, at.hosts[a]) : at.hosts[b]);
    }
    asim_route_classes_close(&at);
    return rc;
}

/* The words of the far class of h; returns their number. */
static uint32_t far_words(struct asim_route *r, uint32_t h)
{
    const struct asim_topo *t = r->topo;
    uint32_t n = 0;

    for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++) {
        const struct asim_link *link = &t->links[t->ports[p].link];
        uint32_t peer = t->ports[p].peer;

        if (asim_route_is_down(r, p) || asim_route_is_local(r, peer - r->hosts))
            continue;
        r->member[n++] = peer;
        r->member[n++] = (uint32_t)link->rate_bps;
        r->member[n++] = (uint32_t)(link->rate_bps >> 32);
        r->member[n++] = (uint32_t)link->delay_fs;
        r->member[n++] = (uint32_t)(link->delay_fs >> 32);
    }
    return n;
}

static int shares(const struct asim_route *r, uint32_t a, uint32_t b)
{
    return r->local_of[a] == r->local_of[b] && r->locals.lists[r->local_of[a]].n;
}

/* second: the first member that shares no local switch with `first`; or `first` itself. */
static int find_far_classes(struct asim_route *r, struct asim_list_store *store,
                            struct asim_source_class *classes)
{
    for (uint32_t h = 0; h < r->hosts; h++) {
        size_t known = store->n;
        uint32_t k;

        if (asim_list_store_keep(store, r->member, far_words(r, h), &k))
            return ASIM_ENOMEM;
        if (store->n > known)
            classes[k] = (struct asim_source_class){h, h};
        else if (classes[k].second == classes[k].first && !shares(r, classes[k].first, h))
            classes[k].second = h;
    }
    return 0;
}

/* Visits one pair that shares no local switch, if there is one. */
static int visit_far_pair(const struct asim_route *r, const struct asim_source_class *a,
                          const struct asim_source_class *b, const struct visitor *visitor)
{
    const uint32_t from[] = {a->first, a->second}, to[] = {b->first, b->second};

    for (size_t i = 0; i < 4; i++)
        if (from[i / 2] != to[i % 2] && !shares(r, from[i / 2], to[i % 2]))
            return call(visitor, from[i / 2], to[i % 2]);
    return 0;
}

static int visit_far(struct asim_route *r, const struct visitor *visitor)
{
    struct asim_source_class *classes = calloc((size_t)r->hosts + 1, sizeof *classes);
    struct asim_list_store store;
    int rc = classes ? 0 : ASIM_ENOMEM;

    asim_list_store_init(&store);
    if (!rc)
        rc = find_far_classes(r, &store, classes);
    for (size_t a = 0; a < store.n; a++)
        for (size_t b = 0; !rc && b < store.n; b++)
            rc = visit_far_pair(r, &classes[a], &classes[b], visitor);
    asim_list_store_fini(&store);
    free(classes);
    return rc;
}

int asim_route_each_pair(struct asim_route *route, asim_route_visit *visit, void *self)
{
    const struct visitor visitor = {visit, self};
    int rc;

    if (!is_transitive(route))
        return visit_source_classes(route, &visitor);
    rc = visit_local(route, &visitor);
    return rc ? rc : visit_far(route, &visitor);
}
