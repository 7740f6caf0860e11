/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See shape.h. Looks at each dimension through the members of rank 0's group. If each has a link to
 * the next member, the dimension is a Ring, and FullyConnected if each also has a link to the
 * second next; else it is a Switch. bandwidth = lowest rate from rank 0 to the others / 8 (in units
 * of 2^30 bytes/s); latency = longest propagation delay, halved for the two hops of a Switch. The
 * analytical network has no headers, queues or shared uplinks.
 */
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

/* A ring of three members is fully connected; it counts as a Ring. */
static int topology_of(struct asim_route *route, const struct group *group, struct asim_err *err)
{
    int next = linked(route, group, 1, err), second;

    if (next <= 0)
        return next ? next : ASIM_NET_SWITCH;
    second = group->n > 3 ? linked(route, group, 2, err) : 0;
    if (second < 0)
        return second;
    return second ? ASIM_NET_FULLY_CONNECTED : ASIM_NET_RING;
}

/* In a ring only the next member counts: the model adds up hops to the others. */
static int measure(struct asim_netdim *dim, struct asim_route *route, uint32_t stride,
                   struct asim_err *err)
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
    dim->bandwidth_gbps = (double)rate / 8 / (double)(1u << 30);
    dim->latency_ns = (double)delay / (dim->topology == ASIM_NET_SWITCH ? 2 : 1);
    return 0;
}

/* The dimensions are those of the logical topology, innermost first. */
int asim_shape_from_topo(struct asim_netshape *shape, struct asim_route *route,
                         const struct asim_dims *dims, struct asim_err *err)
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
        dim->topology = topology_of(route, &(struct group){stride, dim->npus}, err);
        if (dim->topology < 0 || measure(dim, route, stride, err))
            return ASIM_EINVAL;
        shape->n++;
        stride *= dim->npus;
    }
    return 0;
}
