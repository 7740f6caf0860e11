/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run over a network of its own: every message takes LATENCY_NS and its bytes at BYTES_PER_NS, as
 * if it were alone.
 *
 *     cc pipe.c -o pipe $(pkg-config --cflags --libs asim)
 *     ./pipe ../workloads/all_reduce_2r_1MiB/all_reduce
 */
#include <asim/asim.h>
#include <asim/net.h>
#include <stdio.h>
#include <stdlib.h>

enum { LATENCY_NS = 500, BYTES_PER_NS = 25, EVENTS = 4096 };

struct asim_net { /* its events in order of asking: wakes of ranks, arrivals of messages */
    struct asim_net_user world;
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

static int pipe_open(struct asim_net **net, const struct asim_net_config *config,
                     struct asim_err *err)
{
    *net = calloc(1, sizeof **net);
    if (!*net)
        return asim_err_nomem(err, "opening the pipe");
    (*net)->world = config->user;
    return 0;
}

static uint64_t pipe_now(const struct asim_net *net, uint32_t rank)
{
    return (void)rank, net->now_ns; /* one clock for all */
}

static int pipe_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    return add(net, delay_ns, 1, &(struct asim_msg){.src = rank});
}

static int pipe_send(struct asim_net *net, const struct asim_msg *msg)
{
    return add(net, LATENCY_NS + msg->bytes / BYTES_PER_NS, 0, msg);
}

static int pipe_run(struct asim_net *net, struct asim_err *err)
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

static void pipe_close(struct asim_net *net)
{
    free(net);
}

int main(int argc, char **argv)
{
    static const struct asim_net_backend pipe = {
        .member = {.name = "pipe", .about = "latency and bandwidth"},
        .size = sizeof pipe,
        .traits = ASIM_NET_LATE_RECEIVE_NOW,
        .open = pipe_open,
        .now = pipe_now,
        .wake_after = pipe_wake_after,
        .send = pipe_send,
        .run = pipe_run,
        .close = pipe_close,
    };
    struct asim_err err = {0};
    struct asim_settings settings;
    struct asim_world *world = NULL;
    int code = asim_settings_init(&settings, sizeof settings, &err);

    settings.backend = &pipe;
    if (!code)
        code = asim_settings_set(&settings, "workload", argc > 1 ? argv[1] : "", &err);
    if (!code)
        code = asim_world_open(&world, &settings, NULL, &err);
    if (!code)
        code = asim_world_run(world, &err);
    if (code)
        fprintf(stderr, "pipe: %s\n", err.text);
    for (uint32_t rank = 0; !code && rank < asim_world_ranks(world); rank++)
        printf("rank %u finished at %llu ns\n", rank,
               (unsigned long long)asim_world_cycles(world, rank));
    asim_world_close(world);
    asim_settings_fini(&settings);
    return code ? 1 : 0;
}
