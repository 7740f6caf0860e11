/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Approximates the network by an analytical one. Looks at each dimension through the members of
 * rank 0's group:
 *
 *   FullyConnected  each has a link to the next member and to the second next
 *   Ring            the number of hops grows with the distance on a ring, with or without routers;
 *                   also on a line, which formulas do not have: a note says so
 *   Switch          all others
 *
 * bandwidth = lowest rate from rank 0 to the others / 8 (in units of 2^30 bytes/s). Where all of
 * them are beyond rank 0's leaf switch, it is at most the leaf's uplinks shared by its hosts, so a
 * dimension of leaves has their oversubscription. Where some are below the leaf, formulas cannot
 * tell the two apart: a note says so. latency = longest propagation delay, halved for the two hops
 * of a Switch. The analytical network has no headers or queues.
 */
#include "asim/topology.h"
#include "base/diagnostics.h"
#include "topo/shape.h"

#include <string.h>
#include "topo/pair.h"

static const uint32_t any_payload = 1000; /* the round trip of the pair is not used */

/* Two ranks that cannot reach each other have no delay. */
static int pair_of(struct asim_pair *pair, struct asim_route *route, struct asim_host_pair hosts,
                   struct asim_err *err)
{
    int code = asim_pair_get(pair, route, hosts, any_payload, err);

    if (!code && !pair->hops)
        code = asim_err_set(err, ASIM_EINVAL, "rank %u cannot reach rank %u over this topology",
                            hosts.src, hosts.dst);
    return code;
}

/* The members of a dimension's group: ranks 0, stride, 2 * stride, … */
struct group {
    uint32_t stride, n;
};

/* 1 if each member has a link to the member `step` positions on; negative with err. */
static int linked(struct asim_route *route, const struct group *group, uint32_t step,
                  struct asim_err *err)
{
    uint32_t n = group->n;

    for (uint32_t i = 0; i < n; i++) {
        struct asim_pair pair;
        struct asim_host_pair hosts = {i * group->stride, (i + step) % n * group->stride};

        if (pair_of(&pair, route, hosts, err))
            return ASIM_EINVAL;
        if (pair.hops != 1)
            return 0;
    }
    return 1;
}

enum line { NO_LINE, CLOSED, OPEN };

/* Hops from member 0 to member k: a + c * k on a line, where k counts backwards behind the middle
 * if the line is closed. With less than four members it cannot be told from a switch. */
static int line_of(struct asim_route *route, const struct group *group, struct asim_err *err)
{
    uint32_t first = 0, step = 0, n = group->n;
    int is_closed = 1, is_open = 1;

    for (uint32_t k = 1; k < n && n > 3; k++) {
        struct asim_pair pair;
        uint32_t near = k < n - k ? k : n - k;

        if (pair_of(&pair, route, (struct asim_host_pair){0, k * group->stride}, err))
            return ASIM_EINVAL;
        first = k == 1 ? pair.hops : first;
        step = k == 2 && pair.hops > first ? pair.hops - first : step;
        if (k > 1 && !step)
            return NO_LINE;
        is_closed &= pair.hops == first + step * (near - 1);
        is_open &= pair.hops == first + step * (k - 1);
    }
    return !step ? NO_LINE : is_closed ? CLOSED : is_open ? OPEN : NO_LINE;
}

/* A ring of three members is fully connected; it counts as a Ring. */
static int topology_of(struct asim_route *route, const struct group *group,
                       const struct asim_diagnostics *notes, struct asim_err *err)
{
    int next = linked(route, group, 1, err), second, line;

    if (next < 0)
        return next;
    if (!next) {
        line = line_of(route, group, err);
        if (line == OPEN)
            asim_diagnose(notes,
                          "ranks 0, %u, %u, … are on a line, which formulas do not have: they "
                          "count with a ring",
                          group->stride, 2 * group->stride);
        return line < 0 ? line : line == NO_LINE ? ASIM_NET_SWITCH : ASIM_NET_RING;
    }
    second = group->n > 3 ? linked(route, group, 2, err) : 0;
    if (second < 0)
        return second;
    return second ? ASIM_NET_FULLY_CONNECTED : ASIM_NET_RING;
}

/* The switch of a host with one link, or UINT32_MAX. */
static uint32_t leaf_of(const struct asim_topo *topo, uint32_t host)
{
    uint32_t port = topo->first_port[host], peer;

    if (topo->first_port[host + 1] != port + 1)
        return UINT32_MAX;
    peer = topo->ports[port].peer;
    return peer < topo->hosts ? UINT32_MAX : peer;
}

/* What each host of a leaf has of its uplinks, bit/s; UINT64_MAX where it has none, or all hosts.
 */
static uint64_t uplink_share(const struct asim_topo *topo, uint32_t leaf)
{
    uint64_t up = 0, hosts = 0;

    for (uint32_t p = topo->first_port[leaf]; p < topo->first_port[leaf + 1]; p++) {
        const struct asim_port_ref *port = &topo->ports[p];

        if (port->peer < topo->hosts)
            hosts++;
        else
            up += topo->links[port->link].rate_bps;
    }
    return up && hosts ? up / hosts : UINT64_MAX;
}

/* The rate of a dimension between leaves that are oversubscribed. */
static uint64_t limit_rate(uint64_t rate, const struct asim_topo *topo, const struct group *group,
                           const struct asim_diagnostics *notes)
{
    uint32_t leaf = leaf_of(topo, 0), below = 0;
    uint64_t share = leaf == UINT32_MAX ? UINT64_MAX : uplink_share(topo, leaf);

    if (share >= rate)
        return rate;
    for (uint32_t i = 1; i < group->n; i++)
        below += leaf_of(topo, i * group->stride) == leaf;
    if (!below)
        return share;
    if (below < group->n - 1)
        asim_diagnose(notes,
                      "leaf switches are oversubscribed %.3g:1, and ranks of one dimension are on "
                      "one and on several leaves: formulas take all of them at %.6g Gbps; give the "
                      "leaves a logical dimension of their own (--logical), or a network "
                      "(--compare-network)",
                      (double)rate / (double)share, (double)rate / 1e9);
    return rate;
}

/* In a ring only the next member counts: the model adds up hops to the others. */
static int measure(struct asim_netdim *dim, struct asim_route *route, uint32_t stride,
                   const struct asim_diagnostics *notes, struct asim_err *err)
{
    uint64_t rate = UINT64_MAX, delay = 0;
    uint32_t last = dim->topology == ASIM_NET_RING ? 2 : dim->npus;

    for (uint32_t i = 1; i < last; i++) {
        struct asim_pair pair;

        if (pair_of(&pair, route, (struct asim_host_pair){0, i * stride}, err))
            return ASIM_EINVAL;
        rate = pair.rate_bps < rate ? pair.rate_bps : rate;
        delay = pair.delay_ns > delay ? pair.delay_ns : delay;
    }
    if (dim->topology == ASIM_NET_SWITCH)
        rate = limit_rate(rate, asim_route_topo(route), &(struct group){stride, dim->npus}, notes);
    dim->bandwidth_gbps = (double)rate / 8 / (double)(1u << 30);
    dim->latency_ns = (double)delay / (dim->topology == ASIM_NET_SWITCH ? 2 : 1);
    return 0;
}

/* The dimensions are those of the logical topology, innermost first. */
int asim_shape_from_topo(struct asim_netshape *shape, struct asim_route *route,
                         const struct asim_dims *dims, const struct asim_diagnostics *notes,
                         struct asim_err *err)
{
    uint32_t stride = 1;

    memset(shape, 0, sizeof *shape);
    for (size_t d = 0; d < dims->n; d++) {
        struct asim_netdim *dim = &shape->at[shape->n];

        if (dims->at[d] < 2)
            return asim_err_set(err, ASIM_EINVAL,
                                "logical dimension %zu has one rank only, which no analytical "
                                "network can have; leave it out of the logical topology",
                                d);
        dim->npus = dims->at[d];
        dim->topology = topology_of(route, &(struct group){stride, dim->npus}, notes, err);
        if (dim->topology < 0 || measure(dim, route, stride, notes, err))
            return ASIM_EINVAL;
        shape->n++;
        stride *= dim->npus;
    }
    return 0;
}
