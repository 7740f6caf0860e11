/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Queues of switches under windows (flow.md#queues). A flow has a window in the network, so it
 * arrives at window / (round trip + waits of its queues); a full link serves flows as they arrive,
 * and its wait moves, by what arrives beyond its capacity, to where the windows use that up (J. Mo
 * and J. Walrand, Fair End-to-End Window-Based Congestion Control, IEEE/ACM Transactions on
 * Networking 8(5), 2000).
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

void asim_fluid_stir(struct asim_fluid *fluid, uint32_t l, double ns)
{
    if (!fluid->link[l].is_stirred || fluid->link[l].flows.n < ASIM_FLUID_MANY)
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

    if (link->flows.n < ASIM_FLUID_MANY || fluid->has_bursts)
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

/* Of the flows of a link at a wait. */
static double arrivals(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                       double wait, double *slope)
{
    const double *limit = fluid->limits.at, *span = limit + link->flows.n,
                 *before = span + link->flows.n;
    double sum = 0;

    *slope = 0;
    for (uint32_t i = 0; i < link->flows.n; i++) {
        const struct asim_fluid_shape *shape = &link->flows.at[i].flow->shape;
        double rate = shape->window / (span[i] + wait);

        if (rate < limit[i])
            *slope += before[i] * rate / (span[i] + wait);
        sum += before[i] * asim_fluid_min(rate, limit[i]);
    }
    return sum;
}

/* Whether the end of a burst waits in the queue of this link. */
static int stands(const struct asim_fluid_place *place)
{
    return place->hop && place->flow->hop == place->hop;
}

/* What windowed messages have left and bursts are to bring, in ns of the link. */
static double left_of(const struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    double packets = 0;

    for (uint32_t i = 0; i < link->flows.n; i++) {
        const struct asim_fluid_flow *flow = link->flows.at[i].flow;

        if (asim_fluid_is_burst(fluid, flow))
            packets += stands(&link->flows.at[i]) ? 0 : flow->shape.packets;
        else
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

/* Of what arrives now, that of bursts. */
static double bursts_of(const struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    const double *limit = fluid->limits.at, *before = limit + 2 * (size_t)link->flows.n;
    double sum = 0;

    for (uint32_t i = 0; i < link->flows.n; i++)
        if (asim_fluid_is_burst(fluid, link->flows.at[i].flow))
            sum += before[i] * limit[i];
    return sum;
}

/* Of a queue that is so long now, what is of bursts. */
static double part_of(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                      double wait)
{
    double ns = (double)(fluid->queue.now_ns - link->wait_at), mean = (link->wait_ns + wait) / 2;
    double comes = link->all_in > 0 ? link->burst_in / link->all_in : link->burst_part;

    if (mean <= 0 || link->wait_ns <= 0)
        return comes;
    return comes + (link->burst_part - comes) * exp(-link->all_in * ns / mean);
}

/* The wait now, of which it finds what part is of bursts; left: what windowed messages have left
 * and bursts are to bring, in ns of the link. */
static double stand(const struct asim_fluid *fluid, struct asim_fluid_link *link, double left)
{
    double wait = asim_fluid_wait(fluid, link), bursts;

    if (!fluid->has_bursts)
        return wait;
    link->burst_part = part_of(fluid, link, wait);
    bursts = link->burst_part * wait;
    wait = asim_fluid_min(wait, bursts + left);
    if (wait > 0)
        link->burst_part = asim_fluid_min(1, bursts / wait);
    return wait;
}

/* Shares what the link serves between bursts and others as they stand in its queue, or, where there
 * is none, as they come; sum: what arrives. */
static void split(struct asim_fluid *fluid, struct asim_fluid_link *link, double capacity,
                  double sum)
{
    const double most_share = 1000, soon = 0.5, much = 0.1;
    double bursts = bursts_of(fluid, link), comes = sum > 0 ? bursts / sum : link->burst_part;

    link->all_in = sum / capacity;
    link->burst_in = bursts / capacity;
    if (link->wait_ns <= 0)
        link->burst_part = comes;
    if (link->share < 1 || link->wait_ns > 0) {
        double rest = sum - bursts;

        link->share =
            rest > 0 ? asim_fluid_min(most_share, capacity * (1 - link->burst_part) / rest) : 1;
        link->burst_share =
            bursts > 0 ? asim_fluid_min(1, capacity * link->burst_part / bursts) : 1;
        if (rest > 0 && fabs(comes - link->burst_part) > much && !link->is_planned)
            asim_fluid_plan(fluid, link, link->wait_ns / link->all_in * soon + 1);
    } else {
        link->burst_share = 1;
    }
}

void asim_fluid_move_queue(struct asim_fluid *fluid, struct asim_fluid_link *link, double capacity)
{
    /* A queue that drains gives more than arrives; in a circle of links that would multiply. */
    const double soon_ns = 100, nearly = 1.002, most_share = 1000;
    double left = fluid->has_bursts ? left_of(fluid, link) : 0, wait = stand(fluid, link, left),
           slope, sum = arrivals(fluid, link, wait, &slope), ns;

    asim_fluid_count_queue(fluid, link);
    link->wait_at = fluid->queue.now_ns;
    link->share = 1;
    link->slope = link->target_ns = 0;
    if (sum > capacity * nearly || wait > 0) {
        left = fluid->has_bursts ? left + link->burst_part * wait : left_of(fluid, link);
        link->left_ns = left;

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
    if (fluid->has_bursts)
        split(fluid, link, capacity, sum);
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
    link->share = link->burst_share = 1;
    link->was_full = 0;
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

/* From now on, at its rate; one that has begun in this ns has none yet. */
static double lasts(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const uint64_t now = fluid->queue.now_ns;

    if (flow->began_ns == now)
        return flow->shape.packets / flow->path->line;
    return flow->end_ns > now ? (double)(flow->end_ns - now) : 0;
}

/* Of the flows of the link that began last the one that lasts longest; NULL: there is none. The
 * order in which those of one ns came to the link must not matter. */
static const struct asim_fluid_flow *newest_of(const struct asim_fluid *fluid,
                                               const struct asim_fluid_link *link)
{
    const struct asim_fluid_flow *newest = NULL;

    for (uint32_t i = link->flows.n; i-- > 0;) {
        const struct asim_fluid_flow *flow = link->flows.at[i].flow;

        if (!newest || flow->began_ns > newest->began_ns ||
            (flow->began_ns == newest->began_ns && lasts(fluid, flow) > lasts(fluid, newest)))
            newest = flow;
    }
    return newest;
}

/* Whether data is on the link in so many ns: the newest flow, and those behind it in its queue
 * pair, mostly end last. The order of what drains and begins in this ns must not matter. */
static int is_busy_in(const struct asim_fluid *fluid, const struct asim_fluid_link *link, double ns)
{
    const struct asim_fluid_flow *flow = newest_of(fluid, link);

    ns -= flow ? lasts(fluid, flow) : 0;
    while (flow && ns >= 0 && (flow = flow->next))
        ns -= flow->shape.packets / flow->path->line;
    return ns < 0;
}

double asim_fluid_late(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    double late = -flow->lead_ns;

    if (!(fluid->parts & ASIM_FLUID_ACK_WAIT))
        return late;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];
        double ns = asim_fluid_max(0, flow->shape.forward_ns + late);

        late += asim_fluid_wait_in(fluid, link, fluid->has_bursts ? 0 : ns);
        if (is_busy_in(fluid, link, ns))
            late += link->packet_ns / 2;
    }
    return late + flow->behind_ns;
}

/* Whether an ACK comes always at the same phase of the frames of a link, whose data is one message
 * like its own that began with it. Behind a queue it does not. */
static int is_locked(const struct asim_fluid_flow *flow, const struct asim_fluid_link *link)
{
    const struct asim_fluid_flow *other = link->flows.n == 1 ? link->flows.at[0].flow : NULL;

    return other && other->began_ns == flow->began_ns && link->wait_ns <= 0 &&
           other->shape.bytes == flow->shape.bytes && other->path->line == flow->path->line;
}

/* The same as fmod of two positive numbers, in less time: where the quotient is below 2^53,
 * rounding is at most one off, and fma leaves the rest without an error. */
static double rest_of(double x, double y)
{
    double rest = fma(-floor(x / y), y, x);

    return rest < 0 ? rest + y : rest < y ? rest : rest - y;
}

/* How long an ACK that comes in at_ns waits for the frame in service of the only message of a link,
 * which sends one each step_ns. */
static double in_service(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                         double at_ns, double step_ns)
{
    const struct asim_fluid_place *only = link->flows.at;
    double phase = at_ns + (double)(fluid->queue.now_ns - only->flow->began_ns);

    for (uint32_t i = 0; i < only->hop; i++) {
        const struct asim_fluid_link *before = &fluid->link[only->flow->path->link[i]];

        phase -= before->packet_ns + before->delay_ns;
    }
    return asim_fluid_max(0, link->packet_ns - rest_of(asim_fluid_max(0, phase), step_ns));
}

double asim_fluid_ack_waits(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                            int is_first)
{
    const struct asim_fluid_path *path = flow->path;
    double at = 0, waits = 0;
    uint32_t locked = 0; /* bits of the links of ACKs */
    int is_free = 1;

    for (uint32_t i = 0; i < path->n_acks; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[path->n + i]];

        locked |= (uint32_t)is_locked(flow, link) << i;
        waits += link->flows.n ? link->packet_ns / 2 : 0;
    }
    if (!locked) /* the phase does not matter */
        return waits;
    waits = 0;
    at = (double)flow->began_ns - (double)fluid->queue.now_ns;
    for (uint32_t i = 0; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        at += link->packet_ns + link->delay_ns;
        is_free &= link->wait_ns <= 0;
    }
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];
        double step_ns = link->packet_ns + (is_first ? 0 : link->ack_ns), ns = 0;

        if (is_free && locked >> (i - path->n) & 1)
            ns = in_service(fluid, link, at, step_ns);
        else if (link->flows.n)
            ns = link->packet_ns / 2;
        waits += ns;
        at += ns + link->ack_ns + link->delay_ns;
    }
    return waits;
}

double asim_fluid_first_window(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    double window = flow->shape.window, done = flow->shape.packets - flow->left;
    double after = (double)(fluid->queue.now_ns - flow->began_ns);
    double back = path->rtt_ns + asim_fluid_ack_waits(fluid, flow, 1);
    double burst = flow->rate / (1 + flow->rate * fluid->link[path->link[0]].ack_ns);
    double rate =
        asim_fluid_min(burst, window / (path->rtt_ns + asim_fluid_ack_waits(fluid, flow, 0)));
    double last = fmod(flow->shape.packets, window); /* of its last window, which does not wait */

    if (back * flow->rate <= window)
        return 0;
    return done + (back - after) * rate - window - last * (1 - rate / burst);
}
