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

enum { LATENCY_NS = 500, BYTES_PER_NS = 25 };

struct event { /* a wake of a rank, or the arrival of a message */
    struct event *next;
    uint64_t time_ns;
    int is_wake;
    struct asim_msg msg;
};
struct asim_net {
    uint64_t now_ns;
    struct event *first; /* in order of time; at equal times in order of asking */
    struct asim_net_user world;
};

static int add(struct asim_net *net, uint64_t delay_ns, int is_wake, const struct asim_msg *msg)
{
    struct event *event = malloc(sizeof *event), **at = &net->first;

    if (!event)
        return ASIM_ENOMEM;
    *event = (struct event){NULL, net->now_ns + delay_ns, is_wake, *msg};
    while (*at && (*at)->time_ns <= event->time_ns)
        at = &(*at)->next;
    event->next = *at;
    *at = event;
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
    (void)rank; /* one clock for all */
    return net->now_ns;
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
    struct event *event;

    (void)err; /* nothing here can fail */
    while (!net->world.done(net->world.self) && (event = net->first)) {
        net->first = event->next;
        net->now_ns = event->time_ns;
        if (event->is_wake) {
            net->world.wake(net->world.self, event->msg.src);
        } else {
            net->world.sent(net->world.self, &event->msg);
            net->world.arrived(net->world.self, &event->msg);
        }
        free(event);
    }
    return 0;
}

static void pipe_close(struct asim_net *net)
{
    for (struct event *event = net->first, *next; event; event = next) {
        next = event->next;
        free(event);
    }
    free(net);
}

static const struct asim_net_backend pipe_backend = {
    .member = {.name = "pipe", .about = "latency and bandwidth"},
    .size = sizeof pipe_backend,
    .traits = ASIM_NET_LATE_RECEIVE_NOW,
    .open = pipe_open,
    .now = pipe_now,
    .wake_after = pipe_wake_after,
    .send = pipe_send,
    .run = pipe_run,
    .close = pipe_close};

int main(int argc, char **argv)
{
    struct asim_err err = {0};
    struct asim_settings settings;
    struct asim_world *world = NULL;
    int code = asim_settings_init(&settings, sizeof settings, &err);

    settings.backend = &pipe_backend;
    if (!code)
        code = asim_settings_set(&settings, "workload", argc > 1 ? argv[1] : "", &err);
    if (!code)
        code = asim_world_open(&world, &settings, NULL, &err);
    if (!code)
        code = asim_world_run(world, &err);
    for (uint32_t rank = 0; !code && rank < asim_world_ranks(world); rank++)
        printf("rank %u finished at %llu ns\n", rank,
               (unsigned long long)asim_world_cycles(world, rank));
    if (code)
        fprintf(stderr, "pipe: %s\n", err.text);
    asim_world_close(world);
    asim_settings_fini(&settings);
    return code != 0;
}
