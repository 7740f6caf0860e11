/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run over a network of its own that uses the topology and the routes of the run: every message
 * follows its route, with the delays of all links on it and the rate of the slowest one, as if it
 * were alone. Messages between two hosts take the equal-cost paths in turn.
 *
 *     cc slowest_link.c -o slowest_link $(pkg-config --cflags --libs asim)
 *     ./slowest_link ../workloads/all_reduce_2r_1MiB/all_reduce auto:leaf_spine
 */
#include "alone.h"
#include <asim/topology.h>

enum { FS_PER_NS = 1000000 };

/* Rank r is host r. Hosts and switches have a list of ports to each destination. */
static int slowest_send(struct asim_net *net, const struct asim_msg *msg)
{
    uint64_t delay_fs = 0, rate_bps = UINT64_MAX;
    uint32_t node = msg->src, n;

    while (node != msg->dst) {
        const uint32_t *ports = asim_route_ports(net->routes, node, msg->dst, &n);
        const struct asim_port_ref *port;
        const struct asim_link *link;

        if (!n)
            return ASIM_ENOMEM; /* the world sends no message without a path */
        port = &net->topo->ports[net->topo->first_port[node] + ports[msg->id % n] - 1];
        link = &net->topo->links[port->link];
        delay_fs += link->delay_fs;
        rate_bps = link->rate_bps < rate_bps ? link->rate_bps : rate_bps;
        node = port->peer;
    }
    return add(net, delay_fs / FS_PER_NS + (uint64_t)((double)msg->bytes * 8e9 / (double)rate_bps),
               0, msg);
}

int main(int argc, char **argv)
{
    static const struct asim_net_backend slowest = {
        .member = {.name = "slowest_link", .about = "the rate of the slowest link of the route"},
        .size = sizeof slowest,
        .traits = ASIM_NET_LATE_RECEIVE_NOW | ASIM_NET_OVER_TOPOLOGY,
        .open = alone_open,
        .now = alone_now,
        .wake_after = alone_wake_after,
        .send = slowest_send,
        .run = alone_run,
        .close = alone_close,
    };

    return run_over(&slowest, argc, argv);
}
