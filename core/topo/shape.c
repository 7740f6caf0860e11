/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See shape.h. A dimension is looked at through the members of rank 0's group in it. Where each
 * has a link to the next, it is a Ring, or FullyConnected if there is one to the second next too;
 * else it is a Switch, whatever stands between. The least rate and the longest way of rank 0 to
 * the others count: bandwidth = rate / 8 (in 2^30 bytes/s), latency = propagation delay, halved
 * for the two hops of a Switch. Headers, queues and shared uplinks are what the packet level adds.
 */
#include "topo/shape.h"

#include <string.h>
#include "topo/pair.h"

static const uint32_t any_payload = 1000; /* the pair's round trip is not used */

/* Two ranks that cannot reach each other have no delay to derive a network from. */
static int pair_of(struct asim_pair *pair, struct asim_route *route, const uint32_t hosts[2],
                   struct asim_err *err)
{
    int code = asim_pair_get(pair, route, hosts, any_payload, err);

    if (!code && !pair->hops)
        code = asim_err_set(err, ASIM_EINVAL, "rank %u cannot reach rank %u over this topology",
                            hosts[0], hosts[1]);
    return code;
}

/* 1 if every member has a link to the one `step` places on; negative with err. */
static int linked(struct asim_route *route, const uint32_t stride_n[2], uint32_t step,
                  struct asim_err *err)
{
    uint32_t n = stride_n[1];

    for (uint32_t i = 0; i < n; i++) {
        struct asim_pair pair;
        uint32_t hosts[2] = {i * stride_n[0], (i + step) % n * stride_n[0]};

        if (pair_of(&pair, route, hosts, err))
            return ASIM_EINVAL;
        if (pair.hops != 1)
            return 0;
    }
    return 1;
}

/* Three members in a ring are all linked to each other: a Ring, the simpler of the two. */
static int kind_of(struct asim_route *route, const uint32_t stride_n[2], struct asim_err *err)
{
    int next = linked(route, stride_n, 1, err), second;

    if (next <= 0)
        return next ? next : ASIM_NET_SWITCH;
    second = stride_n[1] > 3 ? linked(route, stride_n, 2, err) : 0;
    if (second < 0)
        return second;
    return second ? ASIM_NET_FULLY_CONNECTED : ASIM_NET_RING;
}

/* Of a ring only the next member counts: others are reached through it, which the model adds up. */
static int measure(struct asim_netdim *dim, struct asim_route *route, uint32_t stride,
                   struct asim_err *err)
{
    uint64_t rate = UINT64_MAX, delay = 0;
    uint32_t last = dim->topology == ASIM_NET_RING ? 2 : dim->npus;

    for (uint32_t i = 1; i < last; i++) {
        struct asim_pair pair;

        if (pair_of(&pair, route, (const uint32_t[2]){0, i * stride}, err))
            return ASIM_EINVAL;
        rate = pair.rate_bps < rate ? pair.rate_bps : rate;
        delay = pair.delay_ns > delay ? pair.delay_ns : delay;
    }
    dim->bandwidth_gbps = (double)rate / 8 / (double)(1u << 30);
    dim->latency_ns = (double)delay / (dim->topology == ASIM_NET_SWITCH ? 2 : 1);
    return 0;
}

/* Dimensions are taken as the logical topology has them, innermost first; all are tried at rank 0.
 */
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
        dim->topology = kind_of(route, (const uint32_t[2]){stride, dim->npus}, err);
        if (dim->topology < 0 || measure(dim, route, stride, err))
            return ASIM_EINVAL;
        shape->n++;
        stride *= dim->npus;
    }
    return 0;
}
