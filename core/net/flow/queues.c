/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Queues of switches under windows (flow.md#queues). A flow has a window in the network, so it
 * arrives at window / (round trip + waits of its queues); the wait of a full link moves, by what
 * arrives beyond its capacity, to where the windows use that up (J. Mo and J. Walrand, Fair
 * End-to-End Window-Based Congestion Control, IEEE/ACM Transactions on Networking 8(5), 2000).
 * Bursts, in place of flows, come at rates of their own (flow.md#bursts).
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

/* In so many ns. */
double asim_fluid_wait_in(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                          double ns)
{
    double after = ns + (double)(fluid->queue.now_ns - link->wait_at), moved = link->slope * after;
    double wait = link->slope > 0   ? asim_fluid_min(link->wait_ns + moved, link->target_ns)
                  : link->slope < 0 ? asim_fluid_max(link->wait_ns + moved, link->target_ns)
                                    : link->wait_ns;

    return asim_fluid_max(0, wait);
}

/* What comes to a link with this wait, and how that falls as the wait grows. */
static double arrivals(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                       double wait, double *slope)
{
    double sum = link->burst_rate, falls = 0;

    for (uint32_t i = 0; i < link->flows.n; i++) {
        const struct asim_fluid_limit *limit = &fluid->limits.at[i];
        double rate = asim_fluid_arrival(link->flows.at[i].flow, limit, wait);

        if (rate < limit->rate)
            falls += limit->before * rate / (limit->span_ns + wait);
        sum += limit->before * rate;
    }
    *slope = falls;
    return sum;
}

static const double close = 1e-4; /* arrivals to the capacity */

/* Newton's method on 1 / arrivals, which is nearly linear in the wait, between bounds. */
static double find_target(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                          double capacity)
{
    enum { STEPS = 40 };
    const double most = 1e9, far = 1000;
    double low = 0, high = most, wait = asim_fluid_max(1, link->target_ns);

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
        next = slope > 0 ? wait + sum * (sum - capacity) / (capacity * slope) : 2 * low + far;
        wait = next > low && next < high ? next : asim_fluid_min(2 * low + far, (low + high) / 2);
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

/* Who waits for less than a frame finds one in service, and no queue. */
static double bytes_of(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                       double wait)
{
    return wait < link->packet_ns ? 0 : wait / link->packet_ns * (fluid->payload + fluid->overhead);
}

double asim_fluid_queue_bytes(const struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    return bytes_of(fluid, link, asim_fluid_wait(fluid, link));
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
    double now, chance, ns = (double)(fluid->queue.now_ns - link->wait_at);

    if (link->wait_ns <= 0 && link->slope <= 0)
        return;
    if (link->slope < 0) /* until it is empty */
        ns = asim_fluid_min(ns, link->wait_ns / -link->slope);
    now = asim_fluid_queue_bytes(fluid, link);
    chance = asim_fluid_mark_chance(link, now) +
             asim_fluid_mark_chance(link, bytes_of(fluid, link, link->wait_ns));
    link->marks += chance / 2 * ns / link->step_ns;
    link->peak_bytes = asim_fluid_max(link->peak_bytes, now);
    if (now > 0 || chance > 0)
        link->queued_ns = fluid->queue.now_ns;
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
    link->slope = (link->arrive + link->burst_rate) / capacity - 1;
    link->target_ns = link->slope > 0 ? ASIM_FLUID_NONE : 0;
    if (!bursts && packets < 1)
        return;
    if (link->flows.n)
        asim_fluid_stir(fluid, l, 0);
    if (link->ack_flows.n)
        asim_fluid_tell_wait(fluid, link);
}

void asim_fluid_move_queue(struct asim_fluid *fluid, struct asim_fluid_link *link, double capacity)
{
    /* A queue that drains gives more than arrives; in a circle of links that would multiply. */
    const double soon_ns = 100, nearly = 1.002, most_share = 2;
    double wait = asim_fluid_wait(fluid, link), slope, sum = arrivals(fluid, link, wait, &slope);

    asim_fluid_count_queue(fluid, link);
    link->wait_at = fluid->queue.now_ns;
    link->slope = 0;
    if (sum > capacity * nearly || wait > 0) {
        double target =
                   sum > capacity * nearly || wait > 1 ? find_target(fluid, link, capacity) : 0,
               ns;

        link->target_ns = target < 1 ? 0 : target;
        link->slope = sum / capacity - 1;
        if (fabs(link->slope) < close)
            link->target_ns = wait;
        ns = (link->target_ns - wait) / link->slope;
        if (!(ns > soon_ns)) {
            wait = link->target_ns;
            sum = arrivals(fluid, link, wait, &slope);
            link->slope = 0;
        } else if (!link->is_planned) {
            asim_fluid_plan(fluid, link, ns);
        }
    } else {
        link->target_ns = 0;
    }
    link->wait_ns = wait;
    link->arrive = sum - link->burst_rate;
    link->share = wait > 0 || link->slope > 0 ? asim_fluid_min(most_share, capacity / sum) : 1;
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

void asim_fluid_drain_queue(struct asim_fluid *fluid, uint32_t l)
{
    struct asim_fluid_link *link = &fluid->link[l];

    link->share = 1;
    if (link->wait_ns <= 0 && link->slope <= 0)
        return;
    asim_fluid_bring(fluid, l, 0, 0, 0);
    asim_fluid_tell_wait(fluid, link);
}

/* A flow comes to a link or leaves it: how long ACKs wait for its frames depends on whether it has
 * none, one or more. */
void asim_fluid_tell_frames(struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    if (fluid->parts & ASIM_FLUID_ACK_WAIT && link->flows.n <= 2)
        tell_acks(fluid, link, ASIM_ACKS_LOAD);
}
