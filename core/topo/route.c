/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Set-up and lookup of flat routing; the search itself is in route_fill.c. Set-up is linear but
 * for sorting the few ports of each host. Two numbers make the tables small: hosts attached to
 * the same switches share a row (class), and source hosts whose ports look alike share a column
 * (kind). The last hop depends on the host itself and is answered from the host's own links, and
 * so are hosts wired to each other, since a direct link is always the shortest path.
 */
#include "topo/route_impl.h"

#include <stdlib.h>
#include <string.h>

/* For qsort of 64-bit keys; a difference would not fit an int. */
static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Room for one host's ports is enough, since hosts are looked at one by one. */
static size_t most_host_ports(const struct asim_topo *t)
{
    uint32_t most = 0;

    for (uint32_t h = 0; h < t->hosts; h++)
        if (t->first_port[h + 1] - t->first_port[h] > most)
            most = t->first_port[h + 1] - t->first_port[h];
    return most;
}

/* Ports of host h sorted by (peer, port at the peer): the last hop's lists are then slices.
 * key is scratch with room for the most ports any host has. */
static uint32_t sort_last_hops(struct asim_route *r, uint32_t h)
{
    const struct asim_topo *t = r->topo;
    uint32_t first = t->first_port[h], n = t->first_port[h + 1] - first;

    for (uint32_t i = 0; i < n; i++)
        r->key[i] = asim_route_is_down(r, first + i)
                        ? UINT64_MAX /* a peer nobody asks for */
                        : (uint64_t)t->ports[first + i].peer << 32 | t->ports[first + i].peer_port;
    if (n > 1)
        qsort(r->key, n, sizeof *r->key, by_number);
    for (uint32_t i = 0; i < n; i++) {
        r->last_peer[first + i] = (uint32_t)(r->key[i] >> 32);
        r->last_port[first + i] = (uint32_t)r->key[i];
    }
    return n;
}

/* Distinct switches at h, descending, from its sorted last hops.
 * Hosts under one leaf have one class, so a search serves all of them: this is what makes set-up
 * linear where the reference searches per host. */
static int classify(struct asim_route *r, uint32_t h)
{
    uint32_t n = sort_last_hops(r, h), first = r->topo->first_port[h], legs = 0;

    for (uint32_t i = n; i-- > 0;) {
        uint32_t peer = r->last_peer[first + i];

        if (peer >= r->hosts && peer != UINT32_MAX &&
            (i + 1 == n || r->last_peer[first + i + 1] != peer))
            r->member[legs++] = peer - r->hosts;
    }
    return asim_list_store_keep(&r->legs, r->member, legs, &r->class_of[h]);
}

/* Five words a port: peer, rate and delay of the link.
 * Two hosts whose links go to the same peers at the same rates and delays cannot differ in any
 * path property towards a third, hence one column for both. */
static int shape(struct asim_route *r, uint32_t h)
{
    const struct asim_topo *t = r->topo;
    size_t known = r->shapes.n;
    uint32_t n = 0, k;

    for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++) {
        const struct asim_link *link = &t->links[t->ports[p].link];

        r->member[n++] = asim_route_is_down(r, p) ? UINT32_MAX : t->ports[p].peer;
        r->member[n++] = (uint32_t)link->rate_bps;
        r->member[n++] = (uint32_t)(link->rate_bps >> 32);
        r->member[n++] = (uint32_t)link->delay_fs;
        r->member[n++] = (uint32_t)(link->delay_fs >> 32);
    }
    if (asim_list_store_keep(&r->shapes, r->member, n, &k))
        return ASIM_ENOMEM;
    r->kind_of[h] = k;
    /* A new kind: its first host stands for it until a second is met. */
    if (r->shapes.n > known)
        r->kinds[k] = (struct asim_source_class){h, h};
    else if (r->kinds[k].second == r->kinds[k].first)
        r->kinds[k].second = h;
    return 0;
}

static int is_edge(const struct asim_route *r, uint32_t port)
{
    return r->topo->ports[port].peer >= r->hosts && !asim_route_is_down(r, port);
}

/* Edges between switches. Going through the neighbours from the highest down and appending each
 * to its own neighbours leaves every list descending by neighbour and ascending by port.
 * Descending order is what makes next hops agree with the reference on Linux (spec rdma-network
 * 6.8). */
static void link_switches(struct asim_route *r)
{
    const struct asim_topo *t = r->topo;
    uint32_t *mark = r->start, sum = 0;

    for (uint32_t s = 0; s < r->switches; s++) {
        uint32_t v = r->hosts + s;

        /* mark is where the next edge of s goes; r->start is scratch until the first search. */
        mark[s] = r->edge_first[s] = sum;
        for (uint32_t p = t->first_port[v]; p < t->first_port[v + 1]; p++)
            sum += is_edge(r, p);
    }
    r->edge_first[r->switches] = sum;
    for (uint32_t s = r->switches; s-- > 0;) {
        uint32_t v = r->hosts + s;

        for (uint32_t p = t->first_port[v]; p < t->first_port[v + 1]; p++)
            if (is_edge(r, p))
                r->edges[mark[t->ports[p].peer - r->hosts]++] =
                    (struct asim_route_edge){s, p - t->first_port[v] + 1};
    }
}

/* All at once, so that asim_route_close frees a half-made handle like a whole one. */
static int allocate(struct asim_route *r)
{
    const struct asim_topo *t = r->topo;
    size_t h = (size_t)r->hosts + 1, s = (size_t)r->switches + 1;
    size_t host_ports = (size_t)t->first_port[r->hosts] + 1;
    /* Ports of switches bound the edges, since each edge is one port of a switch. */
    size_t edges = t->first_port[t->nodes] - t->first_port[r->hosts] + (size_t)1;
    size_t most = most_host_ports(t), members = 5 * most > edges ? 5 * most : edges;

    r->class_of = calloc(h, sizeof *r->class_of);
    r->kind_of = calloc(h, sizeof *r->kind_of);
    r->kinds = calloc(h, sizeof *r->kinds);
    r->edge_first = calloc(s, sizeof *r->edge_first);
    r->edges = calloc(edges, sizeof *r->edges);
    r->last_peer = calloc(host_ports, sizeof *r->last_peer);
    r->last_port = calloc(host_ports, sizeof *r->last_port);
    r->dist = calloc(s, sizeof *r->dist);
    r->place = calloc(s, sizeof *r->place);
    r->queue = calloc(s, sizeof *r->queue);
    r->start = calloc(s, sizeof *r->start);
    r->count = calloc(s, sizeof *r->count);
    r->by_nvswitch = calloc(s, sizeof *r->by_nvswitch);
    r->member = calloc(members + 1, sizeof *r->member);
    r->key = calloc(most + 1, sizeof *r->key);
    return r->class_of && r->kind_of && r->kinds && r->edge_first && r->edges && r->last_peer &&
                   r->last_port && r->dist && r->place && r->queue && r->start && r->count &&
                   r->by_nvswitch && r->member && r->key
               ? 0
               : ASIM_ENOMEM;
}

/* Set 0 is the empty list, so that a zeroed row says "unreachable" everywhere. */
static int set_up(struct asim_route *r)
{
    uint32_t empty;

    if (allocate(r) || asim_list_store_keep(&r->sets, r->member, 0, &empty))
        return ASIM_ENOMEM;
    for (uint32_t h = 0; h < r->hosts; h++)
        if (classify(r, h) || shape(r, h))
            return ASIM_ENOMEM;
    link_switches(r);
    /* One pointer per class; the rows themselves come with the first question. */
    r->rows = calloc(r->legs.n + 1, sizeof *r->rows);
    return r->rows ? 0 : ASIM_ENOMEM;
}

/* No search is made yet: rows are filled on first use, or all at once by asim_route_fill_all. */
int asim_route_open(struct asim_route **route, const struct asim_topo *topo, struct asim_err *err)
{
    return asim_route_open_without(route, topo, NULL, err);
}

int asim_route_open_without(struct asim_route **route, const struct asim_topo *topo,
                            const uint8_t *down, struct asim_err *err)
{
    struct asim_route *r = calloc(1, sizeof *r);

    *route = NULL;
    if (!r)
        return asim_err_nomem(err, "setting up routes");
    r->topo = topo;
    r->down = down;
    r->hosts = topo->hosts;
    r->switches = topo->switches;
    asim_list_store_init(&r->legs);
    asim_list_store_init(&r->shapes);
    asim_list_store_init(&r->sets);
    if (set_up(r)) {
        asim_route_close(r);
        return asim_err_nomem(err, "setting up routes");
    }
    *route = r;
    return 0;
}

/* Also takes what a failed set_up left. */
void asim_route_close(struct asim_route *r)
{
    if (!r)
        return;
    for (size_t c = 0; r->rows && c < r->legs.n; c++)
        free(r->rows[c]);
    asim_list_store_fini(&r->legs);
    asim_list_store_fini(&r->shapes);
    asim_list_store_fini(&r->sets);
    free(r->rows);
    free(r->class_of);
    free(r->kind_of);
    free(r->kinds);
    free(r->edge_first);
    free(r->edges);
    free(r->last_peer);
    free(r->last_port);
    free(r->dist);
    free(r->place);
    free(r->queue);
    free(r->start);
    free(r->count);
    free(r->by_nvswitch);
    free(r->member);
    free(r->key);
    free(r);
}

/* How many rows a full table would have. */
uint32_t asim_route_dest_classes(const struct asim_route *route)
{
    return (uint32_t)route->legs.n;
}

uint32_t asim_route_dest_class(const struct asim_route *route, uint32_t host)
{
    return route->class_of[host];
}

const struct asim_topo *asim_route_topo(const struct asim_route *route)
{
    return route->topo;
}

/* Lives as long as the handle. */
const struct asim_source_class *asim_route_source_classes(const struct asim_route *route,
                                                          uint32_t *n)
{
    *n = (uint32_t)route->shapes.n;
    return route->kinds;
}

/* The interfaces of node that lead straight to dst.
 * Linear in the links of dst, which are few; peers are sorted, so the node's own links are
 * neighbours. */
static const uint32_t *last_hop(const struct asim_route *r, uint32_t node, uint32_t dst,
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

/* The last hop comes first: it is the only answer that depends on the host itself, and a direct
 * link beats every path over switches. */
const uint32_t *asim_route_ports(struct asim_route *r, uint32_t node, uint32_t dst_host,
                                 uint32_t *n)
{
    const uint32_t *direct;
    uint32_t c, set;

    *n = 0;
    if (node == dst_host || node >= r->topo->nodes || dst_host >= r->hosts)
        return NULL;
    direct = last_hop(r, node, dst_host, n);
    if (direct)
        return direct;
    c = r->class_of[dst_host];
    if (!r->rows[c] && asim_route_fill(r, c, &r->failure))
        return NULL;
    set = r->rows[c][node < r->hosts ? r->switches + r->kind_of[node] : node - r->hosts];
    *n = r->sets.lists[set].n;
    return *n ? r->sets.lists[set].at : NULL;
}

/* Latched, because asim_route_ports is called where no error can be handed up.
 * *err gets a copy; the latched one stays. */
int asim_route_error(const struct asim_route *route, struct asim_err *err)
{
    if (!route->failure.code)
        return 0;
    return asim_err_set(err, route->failure.code, "%s", route->failure.text);
}

/* Costs classes x links between switches; sets shared by many classes are stored once. */
int asim_route_fill_all(struct asim_route *route, struct asim_err *err)
{
    int rc = 0;

    for (uint32_t c = 0; !rc && c < route->legs.n; c++)
        rc = asim_route_fill(route, c, err);
    return rc;
}
