/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The capacity of a cut through the hosts: a maximum flow (Dinic 1970) from one half of the hosts
 * to the other over the topology's links, each with its rate in both directions. Hosts do not
 * forward: sending hosts have outgoing arcs only, the others incoming arcs only, so no path passes
 * through a host. NVLink counts only if there is no other network, because the figure is about the
 * fabric.
 *
 * The true bisection is the minimum over all halvings, which is not computable in general. The two
 * halvings here are those that collectives stress: low against high ranks (ring, hierarchical) and
 * even against odd (the first step of halving-doubling, and rails).
 */
#include "topologies/levels.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "asim/err.h"

struct arc {
    uint32_t to;
    uint64_t room; /* bit/s */
};

struct flow { /* arcs 2i and 2i + 1 are each other's reverse */
    struct arc *arcs;
    uint32_t *first, *list; /* arcs of node v: list[first[v]] … list[first[v + 1] - 1] */
    uint32_t *depth, *cursor, *queue, *path;
    uint32_t nodes, n_arcs, source, sink;
};

/* half 0: the lower ids send; half 1: the even ones. */
static int sends(uint32_t host, uint32_t hosts, int half)
{
    return half ? host % 2 == 0 : host < hosts / 2;
}

/* Capacity of a pair of arcs: from → to, and back. */
struct capacity {
    uint64_t there, back;
};

static void add_arc(struct flow *f, uint32_t from, uint32_t to, struct capacity room)
{
    f->arcs[f->n_arcs++] = (struct arc){to, room.there};
    f->arcs[f->n_arcs++] = (struct arc){from, room.back};
}

/* NVSwitches count only if there are no other switches. */
static int is_network(const struct asim_topo *topo, const struct asim_link *l, int all)
{
    return all ||
           (topo->node_type[l->a] != ASIM_NVSWITCH && topo->node_type[l->b] != ASIM_NVSWITCH);
}

/* A link between switches carries its rate in both directions at once: one pair of arcs with
 * capacity both ways, in which opposite flows cancel. */
static void add_link(struct flow *f, const struct asim_topo *topo, const struct asim_link *l,
                     int half)
{
    const struct capacity both = {l->rate_bps, l->rate_bps}, out = {l->rate_bps, 0};
    int host_a = l->a < topo->hosts, host_b = l->b < topo->hosts;
    int a_sends = host_a && sends(l->a, topo->hosts, half);
    int b_sends = host_b && sends(l->b, topo->hosts, half);
    if (!host_a && !host_b)
        add_arc(f, l->a, l->b, both);
    else if (host_a && host_b && a_sends == b_sends)
        return;
    else if (a_sends || (host_b && !b_sends))
        add_arc(f, l->a, l->b, out);
    else
        add_arc(f, l->b, l->a, out);
}

/* Lists the arcs of each node by counting. */
static void index_arcs(struct flow *f)
{
    memset(f->first, 0, (f->nodes + 1) * sizeof *f->first);
    for (uint32_t i = 0; i < f->n_arcs; i++)
        f->first[f->arcs[i ^ 1].to + 1]++;
    for (uint32_t v = 0; v < f->nodes; v++)
        f->first[v + 1] += f->first[v];
    memcpy(f->cursor, f->first, f->nodes * sizeof *f->cursor);
    for (uint32_t i = 0; i < f->n_arcs; i++)
        f->list[f->cursor[f->arcs[i ^ 1].to]++] = i;
}

/* Memory: 16 bytes an arc and 4 in the lists, two arcs a link: 10 MB for 75,000 links and 15,360
 * hosts. */
static int build(struct flow *f, const struct asim_topo *topo, int half)
{
    size_t arcs = 2 * (topo->n_links + topo->hosts);
    f->nodes = topo->nodes + 2;
    f->source = topo->nodes;
    f->sink = topo->nodes + 1;
    f->arcs = malloc(arcs * sizeof *f->arcs);
    f->list = malloc(arcs * sizeof *f->list);
    f->first = malloc(((size_t)f->nodes + 1) * sizeof *f->first);
    f->depth = malloc((size_t)f->nodes * sizeof *f->depth);
    f->cursor = malloc((size_t)f->nodes * sizeof *f->cursor);
    f->queue = malloc((size_t)f->nodes * sizeof *f->queue);
    f->path = malloc((size_t)f->nodes * sizeof *f->path);
    if (!f->arcs || !f->list || !f->first || !f->depth || !f->cursor || !f->queue || !f->path)
        return ASIM_ENOMEM;
    int all = 1;
    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        all &= topo->node_type[v] == ASIM_NVSWITCH;
    for (size_t i = 0; i < topo->n_links; i++)
        if (is_network(topo, &topo->links[i], all))
            add_link(f, topo, &topo->links[i], half);
    const struct capacity any = {UINT64_MAX / 2, 0};
    for (uint32_t h = 0; h < topo->hosts; h++)
        if (sends(h, topo->hosts, half))
            add_arc(f, f->source, h, any);
        else
            add_arc(f, h, f->sink, any);
    index_arcs(f);
    return 0;
}

/* Number of hops from the source along arcs with free capacity; 0 if the sink is unreachable. */
static int layer(struct flow *f)
{
    uint32_t head = 0, tail = 0;
    memset(f->depth, 0, (size_t)f->nodes * sizeof *f->depth);
    f->depth[f->source] = 1;
    f->queue[tail++] = f->source;
    while (head < tail) {
        uint32_t v = f->queue[head++];
        for (uint32_t i = f->first[v]; i < f->first[v + 1]; i++) {
            const struct arc *arc = &f->arcs[f->list[i]];
            if (!arc->room || f->depth[arc->to])
                continue;
            f->depth[arc->to] = f->depth[v] + 1;
            f->queue[tail++] = arc->to;
        }
    }
    return f->depth[f->sink] != 0;
}

/* Returns the next arc from v to a node one layer further, or UINT32_MAX. */
static uint32_t next_arc(struct flow *f, uint32_t v)
{
    for (; f->cursor[v] < f->first[v + 1]; f->cursor[v]++) {
        uint32_t i = f->list[f->cursor[v]];
        if (f->arcs[i].room && f->depth[f->arcs[i].to] == f->depth[v] + 1)
            return i;
    }
    return UINT32_MAX;
}

/* Pushes the free capacity of the path along its n arcs. */
static uint64_t push(struct flow *f, uint32_t n)
{
    uint64_t amount = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++)
        if (f->arcs[f->path[i]].room < amount)
            amount = f->arcs[f->path[i]].room;
    for (uint32_t i = 0; i < n; i++) {
        f->arcs[f->path[i]].room -= amount;
        f->arcs[f->path[i] ^ 1].room += amount;
    }
    return amount;
}

/* Fills one layering completely, depth first without recursion. */
static double block(struct flow *f)
{
    double total = 0;
    uint32_t n = 0, v = f->source;
    memcpy(f->cursor, f->first, (size_t)f->nodes * sizeof *f->cursor);
    for (;;) {
        uint32_t arc = v == f->sink ? UINT32_MAX : next_arc(f, v);
        if (v == f->sink) {
            total += (double)push(f, n);
            n = 0;
            v = f->source;
        } else if (arc != UINT32_MAX) {
            f->path[n++] = arc;
            v = f->arcs[arc].to;
        } else if (v == f->source) {
            return total;
        } else {
            v = f->arcs[f->path[--n] ^ 1].to;
            f->cursor[v]++;
        }
    }
}

/* Network rate of a host: its links except NVLink, or all links if it has only NVLink. */
static double host_bps(const struct asim_topo *topo, uint32_t host)
{
    double network = 0, all = 0;
    for (uint32_t i = topo->first_port[host]; i < topo->first_port[host + 1]; i++) {
        double rate = (double)topo->links[topo->ports[i].link].rate_bps;
        all += rate;
        network += topo->node_type[topo->ports[i].peer] == ASIM_NVSWITCH ? 0 : rate;
    }
    return network > 0 ? network : all;
}

/* Sums are doubles: 15,360 x 400 Gbit/s is about 2^52, so a larger fabric may be rounded in the
 * last digit. */
int asim_bisection_of(const struct asim_topo *topo, int half, struct asim_bisection *out)
{
    struct flow f = {0};
    double side[2] = {0, 0};
    int rc = build(&f, topo, half);
    out->flow_bps = 0;
    while (!rc && layer(&f))
        out->flow_bps += block(&f);
    for (uint32_t h = 0; h < topo->hosts; h++)
        side[sends(h, topo->hosts, half)] += host_bps(topo, h);
    out->full_bps = side[0] < side[1] ? side[0] : side[1];
    ASIM_FREE(f.arcs, f.list, f.first, f.depth, f.cursor, f.queue, f.path);
    return rc;
}
