/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Queues of switches under windows (flow.md#queues). A flow has a window in the network, so it
 * arrives at window / (round trip + waits of its queues); a full link serves flows as they arrive,
 * and its wait moves, by what arrives beyond its capacity, to where the windows use that up (J. Mo
 * and J. Walrand, Fair End-to-End Window-Based Congestion Control, IEEE/ACM Transactions on
 * Networking 8(5), 2000). Bursts, in place of flows, come at rates of their own (flow.md#bursts).
 */
#include "net/flow/bursts.h"

#include <math.h>

static void push(struct asim_fluid *fluid, uint32_t l, enum asim_fluid_dirty dirty, double ns)
{
    struct asim_fluid_link *link = &fluid->link[l];

    link->soon_ns = link->is_dirty ? asim_fluid_min(ns, link->soon_ns) : ns;
    if (!link->is_dirty)
        asim_index_set_add(&fluid->work, link->order);
    if (!link->is_dirty || dirty < link->is_dirty)
        link->is_dirty = (uint8_t)dirty;
}

void asim_fluid_mark(struct asim_fluid *fluid, uint32_t l)
{
    push(fluid, l, ASIM_FLUID_NOW, ASIM_FLUID_NONE);
}

/* Its visits wait for each other. */
static int are_put_off(const struct asim_fluid_link *link)
{
    return link->flows.n >= ASIM_FLUID_MANY;
}

void asim_fluid_stir(struct asim_fluid *fluid, uint32_t l, double ns)
{
    if (!fluid->link[l].is_stirred || !are_put_off(&fluid->link[l]))
        push(fluid, l, ASIM_FLUID_SOON, ns);
}

void asim_fluid_mark_acks(struct asim_fluid *fluid, uint32_t l, double ns)
{
    push(fluid, l, ASIM_FLUID_IF_ACKS, ns);
}

void asim_fluid_mark_like(struct asim_fluid *fluid, uint32_t l, const struct asim_fluid_link *other)
{
    if (other->is_dirty)
        push(fluid, l, other->is_dirty, other->soon_ns);
}

int asim_fluid_is_put_off(struct asim_fluid *fluid, uint32_t l)
{
    struct asim_fluid_link *link = &fluid->link[l];
    double moment_ns;

    if (!are_put_off(link))
        return 0;
    moment_ns = asim_fluid_moment(link->soon_ns);
    if (!(moment_ns >= 1))
        return 0;
    if (!link->is_stirred) {
        link->is_stirred = 1;
        link->stir = (struct asim_due){.kind = ASIM_FLUID_STIR, .rank = l};
        asim_fluid_after(fluid, moment_ns, &link->stir);
    }
    return 1;
}

/* In so many ns. What messages have left bounds it. */
double asim_fluid_wait_in(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                          double ns)
{
    double after = ns + (double)(fluid->queue.now_ns - link->wait_at), moved = link->slope * after;
    double wait = link->slope > 0   ? asim_fluid_min(link->wait_ns + moved, link->target_ns)
                  : link->slope < 0 ? asim_fluid_max(link->wait_ns + moved, link->target_ns)
                                    : link->wait_ns;

    return wait > 0 ? asim_fluid_max(0, asim_fluid_min(wait, link->left_ns - after)) : 0;
}

double asim_fluid_rest_wait(const struct asim_fluid_link *link, double wait)
{
    return link->has_rest ? wait : 0;
}

/* Where queues have all that their messages have left, a flow has no more in them, its rate times
 * their waits, than it has left. */
double asim_fluid_arrival(const struct asim_fluid_link *link, const struct asim_fluid_flow *flow,
                          const struct asim_fluid_limit *limit, double wait)
{
    double rate = asim_fluid_min(limit->rate, flow->shape.window / (limit->span_ns + wait));
    double rest_ns = asim_fluid_rest_wait(link, wait);

    if (rest_ns <= 0)
        return rate;
    return asim_fluid_min(rate, limit->left / (limit->rest_ns + rest_ns));
}

/* Of the flows of a link at a wait. */
static double arrivals(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                       double wait, double *slope)
{
    double sum = 0, falls = 0;

    for (uint32_t i = 0; i < link->flows.n; i++) {
        const struct asim_fluid_limit *limit = &fluid->limits.at[i];
        double rate = asim_fluid_arrival(link, link->flows.at[i].flow, limit, wait);

        if (rate < limit->rate)
            falls += limit->before * rate / (limit->span_ns + wait);
        sum += limit->before * rate;
    }
    *slope = falls;
    return sum;
}

/* What its messages have left, in ns of the link. */
static double left_of(const struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    double packets = 0;

    for (uint32_t i = 0; i < link->flows.n; i++) {
        const struct asim_fluid_flow *flow = link->flows.at[i].flow;

        packets += flow->left - flow->rate * (double)(fluid->queue.now_ns - flow->left_at);
    }
    return packets * link->step_ns;
}

/* Newton's method on 1 / arrivals, which is nearly linear in the wait, between bounds. */
static double find_target(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                          double capacity, double most)
{
    enum { STEPS = 40 };
    const double close = 1e-4;
    double low = 0, high = most,
           wait = asim_fluid_min(most, link->target_ns > 0 ? link->target_ns : 1);

    for (int i = 0; i < STEPS; i++) {
        double slope, sum = arrivals(fluid, link, wait, &slope), next;

        if (fabs(sum - capacity) < close * capacity)
            break;
        if (sum > capacity)
            low = wait;
        else
            high = wait;
        if (high - low < 1)
            break;
        next = slope > 0 ? wait + sum * (sum - capacity) / (capacity * slope) : most;
        wait = next > low && next < high ? next : (low + high) / 2;
    }
    return wait;
}

void asim_fluid_plan(struct asim_fluid *fluid, struct asim_fluid_link *link, double ns)
{
    double at_ns;

    ns = asim_fluid_min(ns, ASIM_FLUID_MOST_NS);
    at_ns = ns + (double)fluid->queue.now_ns;

    if (link->is_planned && link->refresh_ns > at_ns)
        asim_fluid_mark(fluid, (uint32_t)(link - fluid->link));
    if (link->is_planned)
        return;
    link->is_planned = 1;
    link->refresh_ns = at_ns;
    link->refresh =
        (struct asim_due){.kind = ASIM_FLUID_REFRESH, .rank = (uint32_t)(link - fluid->link)};
    asim_fluid_after(fluid, ns, &link->refresh);
}

double asim_fluid_queue_bytes(const struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    return asim_fluid_wait(fluid, link) / link->packet_ns * (fluid->payload + fluid->overhead);
}

double asim_fluid_mark_chance(const struct asim_fluid_link *link, double bytes)
{
    if (bytes <= link->kmin_bytes || link->kmax_bytes < 0)
        return 0;
    return bytes > link->kmax_bytes
               ? 1
               : link->pmax * (bytes - link->kmin_bytes) / (link->kmax_bytes - link->kmin_bytes);
}

void asim_fluid_count_queue(const struct asim_fluid *fluid, struct asim_fluid_link *link)
{
    double now, per_ns, chance;

    if (link->wait_ns <= 0 && link->slope <= 0)
        return;
    now = asim_fluid_queue_bytes(fluid, link);
    per_ns = (fluid->payload + fluid->overhead) / link->packet_ns;
    chance =
        asim_fluid_mark_chance(link, now) + asim_fluid_mark_chance(link, link->wait_ns * per_ns);
    link->marks += chance / 2 * (double)(fluid->queue.now_ns - link->wait_at) / link->step_ns;
    link->peak_bytes = asim_fluid_max(link->peak_bytes, now);
}

void asim_fluid_bring(struct asim_fluid *fluid, uint32_t l, double rate, double packets, int bursts)
{
    struct asim_fluid_link *link = &fluid->link[l];
    double capacity = asim_fluid_capacity(link), wait = asim_fluid_wait(fluid, link);

    asim_fluid_count_queue(fluid, link);
    link->wait_ns = asim_fluid_max(0, wait + packets / capacity);
    link->wait_at = fluid->queue.now_ns;
    link->bursts += bursts;
    link->burst_rate = link->bursts ? link->burst_rate + rate : 0;
    link->slope = link->burst_rate / capacity - 1;
    link->target_ns = link->slope > 0 ? ASIM_FLUID_NONE : 0;
    link->left_ns = ASIM_FLUID_NONE;
}

void asim_fluid_move_queue(struct asim_fluid *fluid, struct asim_fluid_link *link, double capacity)
{
    /* A queue that drains gives more than arrives; in a circle of links that would multiply. */
    const double soon_ns = 100, nearly = 1.002, most_share = 1000;
    const double nearly_all = 0.9;
    double wait = asim_fluid_wait(fluid, link), slope, sum, ns;
    double left = wait > 0 ? left_of(fluid, link) : 0;

    link->has_rest = wait > 0 && wait > nearly_all * left && link->flows.n >= ASIM_FLUID_MANY;
    sum = arrivals(fluid, link, wait, &slope);
    asim_fluid_count_queue(fluid, link);
    link->wait_at = fluid->queue.now_ns;
    link->share = 1;
    link->slope = link->target_ns = 0;
    if (sum > capacity * nearly || wait > 0) {
        link->left_ns = left = wait > 0 ? left : left_of(fluid, link);

        link->target_ns =
            sum > capacity * nearly || wait > 1 ? find_target(fluid, link, capacity, left) : 0;
        if (link->target_ns < 1)
            link->target_ns = 0;
        link->slope = sum / capacity - 1;
        ns = (link->target_ns - wait) / link->slope;
        if (!(ns > soon_ns)) {
            wait = link->target_ns;
            sum = arrivals(fluid, link, wait, &slope);
            link->slope = 0;
        } else if (!link->is_planned) {
            asim_fluid_plan(fluid, link, ns);
        }
        if (sum > capacity || wait > 0) {
            link->share = asim_fluid_min(most_share, capacity / sum);
            link->was_full = 1;
        }
    }
    link->wait_ns = wait;
    asim_fluid_count_queue(fluid, link);
}

/* Slows or speeds the flows whose ACKs wait here; state: their least. */
static void tell_acks(struct asim_fluid *fluid, const struct asim_fluid_link *link,
                      enum asim_fluid_acks state)
{
    for (uint32_t i = 0; i < link->ack_flows.n; i++) {
        struct asim_fluid_flow *flow = link->ack_flows.at[i].flow;

        flow->back_until = 0;
        if (flow->shape.is_windowed && flow->acks >= state)
            asim_fluid_stir(fluid, flow->path->link[0], flow->shape.packets / flow->rate);
    }
}

/* Tells of a wait that has moved. */
void asim_fluid_tell_wait(struct asim_fluid *fluid, struct asim_fluid_link *link)
{
    const double least = 0.05;

    if (!(fluid->parts & ASIM_FLUID_ACK_WAIT) ||
        fabs(link->wait_ns - link->told_ns) <= least * link->told_ns + link->packet_ns)
        return;
    link->told_ns = link->wait_ns;
    tell_acks(fluid, link, ASIM_ACKS_NONE);
}

void asim_fluid_empty(struct asim_fluid *fluid, struct asim_fluid_link *link)
{
    asim_fluid_count_queue(fluid, link);
    link->wait_ns = 0;
    link->wait_at = fluid->queue.now_ns;
    link->slope = link->target_ns = 0;
    link->share = 1;
    link->was_full = link->has_rest = 0;
    asim_fluid_tell_wait(fluid, link);
}

void asim_fluid_empty_left(struct asim_fluid *fluid)
{
    while (fluid->left.n) {
        struct asim_fluid_link *link = &fluid->link[ASIM_VEC_POP(fluid->left)];

        if (!link->flows.n && link->kept_at != fluid->queue.now_ns)
            asim_fluid_empty(fluid, link);
    }
}

/* A flow comes to a link or leaves it: how long ACKs wait for its frames depends on whether it has
 * none, one or more. */
void asim_fluid_tell_frames(struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    if (fluid->parts & ASIM_FLUID_ACK_WAIT && link->flows.n <= 2)
        tell_acks(fluid, link, ASIM_ACKS_LOAD);
}
