/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway network over the topology: a message takes the delays of its route, and its bytes at
 * the rate of the slowest link.
 */
#include <stdlib.h>
#include "asim/topology.h"
#include "net/analytical.h"

struct slowest {
    struct asim_analytical base; /* first */
    const struct asim_topo *topo;
    struct asim_route *routes;
};

static void step(struct asim_analytical *base, struct asim_due *due)
{
    asim_analytical_deliver(base, (struct asim_flight *)(void *)due);
}

static int carry(struct asim_net *net, const struct asim_msg *msg)
{
    struct slowest *slowest = (struct slowest *)(void *)net;
    struct asim_flight *flight = asim_analytical_flight(&slowest->base, msg);
    double ns = 0, rate_bps = 1e18;
    uint32_t n, node = msg->src;

    if (!flight)
        return ASIM_ENOMEM;
    while (node != msg->dst) {
        const uint32_t *ports = asim_route_ports(slowest->routes, node, msg->dst, &n);
        const struct asim_port_ref *port;
        const struct asim_link *link;

        if (!n)
            return ASIM_ENOMEM;
        port = &slowest->topo->ports[slowest->topo->first_port[node] + ports[0] - 1];
        link = &slowest->topo->links[port->link];
        ns += (double)link->delay_fs / 1e6;
        rate_bps = (double)link->rate_bps < rate_bps ? (double)link->rate_bps : rate_bps;
        node = port->peer;
    }
    ns += (double)msg->bytes * 8e9 / rate_bps;
    asim_analytical_after(&slowest->base, asim_ns_whole(ns), &flight->due);
    return 0;
}

static int open_slowest(struct asim_net **net, const struct asim_net_config *config,
                        struct asim_err *err)
{
    struct slowest *slowest = calloc(1, sizeof *slowest);

    if (!slowest)
        return asim_err_nomem(err, "opening the network");
    asim_analytical_init(&slowest->base, config);
    slowest->base.step = step;
    slowest->base.send = carry;
    slowest->topo = config->topo;
    slowest->routes = config->routes;
    *net = (struct asim_net *)(void *)slowest;
    return 0;
}

static void close_slowest(struct asim_net *net)
{
    asim_analytical_fini((struct asim_analytical *)(void *)net);
    free(net);
}

const struct asim_net_backend asim_net_backend_slowest = {
    .member = {.name = "slowest", .about = "the rate of the slowest link of the route"},
    .open = open_slowest,
    .now = asim_analytical_now,
    .wake_after = asim_analytical_wake_after,
    .traits = ASIM_NET_MEET_BY_SIZE | ASIM_NET_OVER_TOPOLOGY,
    .defer_receive = asim_analytical_defer_receive,
    .send = carry,
    .run = asim_analytical_run,
    .close = close_slowest,
    .extras = &asim_analytical_extras,
};
