/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run over a network of its own that uses the topology and the routes of the run: every message
 * follows its route, with the delays of all links on it and the rate of the slowest one, as if it
 * were alone. Messages between two hosts take the equal-cost paths in turn.
 *
 *     cc slowest_link.c -o slowest_link $(pkg-config --cflags --libs asim)
 *     ./slowest_link ../workloads/all_reduce_2r_1MiB/all_reduce auto:leaf_spine
 */
#include <asim/asim.h>
#include <asim/net.h>
#include <asim/topology.h>
#include <stdio.h>
#include <stdlib.h>

enum { FS_PER_NS = 1000000, EVENTS = 4096 };

struct asim_net { /* its events in order of asking: wakes of ranks, arrivals of messages */
    struct asim_net_user world;
    const struct asim_topo *topo; /* both the world's */
    struct asim_route *routes;
    uint64_t now_ns;
    size_t n;
    struct event {
        uint64_t time_ns;
        int is_wake;
        struct asim_msg msg;
    } at[EVENTS];
};

static int add(struct asim_net *net, uint64_t delay_ns, int is_wake, const struct asim_msg *msg)
{
    if (net->n == EVENTS)
        return ASIM_ENOMEM;
    net->at[net->n++] = (struct event){net->now_ns + delay_ns, is_wake, *msg};
    return 0;
}

static int slowest_open(struct asim_net **net, const struct asim_net_config *config,
                        struct asim_err *err)
{
    *net = calloc(1, sizeof **net);
    if (!*net)
        return asim_err_nomem(err, "opening the network");
    (*net)->world = config->user;
    (*net)->topo = config->topo;
    (*net)->routes = config->routes;
    return 0;
}

static uint64_t slowest_now(const struct asim_net *net, uint32_t rank)
{
    return (void)rank, net->now_ns; /* one clock for all */
}

static int slowest_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    return add(net, delay_ns, 1, &(struct asim_msg){.src = rank});
}

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

static int slowest_run(struct asim_net *net, struct asim_err *err)
{
    (void)err; /* nothing here can fail */
    while (net->n && !net->world.done(net->world.self)) {
        struct event first = net->at[0];
        size_t at = 0;

        for (size_t i = 1; i < net->n; i++) /* of equal times the one asked for first */
            if (net->at[i].time_ns < first.time_ns)
                first = net->at[at = i];
        for (net->n--; at < net->n; at++)
            net->at[at] = net->at[at + 1];
        net->now_ns = first.time_ns;
        if (first.is_wake) {
            net->world.wake(net->world.self, first.msg.src);
        } else {
            net->world.sent(net->world.self, &first.msg);
            net->world.arrived(net->world.self, &first.msg);
        }
    }
    return 0;
}

static void slowest_close(struct asim_net *net)
{
    free(net);
}

int main(int argc, char **argv)
{
    static const struct asim_net_backend slowest = {
        .member = {.name = "slowest_link", .about = "the rate of the slowest link of the route"},
        .size = sizeof slowest,
        .traits = ASIM_NET_LATE_RECEIVE_NOW | ASIM_NET_OVER_TOPOLOGY,
        .open = slowest_open,
        .now = slowest_now,
        .wake_after = slowest_wake_after,
        .send = slowest_send,
        .run = slowest_run,
        .close = slowest_close,
    };
    struct asim_err err = {0};
    struct asim_settings settings;
    struct asim_world *world = NULL;
    int code = asim_settings_init(&settings, sizeof settings, &err);

    settings.backend = &slowest;
    if (!code)
        code = asim_settings_set(&settings, "workload", argc > 1 ? argv[1] : "", &err);
    if (!code && argc > 2)
        code = asim_settings_set(&settings, "topology", argv[2], &err);
    if (!code)
        code = asim_world_open(&world, &settings, NULL, &err);
    if (!code)
        code = asim_world_run(world, &err);
    if (code)
        fprintf(stderr, "slowest_link: %s\n", err.text);
    for (uint32_t rank = 0; !code && rank < asim_world_ranks(world); rank++)
        printf("rank %u finished at %llu ns\n", rank,
               (unsigned long long)asim_world_cycles(world, rank));
    asim_world_close(world);
    asim_settings_fini(&settings);
    return code ? 1 : 0;
}
