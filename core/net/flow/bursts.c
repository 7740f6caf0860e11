/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bursts (flow.md#bursts): messages that fit into their windows, pieces of others, and all beside
 * background traffic. A NIC shares them out by rates as other messages; then a burst goes
 * from queue to queue, first come, first served: its first packet and its end each leave a link
 * when what stood there as they came has left, and what is between comes to the next link evenly.
 *
 * Costs: two events a link, neither of which looks at another message.
 */
#include "net/flow/bursts.h"

/* From when its first packet, or its end, leaves a link until it can leave the next one. */
static double latency(const struct asim_fluid_burst *burst, const struct asim_fluid_link *link)
{
    return link->packet_ns * asim_fluid_min(1, burst->packets) + link->delay_ns;
}

static const struct asim_fluid_link *link_of(const struct asim_fluid *fluid,
                                             const struct asim_fluid_burst *burst, uint32_t h)
{
    return &fluid->link[burst->path->link[h]];
}

/* What has one packet comes to a link at once. */
static int is_packet(const struct asim_fluid_burst *burst)
{
    return burst->packets <= 1;
}

static double left_of(const struct asim_fluid *fluid, const struct asim_fluid_pulse *pulse)
{
    return pulse->left - pulse->rate * (double)(fluid->queue.now_ns - pulse->at_ns);
}

static void pace(struct asim_fluid *fluid, struct asim_fluid_burst *burst, uint32_t h, double rate)
{
    struct asim_fluid_pulse *pulse = &burst->pulse[h];

    asim_fluid_bring(fluid, burst->path->link[h], rate - pulse->rate, 0, 0);
    *pulse = (struct asim_fluid_pulse){rate, left_of(fluid, pulse), fluid->queue.now_ns};
}

static void plan_front(struct asim_fluid *fluid, struct asim_fluid_burst *burst, double ns)
{
    burst->front_ns = (double)asim_fluid_after(fluid, ns, &burst->front_due);
    burst->is_front_due = 1;
}

static void plan_end(struct asim_fluid *fluid, struct asim_fluid_burst *burst, double ns)
{
    asim_fluid_after(fluid, ns, &burst->end_due);
    burst->is_end_due = 1;
}

void asim_fluid_forget_burst(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    struct asim_fluid_flow *flow = burst->flow;

    if (burst->is_front_due || burst->is_end_due || !burst->is_sent)
        return;
    if (flow->burst == burst)
        flow->burst = NULL;
    asim_pool_give(&fluid->burst_pool, burst);
    flow->n_bursts--;
    asim_fluid_release(fluid, flow);
}

/* --- at its NIC ------------------------------------------------------------------------------ */

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
        round->all = (uint32_t)nic->flows.n + round->joining;
    share = (double)round->all / round->joining;
    round->packets += share / (round->all - round->turn);
    if (!flow->train)
        flow->rounded = asim_fluid_min(1, flow->left) * (round->packets - 1);
    if (++round->turn == round->joining)
        *round = (struct asim_fluid_round){0};
}

int asim_fluid_begin_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_burst *burst = asim_pool_take(&fluid->burst_pool);

    if (!burst)
        return fluid->failed = ASIM_ENOMEM;
    flow->burst = burst;
    flow->n_bursts++;
    *burst = (struct asim_fluid_burst){.front_due.kind = ASIM_FLUID_FRONT,
                                       .end_due.kind = ASIM_FLUID_END,
                                       .front = 1,
                                       .end = 1,
                                       .number = flow->train ? flow->train->begun - 1 : 0,
                                       .packets = flow->left,
                                       .flow = flow,
                                       .path = flow->path};
    flow->left += flow->rounded;
    if (!is_packet(burst) && (flow->path->n > 1 || flow->train))
        plan_front(fluid, burst, latency(burst, link_of(fluid, burst, 0)));
    return 0;
}

/* Its end comes to link h in so many ns, and what is left of it until then evenly. */
static void pace_to(struct asim_fluid *fluid, struct asim_fluid_burst *burst, uint32_t h, double ns)
{
    for (; h < burst->front && h < burst->path->n; h++) {
        double left = asim_fluid_max(0, left_of(fluid, &burst->pulse[h]));

        pace(fluid, burst, h, left / asim_fluid_max(1, ns));
        ns += asim_fluid_wait(fluid, link_of(fluid, burst, h)) +
              latency(burst, link_of(fluid, burst, h));
    }
    ns += (double)fluid->queue.now_ns - burst->front_ns;
    if (burst->front <= burst->path->n)
        burst->front_rate = burst->packets / asim_fluid_max(1, ns);
}

void asim_fluid_pace_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    double left = flow->left - flow->rounded;

    /* Its last packet comes at its turn, those before come evenly. */
    left = left > 1 ? left : flow->left;
    pace_to(fluid, flow->burst, 1,
            left / flow->rate + latency(flow->burst, link_of(fluid, flow->burst, 0)));
}

static void pass_end(struct asim_fluid *fluid, struct asim_fluid_burst *burst, double wait)
{
    if (burst->end < burst->path->n) {
        double ns = latency(burst, link_of(fluid, burst, burst->end - 1U));

        burst->passed_ns += ns;
        wait += ns;
        pace_to(fluid, burst, burst->end, wait);
    }
    plan_end(fluid, burst, wait);
}

void asim_fluid_end_burst(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    const struct asim_fluid_train *train = burst->flow->train;

    burst->is_sent = 1;
    burst->is_last = !train || !(train->unsent > 0);
    pass_end(fluid, burst, 0);
}

void asim_fluid_cut_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_burst *burst = flow->burst;
    double least = is_packet(burst) ? 0 : 1.001; /* it stays what it is */
    double sent =
        asim_fluid_max(least, burst->packets - asim_fluid_max(0, flow->left - flow->rounded));

    for (uint32_t h = burst->end; h < burst->front && h < burst->path->n; h++)
        burst->pulse[h].left += sent - burst->packets;
    burst->packets = sent;
    flow->burst = NULL;
    flow->rounded = 0;
    burst->is_sent = 1;
    burst->is_last = 0;
    pass_end(fluid, burst, 0);
}

/* --- from queue to queue --------------------------------------------------------------------- */

/* Of a piece: its first ACK comes to the next link; 1: it is back. */
static int pass_first_ack(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    uint32_t hop = burst->front - (uint32_t)burst->path->n;

    if (!hop)
        burst->came_ns = (double)fluid->queue.now_ns;
    if (hop >= burst->path->n_acks)
        return 1;
    burst->front++;
    plan_front(fluid, burst, asim_fluid_pass_ack(fluid, burst->path, hop, burst->packets));
    return 0;
}

/* The queue that it comes to tells its controller something. */
static void tell_control(struct asim_fluid *fluid, const struct asim_fluid_burst *burst,
                         const struct asim_fluid_link *link)
{
    struct asim_fluid_flow *flow = burst->flow;

    if (fluid->cc && flow->train && !flow->control && !flow->is_sent &&
        asim_fluid_is_told(fluid, link))
        asim_fluid_begin_control(fluid, flow);
}

int asim_fluid_burst_front(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    uint32_t h = burst->front, l;
    const struct asim_fluid_link *link;
    double rate = burst->front_rate, ns;

    burst->is_front_due = 0;
    if (burst->flow->is_through) /* nobody waits for it, and its path may be gone */
        return 0;
    if (h >= burst->path->n)
        return pass_first_ack(fluid, burst);
    l = burst->path->link[h];
    link = &fluid->link[l];
    burst->pulse[h] = (struct asim_fluid_pulse){rate, burst->packets, fluid->queue.now_ns};
    asim_fluid_bring(fluid, l, rate, 0, 1);
    tell_control(fluid, burst, link);
    if (++burst->front == burst->path->n && !burst->flow->train)
        return 0;
    ns = burst->packets / rate; /* until its end comes, which finds another wait */
    ns += asim_fluid_max(0, link->slope * ns);
    burst->front_rate = burst->packets / asim_fluid_max(1, ns);
    plan_front(fluid, burst, asim_fluid_wait(fluid, link) + latency(burst, link));
    return 0;
}

enum asim_burst_came asim_fluid_burst_end(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    uint32_t h = burst->end, l = burst->path->link[h];
    struct asim_fluid_pulse *pulse = &burst->pulse[h];
    double wait;

    burst->is_end_due = 0;
    if (h == burst->path->n) {
        if (burst->flow->train && is_packet(burst)) {
            burst->front = burst->end;
            plan_front(fluid, burst, link_of(fluid, burst, h - 1)->delay_ns);
        }
        return burst->is_last ? ASIM_BURST_LAST : ASIM_BURST_PIECE;
    }
    if (is_packet(burst)) {
        wait = asim_fluid_wait(fluid, &fluid->link[l]);
        asim_fluid_bring(fluid, l, 0, burst->packets, 0);
    } else if (burst->front > h) {
        asim_fluid_bring(fluid, l, -pulse->rate, left_of(fluid, pulse), -1);
        wait = asim_fluid_wait(fluid, &fluid->link[l]);
    } else { /* times are whole ns */
        plan_end(fluid, burst, 1);
        return ASIM_BURST_NOT;
    }
    tell_control(fluid, burst, &fluid->link[l]);
    burst->end++;
    pass_end(fluid, burst, wait);
    return ASIM_BURST_NOT;
}
