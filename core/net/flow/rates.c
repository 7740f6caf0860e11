/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rates of flows (flow.md#rates). A link shares its capacity max-min fairly: a flow gets the least
 * of the levels of its links (Bertsekas and Gallager, Data Networks, 6.5.2), found by local water
 * filling from the links that have changed until nothing moves by more than a thousandth.
 *
 * Costs: a visit of a link looks at all of its flows. A flow alone on its links needs no visit.
 */
#include "net/flow/bursts.h"

#include <math.h>

/* One flow more or less among many moves a level by little, and looking at all of them costs as
 * much as among few: the change of a rate that is let go by grows with the number of flows. */
static double tolerance_of(const struct asim_fluid_link *link)
{
    const double least = 1e-3, most = 2e-2, per_flow = 5e-4;
    const uint32_t few = 8;

    return link->flows.n <= few ? least
                                : asim_fluid_min(most, least + per_flow * (link->flows.n - few));
}

static int is_saturated(const struct asim_fluid_link *link)
{
    return link->level < ASIM_FLUID_NONE || link->wait_ns > 0 || link->slope > 0;
}

/* More comes than it serves. */
static int is_above(const struct asim_fluid_link *link)
{
    return link->sum + link->burst_rate > asim_fluid_capacity(link) * (1 + tolerance_of(link));
}

/* How long its ACKs wait. Where links of many flows are visited, each flow is looked at from
 * several links, so this is taken for the same for as long as one such visit waits for the next. */
static double wait_back(const struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                        const struct asim_fluid_path *path, uint32_t without)
{
    double ns = 0;

    if (flow->back_until > fluid->queue.now_ns)
        return flow->back_ns;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        ns += asim_fluid_wait(fluid, &fluid->link[path->link[i]]);
    if (flow->acks == ASIM_ACKS_LOAD)
        ns += asim_fluid_ack_waits(fluid, flow, path, 0);
    if (without != UINT32_MAX && fluid->link[without].flows.n >= ASIM_FLUID_MANY &&
        flow->rate > 0) {
        flow->back_ns = ns;
        flow->back_until =
            fluid->queue.now_ns + (uint64_t)asim_fluid_moment(flow->shape.packets / flow->rate);
    }
    return ns;
}

/* path: its own. */
static void find_limit(const struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                       const struct asim_fluid_path *path, uint32_t without,
                       struct asim_fluid_limit *limit)
{
    double rate = asim_fluid_min(flow->most, path->line), span_ns = path->rtt_ns;
    double before = 1, share = 1;
    int is_windowed = flow->shape.window < ASIM_FLUID_NONE; /* shape.is_windowed is a line behind */

    for (uint32_t i = 0, n = asim_fluid_reach(flow, path); i < n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (path->link[i] == without) {
            before = share;
            continue;
        }
        share *= link->share;
        rate = asim_fluid_min(rate, link->level);
        if (is_windowed && link->has_queue)
            span_ns += asim_fluid_wait(fluid, link);
    }
    if (is_windowed && fluid->parts & ASIM_FLUID_ACK_WAIT)
        span_ns += wait_back(fluid, flow, path, without);
    *limit = (struct asim_fluid_limit){rate, span_ns, before};
}

/* The level up to which the capacity fills the limits of all flows; ASIM_FLUID_NONE: they do not
 * use it up. */
static double water(struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    double capacity = asim_fluid_capacity(link), left = capacity, sum = 0, level;
    uint32_t rest = (uint32_t)link->flows.n, before;
    double *limit = fluid->waters.at;

    for (uint32_t i = 0; i < rest; i++)
        sum += limit[i] = fluid->limits.at[i].rate;
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

/* A rate that moves saturates or relieves other links of the flow: they are marked. */
static void change(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double rate,
                   uint32_t by_link)
{
    const double much = 0.2, soon = 0.03;
    double by = rate - flow->rate;
    double ns = flow->shape.packets / rate * (fabs(by) < much * rate ? 1 : soon);

    asim_fluid_touch(fluid, flow);
    flow->rate = rate;
    for (uint32_t i = 0, n = asim_fluid_reach(flow, flow->path); i < n; i++) {
        uint32_t l = flow->path->link[i];
        struct asim_fluid_link *link = &fluid->link[l];

        link->sum += by;
        if (l != by_link && (is_saturated(link) || is_above(link)))
            asim_fluid_stir(fluid, l, ns);
    }
    if (flow->burst)
        asim_fluid_pace_burst(fluid, flow);
}

/* Flows of a link lie anywhere, and their paths, too: in an all-to-all of thousands of ranks a look
 * mostly waits for these two lines, so they are asked for ahead. */
static int find_limits(struct asim_fluid *fluid, uint32_t l)
{
    enum { AHEAD = 16 };
    const struct asim_fluid_link *link = &fluid->link[l];
    uint32_t n = (uint32_t)link->flows.n;

    if (ASIM_VEC_RESERVE(fluid->limits, n) || ASIM_VEC_RESERVE(fluid->waters, n))
        return fluid->failed = ASIM_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        struct asim_fluid_flow *flow = link->flows.at[i].flow;
        struct asim_fluid_limit *limit = &fluid->limits.at[i];

        if (i + AHEAD < n) {
            __builtin_prefetch(link->flows.at[i + AHEAD].flow);
            __builtin_prefetch(link->flows.at[i + AHEAD].path);
        }
        find_limit(fluid, flow, link->flows.at[i].path, l, limit);
        if (!link->has_queue)
            limit->rate = asim_fluid_min(limit->rate, flow->shape.window / limit->span_ns);
    }
    return 0;
}

/* Finds the level, or the queue, of a link anew and the rates of its flows. */
static void visit(struct asim_fluid *fluid, uint32_t l)
{
    struct asim_fluid_link *link = &fluid->link[l];
    double tolerance = tolerance_of(link), level = ASIM_FLUID_NONE;
    uint32_t n = (uint32_t)link->flows.n;

    fluid->counts.visits++;
    link->ack_used = link->ack;
    if (find_limits(fluid, l))
        return;
    if (link->has_queue) {
        asim_fluid_move_queue(fluid, link, asim_fluid_capacity(link));
        asim_fluid_tell_wait(fluid, link);
        if (fluid->cc)
            asim_fluid_watch(fluid, link);
    } else {
        link->level = level = water(fluid, link);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct asim_fluid_flow *flow = link->flows.at[i].flow;
        const struct asim_fluid_limit *limit = &fluid->limits.at[i];
        double rate = asim_fluid_min(limit->rate, level);

        if (link->has_queue)
            rate = asim_fluid_arrival(flow, limit, link->wait_ns);
        if (fabs(rate - flow->rate) > tolerance * flow->rate)
            change(fluid, flow, rate, l);
    }
}

/* The ACKs of flows whose rates are new come at these rates; what is let go by is a thousandth of
 * the capacity. */
static void follow_acks(struct asim_fluid *fluid)
{
    const double least = 0.02;

    for (size_t i = 0; i < fluid->touched.n; i++) {
        struct asim_fluid_flow *flow = fluid->flow.at[fluid->touched.at[i]];

        if (!flow || flow->acks != ASIM_ACKS_LOAD || flow->burst ||
            fabs(flow->rate - flow->ack_rate) <= least * flow->ack_rate)
            continue;
        asim_fluid_load_acks(fluid, flow, flow->rate - flow->ack_rate);
        flow->ack_rate = flow->rate;
    }
}

/* Links that depend on each other in a circle may come to no rest: they are looked at again when
 * their waits have moved. */
static void relax(struct asim_fluid *fluid)
{
    const double later_ns = 1000;
    uint64_t most = fluid->counts.visits + 128 * (uint64_t)fluid->work.n + 2048;

    while (fluid->work.n && !fluid->failed) {
        uint32_t order = asim_index_set_lowest(&fluid->work), l = fluid->by_order[order];
        struct asim_fluid_link *link = &fluid->link[l];
        enum asim_fluid_dirty dirty = link->is_dirty;

        asim_index_set_remove(&fluid->work, order);
        link->is_dirty = ASIM_FLUID_CLEAN;
        if ((dirty == ASIM_FLUID_IF_ACKS &&
             fabs(link->ack - link->ack_used) <= tolerance_of(link)) ||
            (dirty != ASIM_FLUID_NOW && asim_fluid_is_put_off(fluid, l)))
            continue;
        if (fluid->counts.visits < most)
            visit(fluid, l);
        else if (!link->is_planned)
            asim_fluid_plan(fluid, link, later_ns);
    }
}

/* Each round moves the load of ACKs by some hundredths of the round before. */
void asim_fluid_settle(struct asim_fluid *fluid)
{
    enum { ROUNDS = 4 };

    for (int round = 0; fluid->work.n && round < ROUNDS; round++) {
        relax(fluid);
        follow_acks(fluid);
    }
    for (size_t i = 0; i < fluid->touched.n; i++) {
        struct asim_fluid_flow *flow = fluid->flow.at[fluid->touched.at[i]];

        if (!flow) /* over in this ns */
            continue;
        flow->is_touched = 0;
        if (!flow->is_drained && !flow->is_sent)
            asim_fluid_set_end(fluid, flow);
    }
    fluid->touched.n = 0;
}

/* --- flows that come and go ------------------------------------------------------------------ */

static void enter(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                  struct asim_fluid_places *list, uint32_t hop)
{
    flow->place[hop] = (uint32_t)list->n;
    if (ASIM_VEC_PUSH(*list, ((struct asim_fluid_place){flow, flow->path, hop})))
        fluid->failed = ASIM_ENOMEM;
}

static void quit(const struct asim_fluid_flow *flow, struct asim_fluid_places *list, uint32_t hop)
{
    struct asim_fluid_place last = list->at[--list->n];

    list->at[flow->place[hop]] = last;
    last.flow->place[last.hop] = flow->place[hop];
}

void asim_fluid_enter(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t first)
{
    const struct asim_fluid_path *path = flow->path;

    for (uint32_t i = first, n = asim_fluid_reach(flow, flow->path); i < n; i++)
        enter(fluid, flow, &fluid->link[path->link[i]].flows, i);
    if (flow->is_burst) /* its ACKs slow nothing */
        return;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        enter(fluid, flow, &fluid->link[path->link[i]].ack_flows, i);
}

void asim_fluid_quit(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t first)
{
    const struct asim_fluid_path *path = flow->path;

    for (uint32_t i = first, n = asim_fluid_reach(flow, path); i < n; i++)
        quit(flow, &fluid->link[path->link[i]].flows, i);
    if (flow->is_burst)
        return;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        quit(flow, &fluid->link[path->link[i]].ack_flows, i);
}

void asim_fluid_swap_path(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                          struct asim_fluid_path *path)
{
    flow->path = path;
    for (uint32_t i = 0, n = asim_fluid_reach(flow, path); i < n; i++)
        fluid->link[path->link[i]].flows.at[flow->place[i]].path = path;
}

/* No other flow is on its links: the slowest link, or the window, gives the rate. */
static void run_alone(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    struct asim_fluid_link *least = NULL;
    uint32_t n = asim_fluid_reach(flow, flow->path);
    double rate = flow->most;
    struct asim_fluid_limit limit;

    find_limit(fluid, flow, path, UINT32_MAX, &limit);
    rate = asim_fluid_min(rate, flow->shape.window / limit.span_ns);
    for (uint32_t i = 0; i < n; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];
        double capacity = asim_fluid_capacity(link);

        link->ack_used = link->ack;
        if (capacity < rate)
            rate = capacity, least = link;
    }
    for (uint32_t i = 0; i < n; i++)
        fluid->link[path->link[i]].sum = fluid->link[path->link[i]].arrive = rate;
    if (least && !least->has_queue)
        least->level = rate;
    flow->rate = rate;
    if (flow->burst)
        asim_fluid_pace_burst(fluid, flow);
    asim_fluid_set_end(fluid, flow);
}

/* Until its links are visited the flow gets what they gave before. */
static void mix(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    struct asim_fluid_limit limit;
    double rate, ns;

    find_limit(fluid, flow, path, UINT32_MAX, &limit);
    rate = asim_fluid_min(limit.rate, flow->shape.window / limit.span_ns);
    ns = rate < ASIM_FLUID_NONE ? flow->left / rate : 0;
    for (uint32_t i = 0, n = asim_fluid_reach(flow, flow->path); i < n; i++)
        asim_fluid_stir(fluid, path->link[i], ns);
    if (flow->is_burst)
        asim_fluid_mark(fluid, path->link[0]);
    if (ns > 0)
        change(fluid, flow, rate, UINT32_MAX);
}

void asim_fluid_join(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    int is_alone = 1;

    flow->rate = 0;
    flow->left_at = fluid->queue.now_ns;
    flow->is_parked = asim_fluid_is_cut(fluid, path) || flow->resume_ns > fluid->queue.now_ns;
    if (flow->is_parked) {
        if (!flow->lost_ns) /* NEVER: it waits at its NIC */
            flow->lost_ns = fluid->down[path->link[0] / 2] ? ASIM_NEVER : fluid->queue.now_ns;
        fluid->trust.is_changed = 1;
        flow->is_moved = 1;
        asim_fluid_set_end(fluid, flow);
        return;
    }
    flow->lost_ns = 0;
    asim_fluid_go_on_control(fluid, flow);
    if (flow->is_burst && asim_fluid_begin_burst(fluid, flow))
        return;
    for (uint32_t i = 0, n = asim_fluid_reach(flow, flow->path); i < n; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];

        asim_fluid_clean(fluid, link);
        is_alone &= !link->flows.n && link->wait_ns <= 0 && !link->bursts;
        asim_fluid_tell_frames(fluid, link);
    }
    asim_fluid_enter(fluid, flow, 0);
    if (is_alone)
        run_alone(fluid, flow);
    else
        mix(fluid, flow);
}

void asim_fluid_leave(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;

    for (uint32_t i = 0, n = asim_fluid_reach(flow, flow->path); i < n; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];

        asim_fluid_tell_frames(fluid, link);
        quit(flow, &link->flows, i);
        link->sum -= flow->rate;
        if (!link->flows.n) {
            link->sum = link->arrive = 0;
            link->level = ASIM_FLUID_NONE;
            if (link->has_queue)
                asim_fluid_drain_queue(fluid, path->link[i]);
        } else if (is_saturated(link) && flow->is_burst) {
            asim_fluid_mark(fluid, path->link[0]);
        } else if (is_saturated(link)) {
            asim_fluid_stir(fluid, path->link[i], (double)(fluid->queue.now_ns - flow->start_ns));
        }
    }
    asim_fluid_quit(fluid, flow, path->n);
}

void asim_fluid_load_acks(struct asim_fluid *fluid, const struct asim_fluid_flow *flow, double by)
{
    const struct asim_fluid_path *path = flow->path;

    if (!(fluid->parts & ASIM_FLUID_ACK_LOAD))
        return;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];

        link->ack += link->ack_step_ns * by;
        if (fabs(link->ack) < ASIM_FLUID_NO_ACKS)
            link->ack = 0;
        if (link->flows.n)
            asim_fluid_mark_acks(fluid, path->link[i], flow->shape.packets / flow->rate);
    }
}
