/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bursts (flow.md#bursts): messages that fit into their windows, beside background traffic. No
 * queue slows their senders. A NIC shares them out by rates as other messages; then a burst goes
 * from queue to queue, first come, first served: its first packet and its end each leave a link
 * when what stood there as they came has left, and what is between comes to the next link evenly.
 *
 * Costs: two events a link, neither of which looks at another message.
 */
#include "net/flow/bursts.h"

/* From when its first packet, or its end, leaves a link until it can leave the next one. */
static double latency(const struct asim_fluid_flow *flow, const struct asim_fluid_link *link)
{
    return link->packet_ns * asim_fluid_min(1, flow->shape.packets) + link->delay_ns;
}

/* A message of one packet comes to a link at once. */
static int is_packet(const struct asim_fluid_flow *flow)
{
    return flow->shape.packets <= 1;
}

static double left_of(const struct asim_fluid *fluid, const struct asim_fluid_pulse *pulse)
{
    return pulse->left - pulse->rate * (double)(fluid->queue.now_ns - pulse->at_ns);
}

static void pace(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t h, double rate)
{
    struct asim_fluid_pulse *pulse = &flow->burst->pulse[h];

    asim_fluid_bring(fluid, flow->path->link[h], rate - pulse->rate, 0, 0);
    *pulse = (struct asim_fluid_pulse){rate, left_of(fluid, pulse), fluid->queue.now_ns};
}

static void plan_front(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double ns)
{
    struct asim_fluid_burst *burst = flow->burst;

    burst->front_ns = asim_fluid_after(fluid, ns, &burst->front_due);
    burst->is_front_due = 1;
}

static void plan_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double ns)
{
    asim_fluid_after(fluid, ns, &flow->burst->end_due);
    flow->burst->is_end_due = 1;
}

/* NICs send a packet of each message in turn, so of messages that begin together each ends a packet
 * behind the one before, not all at the end of the last round. */
void asim_fluid_take_round(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_link *nic = &fluid->link[flow->path->link[0]];
    struct asim_fluid_round *round = &nic->round;
    double share;

    if (!round->joining) /* it goes on after a link has changed */
        return;
    if (!round->turn)
        round->all = nic->flows.n + round->joining;
    share = (double)round->all / round->joining;
    round->packets += share / (round->all - round->turn);
    if (asim_fluid_is_burst(fluid, flow))
        flow->left += asim_fluid_min(1, flow->left) * (round->packets - 1);
    if (++round->turn == round->joining)
        *round = (struct asim_fluid_round){0};
}

int asim_fluid_begin_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_burst *burst = asim_pool_take(&fluid->burst_pool);

    if (!burst)
        return fluid->failed = ASIM_ENOMEM;
    flow->burst = burst;
    burst->front_due = (struct asim_due){.kind = ASIM_FLUID_FRONT, .rank = flow->id};
    burst->end_due = (struct asim_due){.kind = ASIM_FLUID_END, .rank = flow->id};
    burst->is_front_due = burst->is_end_due = 0;
    burst->front = burst->end = 1;
    burst->passed_ns = burst->front_ns = 0;
    if (flow->path->n > 1 && !is_packet(flow))
        plan_front(fluid, flow, latency(flow, &fluid->link[flow->path->link[0]]));
    return 0;
}

/* Its end comes to link h in so many ns, and what is left of it until then evenly. */
static void pace_to(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t h, double ns)
{
    struct asim_fluid_burst *burst = flow->burst;

    for (; h < burst->front; h++) {
        const struct asim_fluid_link *link = &fluid->link[flow->path->link[h]];
        double left = asim_fluid_max(0, left_of(fluid, &burst->pulse[h]));

        pace(fluid, flow, h, left / asim_fluid_max(1, ns));
        ns += asim_fluid_wait(fluid, link) + latency(flow, link);
    }
    ns += (double)fluid->queue.now_ns - burst->front_ns;
    burst->front_rate = flow->shape.packets / asim_fluid_max(1, ns);
}

void asim_fluid_pace_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    pace_to(fluid, flow, 1,
            flow->left / flow->rate + latency(flow, &fluid->link[flow->path->link[0]]));
}

static void pass_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double wait)
{
    struct asim_fluid_burst *burst = flow->burst;

    if (burst->end < flow->path->n) {
        double ns = latency(flow, &fluid->link[flow->path->link[burst->end - 1]]);

        burst->passed_ns += ns;
        wait += ns;
        pace_to(fluid, flow, burst->end, wait);
    }
    plan_end(fluid, flow, wait);
}

void asim_fluid_end_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    pass_end(fluid, flow, 0);
}

void asim_fluid_burst_front(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_burst *burst = flow->burst;
    uint32_t h = burst->front, l = flow->path->link[h];
    const struct asim_fluid_link *link = &fluid->link[l];
    double rate = burst->front_rate, wait, ns;

    burst->is_front_due = 0;
    burst->pulse[h] = (struct asim_fluid_pulse){rate, flow->shape.packets, fluid->queue.now_ns};
    asim_fluid_bring(fluid, l, rate, 0, flow->shape.packets);
    if (++burst->front == flow->path->n)
        return;
    wait = asim_fluid_wait(fluid, link);
    ns = flow->shape.packets / rate; /* until its end comes, which finds another wait */
    ns += asim_fluid_max(0, link->slope * ns);
    burst->front_rate = flow->shape.packets / asim_fluid_max(1, ns);
    plan_front(fluid, flow, wait + latency(flow, link));
}

int asim_fluid_burst_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_burst *burst = flow->burst;
    uint32_t h = burst->end, l = flow->path->link[h];
    struct asim_fluid_pulse *pulse = &burst->pulse[h];
    double wait;

    burst->is_end_due = 0;
    if (h == flow->path->n)
        return 1;
    if (is_packet(flow)) {
        wait = asim_fluid_wait(fluid, &fluid->link[l]);
        asim_fluid_bring(fluid, l, 0, flow->shape.packets, 0);
    } else if (burst->front > h) {
        asim_fluid_bring(fluid, l, -pulse->rate, left_of(fluid, pulse), -flow->shape.packets);
        wait = asim_fluid_wait(fluid, &fluid->link[l]);
    } else { /* times are whole ns */
        plan_end(fluid, flow, 1);
        return 0;
    }
    burst->end++;
    pass_end(fluid, flow, wait);
    return 0;
}
