/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Background traffic at the flow level (rdma-network.md#background-traffic): the flows that hosts
 * draw in packets, at the same times, of the same sizes, by the same ports. Each has a queue pair
 * of its own.
 */
#include "net/flow/rings.h"

#include <stdlib.h>

/* One generator at one host. */
struct source {
    struct asim_traffic_source draws;
    struct asim_due due;
    uint32_t index;
};

struct asim_fluid_traffic {
    const struct asim_net_traffics *what;
    uint64_t look_at;
    int is_stopped;
    struct source at[];
};

static void arm(struct asim_fluid *fluid, struct source *source)
{
    const struct asim_net_traffic *what = &fluid->traffic->what->at[source->index];

    if (asim_traffic_source_advance(what, &source->draws) &&
        source->draws.next_ns < (double)ASIM_NS_MOST)
        asim_fluid_add(fluid, (uint64_t)source->draws.next_ns, &source->due);
}

int asim_fluid_add_traffic(struct asim_net *net, const struct asim_net_traffics *traffics,
                           struct asim_err *err)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    struct asim_fluid_traffic *traffic;
    uint32_t n = 0;

    for (size_t i = 0; i < traffics->n; i++)
        n += traffics->at[i].n;
    fluid->traffic = traffic = calloc(1, sizeof *traffic + n * sizeof *traffic->at);
    fluid->traffic_use = calloc(traffics->n, sizeof *fluid->traffic_use);
    if (!traffic || !fluid->traffic_use)
        return asim_err_nomem(err, "preparing background traffic");
    traffic->what = traffics;
    fluid->has_traffic = 1;
    n = 0;
    for (uint32_t i = 0; i < traffics->n; i++)
        for (uint32_t p = 0; p < traffics->at[i].n; p++, n++) {
            traffic->at[n].index = i;
            traffic->at[n].draws.place = p;
            traffic->at[n].due = (struct asim_due){.kind = ASIM_FLUID_TRAFFIC, .rank = n};
            asim_traffic_source_begin(&traffics->at[i], &traffic->at[n].draws);
            arm(fluid, &traffic->at[n]);
        }
    return fluid->failed ? asim_err_nomem(err, "preparing background traffic") : 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* A flow of a rank that drains, or has drained. */
static int has_moving_flow(const struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->flow.n; i++) {
        const struct asim_fluid_flow *flow = fluid->flow.at[i];

        if (flow && !flow->is_through && !asim_msg_is_traffic(&flow->msg) && !flow->is_parked &&
            (!flow->path || flow->is_drained || flow->is_sent || flow->conn->is_single ||
             flow->conn->head == flow))
            return 1;
    }
    return 0;
}

static int has_due(const struct asim_time_bucket *bucket)
{
    for (const struct asim_due *due = bucket->head; due; due = due->next)
        if (due->kind <= ASIM_FLUID_RELAY || due->kind >= ASIM_FLUID_EVENT)
            return 1;
    return 0;
}

/* Whether a rank may go on: a message moves, a time is waited for, or a link changes. */
static int may_go_on(const struct asim_fluid *fluid)
{
    const struct asim_due_queue *queue = &fluid->queue;

    if (has_moving_flow(fluid) || (queue->current && has_due(queue->current)))
        return 1;
    for (size_t i = 0; i < queue->buckets.n; i++)
        if (has_due((const void *)(uintptr_t)queue->buckets.at[i].value))
            return 1;
    return 0;
}

void asim_fluid_traffic_due(struct asim_fluid *fluid, uint32_t number)
{
    const uint64_t look_ns = 100000; /* as in packets */
    struct asim_fluid_traffic *traffic = fluid->traffic;
    struct source *source = &traffic->at[number];
    struct asim_msg msg;
    uint16_t sport;

    if (!traffic->is_stopped && fluid->queue.now_ns >= traffic->look_at) {
        traffic->look_at = fluid->queue.now_ns + look_ns;
        traffic->is_stopped = fluid->user.done(fluid->user.self) || !may_go_on(fluid);
    }
    if (traffic->is_stopped)
        return;
    sport = asim_traffic_source_flow(&traffic->what->at[source->index], &source->draws,
                                     source->index, &msg);
    asim_traffic_use_begin(&fluid->traffic_use[source->index], msg.bytes);
    if (asim_fluid_send_traffic(fluid, &msg, sport))
        fluid->failed = ASIM_ENOMEM;
    arm(fluid, source);
}

void asim_fluid_traffic_through(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    asim_traffic_use_finish(&fluid->traffic_use[asim_msg_generator(&flow->msg)], flow->msg.bytes,
                            fluid->queue.now_ns - flow->start_ns, asim_fluid_ideal_ns(flow));
    asim_fluid_release(fluid, flow);
}
