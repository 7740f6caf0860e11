/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What pipe.c and slowest_link.c share: a network in which every message travels as if it were
 * alone, but for the time that a message takes. Its events stand in order of asking: wakes of
 * ranks, arrivals of messages.
 */
#ifndef EMBED_ALONE_H
#define EMBED_ALONE_H

#include <asim/asim.h>
#include <asim/net.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 4096 };

struct asim_net {
    struct asim_net_user world;
    const struct asim_topo *topo; /* both the world's; NULL without ASIM_NET_OVER_TOPOLOGY */
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

static int alone_open(struct asim_net **net, const struct asim_net_config *config,
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

static uint64_t alone_now(const struct asim_net *net, uint32_t rank)
{
    return (void)rank, net->now_ns; /* one clock for all */
}

static int alone_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    return add(net, delay_ns, 1, &(struct asim_msg){.src = rank});
}

static int alone_run(struct asim_net *net, struct asim_err *err)
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

static void alone_close(struct asim_net *net)
{
    free(net);
}

/* Runs the workload argv[1] over the backend and prints when each rank ends; with
 * ASIM_NET_OVER_TOPOLOGY argv[2] is the topology. The exit code of main. */
static int run_over(const struct asim_net_backend *backend, int argc, char **argv)
{
    struct asim_err err = {0};
    struct asim_settings settings;
    struct asim_world *world = NULL;
    int code = asim_settings_init(&settings, sizeof settings, &err);

    settings.backend = backend;
    if (!code)
        code = asim_settings_set(&settings, "workload", argc > 1 ? argv[1] : "", &err);
    if (!code && argc > 2 && backend->traits & ASIM_NET_OVER_TOPOLOGY)
        code = asim_settings_set(&settings, "topology", argv[2], &err);
    if (!code)
        code = asim_world_open(&world, &settings, NULL, &err);
    if (!code)
        code = asim_world_run(world, &err);
    if (code)
        fprintf(stderr, "%s: %s\n", backend->member.name, err.text);
    for (uint32_t rank = 0; !code && rank < asim_world_ranks(world); rank++)
        printf("rank %u finished at %llu ns\n", rank,
               (unsigned long long)asim_world_cycles(world, rank));
    asim_world_close(world);
    asim_settings_fini(&settings);
    return code ? 1 : 0;
}

#endif
