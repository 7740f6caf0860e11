/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rates of flows (flow.md#rates). A link shares its capacity max-min fairly: a flow gets the least
 * of the levels of its links (Bertsekas and Gallager, Data Networks, 6.5.2), found by local water
 * filling from the links that have changed until nothing moves by more than a thousandth. At queues
 * of switches, windows share in place of levels (queues.c).
 *
 * Costs: a visit of a link looks at all of its flows. A flow alone on its links needs no visit.
 */
#include "net/flow/flow.h"

#include <math.h>
#include <stdlib.h>

/* One flow more or less among many moves a level by little, and looking at all of them costs as
 * much as among few: the change of a rate that is let go by grows with the number of flows. */
static double tolerance_of(const struct asim_fluid_link *link)
{
    const double least = 1e-3, most = 2e-2, per_flow = 5e-4;
    const uint32_t few = 8;

    return link->data.n <= few ? least : fmin(most, least + per_flow * (link->data.n - few));
}

static void mark(struct asim_fluid *fluid, uint32_t l)
{
    uint32_t room = fluid->work.room;

    if (fluid->link[l].is_dirty)
        return;
    fluid->link[l].is_dirty = 1;
    fluid->work.at[(fluid->work.first + fluid->work.n++) % room] = l; /* room: all links */
}

static int is_saturated(const struct asim_fluid_link *link)
{
    return link->is_queue ? link->wait_ns > 0 : link->level < ASIM_FLUID_NONE;
}

/* The level up to which the capacity fills the limits of all flows; ASIM_FLUID_NONE: they do not
 * use it up. */
static double water(struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    double capacity = asim_fluid_capacity(link), left = capacity, sum = 0, level;
    uint32_t rest = link->data.n, before;
    double *limit = fluid->open_limits.at;

    for (uint32_t i = 0; i < rest; i++)
        sum += limit[i] = asim_fluid_rate(&fluid->limits.at[i], 0);
    if (sum <= capacity * (1 + 1e-9))
        return ASIM_FLUID_NONE;
    do {
        level = left / rest;
        before = rest;
        for (uint32_t i = 0; i < rest;)
            if (limit[i] < level) {
                left -= limit[i];
                limit[i] = limit[--rest];
            } else {
                i++;
            }
    } while (rest && rest < before);
    return rest ? level : ASIM_FLUID_NONE;
}

/* What has drained until now, before the rate changes. */
static void touch(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->is_touched)
        return;
    flow->is_touched = 1;
    if (ASIM_VEC_PUSH(fluid->touched, flow->id))
        fluid->failed = ASIM_ENOMEM;
    asim_fluid_advance(fluid, flow);
}

/* A rate that moves saturates or relieves other links of the flow: they are marked. */
static void change(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double rate,
                   uint32_t by_link)
{
    double by = rate - flow->rate;

    touch(fluid, flow);
    fluid->counts.changes++;
    flow->rate = rate;
    for (uint32_t i = 0; i < flow->path->n; i++) {
        uint32_t l = flow->path->link[i];
        struct asim_fluid_link *link = &fluid->link[l];

        link->sum += by;
        if (l != by_link && (is_saturated(link) ||
                             link->sum > asim_fluid_capacity(link) * (1 + tolerance_of(link))))
            mark(fluid, l);
    }
}

static int find_limits(struct asim_fluid *fluid, uint32_t l)
{
    const struct asim_fluid_link *link = &fluid->link[l];

    if (ASIM_VEC_RESERVE(fluid->limits, (size_t)link->data.n) ||
        ASIM_VEC_RESERVE(fluid->open_limits, (size_t)link->data.n))
        return fluid->failed = ASIM_ENOMEM;
    for (uint32_t i = 0; i < link->data.n; i++)
        fluid->limits.at[i] =
            asim_fluid_limit(fluid, asim_fluid_flow_at(fluid, link->data.at[i]), l);
    return 0;
}

/* Finds level or wait of a link anew and the rates of its flows. damped: changes below a fifth end
 * here, so that each settlement ends. */
static void visit(struct asim_fluid *fluid, uint32_t l, int damped)
{
    struct asim_fluid_link *link = &fluid->link[l];
    double *found = link->is_queue ? &link->wait_ns : &link->level, now;
    double tolerance = tolerance_of(link);

    fluid->counts.visits++;
    fluid->counts.looks += link->data.n + link->acks.n;
    link->ack_used = link->ack;
    if (find_limits(fluid, l))
        return;
    now = link->is_queue ? asim_fluid_fill(fluid, link) : water(fluid, link);
    if (damped && fabs(now - *found) < 0.2 * *found)
        return;
    *found = now;
    for (uint32_t i = 0; i < link->data.n; i++) {
        struct asim_fluid_flow *flow = asim_fluid_flow_at(fluid, link->data.at[i]);
        double rate = fmin(asim_fluid_rate(&fluid->limits.at[i], link->wait_ns), link->level);

        if (fabs(rate - flow->rate) > tolerance * flow->rate)
            change(fluid, flow, rate, l);
    }
    for (uint32_t i = 0; i < link->acks.n; i++) {
        struct asim_fluid_flow *flow = asim_fluid_flow_at(fluid, link->acks.at[i]);
        struct asim_fluid_limit limit = asim_fluid_limit(fluid, flow, UINT32_MAX);
        double rate = asim_fluid_rate(&limit, 0);

        if (fabs(rate - flow->rate) > tolerance * flow->rate)
            change(fluid, flow, rate, UINT32_MAX);
    }
}

/* The ACKs of flows whose rates are new come at these rates; what is let go by is a thousandth of
 * the capacity. */
static void follow_acks(struct asim_fluid *fluid)
{
    const double least = 0.02;

    for (size_t i = 0; i < fluid->touched.n; i++) {
        struct asim_fluid_flow *flow = fluid->flow.at[fluid->touched.at[i]];

        if (flow->acks != ASIM_ACKS_LOAD ||
            fabs(flow->rate - flow->ack_rate) <= least * flow->ack_rate)
            continue;
        asim_fluid_load_acks(fluid, flow, flow->rate - flow->ack_rate);
        flow->ack_rate = flow->rate;
    }
}

static void relax(struct asim_fluid *fluid)
{
    uint64_t most = fluid->counts.visits + 64 * (uint64_t)fluid->work.n + 4096;

    while (fluid->work.n && !fluid->failed) {
        uint32_t l = fluid->work.at[fluid->work.first];

        fluid->work.first = (fluid->work.first + 1) % fluid->work.room;
        fluid->work.n--;
        fluid->link[l].is_dirty = 0;
        visit(fluid, l, fluid->counts.visits > most);
    }
}

/* Each round moves the load of ACKs by some hundredths of the round before. */
void asim_fluid_settle(struct asim_fluid *fluid)
{
    enum { ROUNDS = 4 };

    fluid->counts.settlements++;
    for (int round = 0; fluid->work.n && round < ROUNDS; round++) {
        relax(fluid);
        follow_acks(fluid);
    }
    for (size_t i = 0; i < fluid->touched.n; i++) {
        struct asim_fluid_flow *flow = fluid->flow.at[fluid->touched.at[i]];

        flow->is_touched = 0;
        asim_fluid_set_end(fluid, flow);
    }
    fluid->touched.n = 0;
}

/* --- flows that come and go ------------------------------------------------------------------ */

static void enter(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                  struct asim_fluid_places *list, uint32_t hop)
{
    if (list->n == list->cap && asim_grow(&list->at, &list->cap, list->n + 1, sizeof *list->at)) {
        fluid->failed = ASIM_ENOMEM;
        return;
    }
    flow->place[hop] = list->n;
    list->at[list->n++] = flow->id << ASIM_FLUID_HOP_BITS | hop;
}

static void quit(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                 struct asim_fluid_places *list, uint32_t hop)
{
    asim_fluid_place last = list->at[--list->n];

    list->at[flow->place[hop]] = last;
    asim_fluid_flow_at(fluid, last)->place[last & ((1 << ASIM_FLUID_HOP_BITS) - 1)] =
        flow->place[hop];
}

/* No other flow is on its links: the slowest link, or the window, gives the rate. */
static void run_alone(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    struct asim_fluid_link *least = NULL;
    struct asim_fluid_limit limit = asim_fluid_limit(fluid, flow, UINT32_MAX);
    double rate = asim_fluid_rate(&limit, 0);

    for (uint32_t i = 0; i < path->n; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];
        double capacity = asim_fluid_capacity(link);

        link->ack_used = link->ack;
        if (capacity < rate)
            rate = capacity, least = link;
    }
    for (uint32_t i = 0; i < path->n; i++)
        fluid->link[path->link[i]].sum = rate;
    if (least && least->is_queue && least->acks.n)
        mark(fluid, (uint32_t)(least - fluid->link));
    if (least && least->is_queue)
        least->wait_ns = limit.window / rate - limit.round_ns;
    else if (least)
        least->level = rate;
    flow->rate = rate;
    fluid->counts.alone++;
    asim_fluid_set_end(fluid, flow);
}

void asim_fluid_join(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    int is_alone = 1;

    for (uint32_t i = 0; i < path->n; i++) {
        is_alone &= !fluid->link[path->link[i]].data.n;
        enter(fluid, flow, &fluid->link[path->link[i]].data, i);
    }
    for (uint32_t i = path->n; flow->waits_for_acks && i < path->n + path->n_acks; i++)
        enter(fluid, flow, &fluid->link[path->link[i]].acks, i);
    flow->rate = 0;
    flow->left_at = fluid->queue.now_ns;
    if (is_alone)
        run_alone(fluid, flow);
    for (uint32_t i = 0; !is_alone && i < path->n; i++)
        mark(fluid, path->link[i]);
}

void asim_fluid_leave(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;

    for (uint32_t i = 0; i < path->n; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];

        quit(fluid, flow, &link->data, i);
        link->sum -= flow->rate;
        if (is_saturated(link) && (link->data.n || link->acks.n))
            mark(fluid, path->link[i]);
        if (!link->data.n) {
            link->sum = 0;
            link->level = ASIM_FLUID_NONE;
            link->wait_ns = 0;
        }
    }
    for (uint32_t i = path->n; flow->waits_for_acks && i < path->n + path->n_acks; i++)
        quit(fluid, flow, &fluid->link[path->link[i]].acks, i);
}

void asim_fluid_load_acks(struct asim_fluid *fluid, const struct asim_fluid_flow *flow, double by)
{
    const struct asim_fluid_path *path = flow->path;

    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];

        link->ack += link->ack_ns * by;
        if (link->data.n && fabs(link->ack - link->ack_used) > tolerance_of(link))
            mark(fluid, path->link[i]);
    }
}
