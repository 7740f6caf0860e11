/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion-unaware: every message takes hops x latency + bytes / bandwidth, as if it were alone
 * (analytical.md#congestion-unaware-in-one-dimension and
 * analytical.md#congestion-unaware-in-several-dimensions; one truncation of the sum).
 *
 * parity: in several dimensions only the lowest one in which the two ranks differ is charged, as
 * in ASTRA-sim. A message to oneself, at which ASTRA-sim ends, takes no time.
 *
 * No state beside the shared base. A message is one flight and one event; memory follows the
 * messages in flight.
 */
#include "net/analytical.h"

#include <stdlib.h>

/* The base has all there is. */
static void unaware_step(struct asim_analytical *base, struct asim_due *due)
{
    asim_analytical_deliver(base, (struct asim_flight *)(void *)due);
}

/* Rings are bidirectional, so the shorter way; a switch is two hops
 * (analytical.md#congestion-unaware-in-one-dimension). */
static inline uint32_t hops_of(const struct asim_netdim *dim, uint32_t from, uint32_t to)
{
    uint32_t there;

    if (dim->topology == ASIM_NET_FULLY_CONNECTED)
        return 1;
    if (dim->topology == ASIM_NET_SWITCH)
        return 2;
    there = to > from ? to - from : dim->npus - (from - to);
    return there < dim->npus - there ? there : dim->npus - there;
}

/* Local addresses: rank = a0 + d0 x (a1 + d1 x …). The last dimension has the quotient. */
static uint64_t delay_over_dims(const struct asim_analytical *base, const struct asim_msg *msg)
{
    uint32_t from = msg->src, to = msg->dst;
    size_t last = base->shape.n - 1;

    for (size_t d = 0; d <= last && from != to; d++) {
        const struct asim_netdim *dim = &base->shape.at[d];
        uint32_t a = d == last ? from : from % dim->npus, b = d == last ? to : to % dim->npus;

        if (a != b)
            return asim_ns_whole(hops_of(dim, a, b) * dim->latency_ns +
                                 (double)msg->bytes / base->ns_bytes[d]);
        from /= dim->npus;
        to /= dim->npus;
    }
    return 0;
}

/* One dimension, the usual case: equal size and hops as the last message take equal time. */
static inline uint64_t delay_of(struct asim_analytical *base, const struct asim_msg *msg)
{
    uint32_t hops;

    if (base->shape.n > 1 || msg->src == msg->dst)
        return delay_over_dims(base, msg);
    hops = hops_of(base->shape.at, msg->src, msg->dst);
    if (msg->bytes != base->last_bytes || hops != base->last_key) {
        base->last_bytes = msg->bytes;
        base->last_key = hops;
        base->last_ns = delay_over_dims(base, msg);
    }
    return base->last_ns;
}

static int unaware_send(struct asim_net *net, const struct asim_msg *msg)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;
    struct asim_flight *flight = asim_analytical_flight(base, msg);

    if (!flight)
        return ASIM_ENOMEM;
    asim_analytical_after(base, delay_of(base, msg), &flight->due);
    return 0;
}

static struct asim_msg_train *unaware_train_open(struct asim_net *net, const struct asim_msg *first)
{
    struct asim_flight *flight = (void *)asim_analytical_train_open(net, first);

    if (flight)
        flight->way.ns = delay_of((struct asim_analytical *)(void *)net, first);
    return (struct asim_msg_train *)(void *)flight;
}

static void unaware_train_send(struct asim_net *net, struct asim_msg_train *row)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;
    struct asim_flight *flight = (struct asim_flight *)(void *)row;

    if (flight->due.rank != ASIM_TRAIN_IDLE) {
        asim_analytical_send_apart(base, flight);
        return;
    }
    flight->due.rank = ASIM_TRAIN_IN_FLIGHT;
    flight->msg.id = flight->next_id++;
    asim_analytical_after(base, flight->way.ns, &flight->due);
}

static int unaware_open(struct asim_net **net, const struct asim_net_config *config,
                        struct asim_err *err)
{
    struct asim_analytical *base = calloc(1, sizeof *base);

    if (!base)
        return asim_err_nomem(err, "opening the analytical network");
    asim_analytical_init(base, config);
    base->step = unaware_step;
    base->send = unaware_send;
    *net = (struct asim_net *)(void *)base;
    return 0;
}

static void unaware_close(struct asim_net *net)
{
    asim_analytical_fini((struct asim_analytical *)(void *)net);
    free(net);
}

const struct asim_net_backend asim_net_backend_unaware = {
    .member = {.name = "unaware", .about = "latency and bandwidth, every message as if alone"},
    .open = unaware_open,
    .now = asim_analytical_now,
    .wake_after = asim_analytical_wake_after,
    .traits = ASIM_NET_MEET_BY_SIZE,
    .defer_receive = asim_analytical_defer_receive,
    .send = unaware_send,
    .train_open = unaware_train_open,
    .train_send = unaware_train_send,
    .train_close = asim_analytical_train_close,
    .run = asim_analytical_run,
    .close = unaware_close,
    .extras = &asim_analytical_extras,
};
