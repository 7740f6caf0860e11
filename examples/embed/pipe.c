/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run over a network of its own: every message takes LATENCY_NS and its bytes at BYTES_PER_NS, as
 * if it were alone.
 *
 *     cc pipe.c -o pipe $(pkg-config --cflags --libs asim)
 *     ./pipe ../workloads/all_reduce_2r_1MiB/all_reduce
 */
#include "alone.h"

enum { LATENCY_NS = 500, BYTES_PER_NS = 25 };

static int pipe_send(struct asim_net *net, const struct asim_msg *msg)
{
    return add(net, LATENCY_NS + msg->bytes / BYTES_PER_NS, 0, msg);
}

int main(int argc, char **argv)
{
    static const struct asim_net_backend pipe = {
        .member = {.name = "pipe", .about = "latency and bandwidth"},
        .size = sizeof pipe,
        .traits = ASIM_NET_LATE_RECEIVE_NOW,
        .open = alone_open,
        .now = alone_now,
        .wake_after = alone_wake_after,
        .send = pipe_send,
        .run = alone_run,
        .close = alone_close,
    };

    return run_over(&pipe, argc, argv);
}
