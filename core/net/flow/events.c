/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Links that change their rate, go down or come up at planned times (flow.md#events). At each
 * change every flow under way takes the path that routes and hashes give to the rest of it; one
 * whose path has a link that is down stands still until the next change.
 */
#include "conf/netconf.h"
#include "net/flow/events.h"
#include "net/flow/bursts.h"
#include "net/net_events.h"
#include "topo/route.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

struct asim_fluid_event {
    struct asim_due due, routes; /* routes: where they follow later */
    struct asim_net_event what;
};

struct asim_fluid_events {
    struct asim_fluid_event *at;
    uint64_t reconverge_ns;
    uint8_t *routed_down; /* what routes know of it */
    struct asim_route *routes;
};

static int check(const struct asim_net_events *plan, struct asim_err *err)
{
    static const char *const refused[ASIM_NET_EVENT_KINDS] = {
        [ASIM_NET_LINK_LOSS] = "links that lose frames",
        [ASIM_NET_ECN] = "new ECN thresholds",
        [ASIM_NET_PFC] = "PFC that goes on or off",
        [ASIM_NET_NICS_FIXED] = "NICs whose traffic stops",
        [ASIM_NET_HOLD] = "hosts that crash or stop",
    };

    for (size_t i = 0; i < plan->n; i++)
        if (refused[plan->at[i].kind])
            return asim_err_set(err, ASIM_EINVAL,
                                "the scenario has events with %s, which the flow level does not "
                                "know; take --model=packet, or leave them out.",
                                refused[plan->at[i].kind]);
    return 0;
}

static int plan_list(struct asim_fluid *fluid, const struct asim_net_event_list *list)
{
    struct asim_fluid_events *events = fluid->events;
    size_t links = fluid->topo->n_links;

    events->at = calloc(list->n, sizeof *events->at);
    fluid->down = calloc(links, sizeof *fluid->down);
    events->routed_down = calloc(links, 1);
    if (!events->at || !fluid->down || !events->routed_down)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < list->n; i++) {
        events->at[i].what = list->at[i];
        events->at[i].due = (struct asim_due){.kind = ASIM_FLUID_EVENT, .rank = (uint32_t)i};
        events->at[i].routes = (struct asim_due){.kind = ASIM_FLUID_ROUTES};
        asim_fluid_add(fluid, list->at[i].at_ns, &events->at[i].due);
    }
    return fluid->failed;
}

int asim_fluid_plan_events(struct asim_net *net, const struct asim_net_events *plan,
                           struct asim_err *err)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    struct asim_net_event_list list = {0};
    int code = check(plan, err);

    if (!code)
        code = asim_net_events_of(&list, fluid->net, fluid->topo, err);
    if (!code && plan->n) {
        if (asim_grow(&list.at, &list.cap, list.n + plan->n, sizeof *list.at))
            code = asim_err_nomem(err, "planning events");
        else
            memcpy(list.at + list.n, plan->at, plan->n * sizeof *plan->at);
        list.n += plan->n;
    }
    if (!code && list.n && fluid->is_sprayed)
        code = asim_err_set(err, ASIM_EINVAL,
                            "LOAD_BALANCE spray with links that change is not modelled at the flow "
                            "level; take --model=packet, or leave one out.");
    if (!code && list.n) {
        fluid->events = calloc(1, sizeof *fluid->events);
        if (!fluid->events || plan_list(fluid, &list))
            code = asim_err_nomem(err, "planning events");
        else
            fluid->events->reconverge_ns = plan->reconverge_ns;
    }
    free(list.at);
    return code;
}

void asim_fluid_events_close(struct asim_fluid *fluid)
{
    struct asim_fluid_events *events = fluid->events;

    if (!events)
        return;
    asim_route_close(events->routes);
    free(events->at);
    free(fluid->down);
    free(events->routed_down);
    free(events);
}

/* --- flows under way ------------------------------------------------------------------------- */

/* All messages that have begun, also those of each member of a ring, are on their links. */
static void place_all(struct asim_fluid *fluid)
{
    asim_fluid_join_all(fluid);
    while (fluid->folded)
        asim_fluid_unfold(fluid, fluid->folded);
}

static void forget_paths(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->conns.cap; i++) {
        struct asim_fluid_conn *conn = (void *)(uintptr_t)fluid->conns.slots[i].value;

        if (!fluid->conns.used[i])
            continue;
        if (conn->path) {
            asim_fluid_fold(fluid, conn->path);
            conn->path->is_shared = ASIM_FLUID_SHARED_BEFORE;
        }
        conn->path = NULL;
        conn->shape.bytes = 0;
    }
}

static int is_same(const struct asim_fluid_path *path, const struct asim_fluid_path *other,
                   uint32_t changed)
{
    uint32_t n = path->n + path->n_acks;

    for (uint32_t i = 0; i < n; i++)
        if (path->link[i] != other->link[i] || path->link[i] / 2 == changed)
            return 0;
    return path->n == other->n && path->n_acks == other->n_acks;
}

/* Messages that have drained keep the path of a connection. */
static void drop(struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                 struct asim_fluid_path *path)
{
    if (!path->is_shared && !flow->n_bursts)
        asim_pool_give(&fluid->path_pool, path);
}

/* --- losses ---------------------------------------------------------------------------------- */

static uint64_t timeout_of(const struct asim_fluid *fluid, const struct asim_fluid_conn *conn)
{
    const uint64_t fs_per_ns = 1000000, least_ns = 1000000, round_trips = 10; /* as in packets */

    return fluid->net->rto_fs ? (fluid->net->rto_fs + fs_per_ns - 1) / fs_per_ns
                              : least_ns + round_trips * conn->rtt_ns;
}

/* When it sends again what it lost, now that it has a path: with a window that is out at a timeout,
 * whose distance doubles; else packets go on, and the receiver tells that some are missing. */
static uint64_t resume_of(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    uint64_t now = fluid->queue.now_ns, wait = timeout_of(fluid, flow->conn);
    uint64_t at = flow->lost_ns + wait;

    if (!(fluid->parts & ASIM_FLUID_LOSSES) || flow->lost_ns == ASIM_NEVER)
        return 0;
    if (!(flow->conn->window > 0))
        return now + flow->conn->rtt_ns;
    while (at < now)
        at += wait *= 2;
    return at;
}

/* Of a flow one of whose links goes down, place i of its path. Where routes follow at once, or the
 * link is that of a NIC, which waits, what is on that link is lost, and packets behind it make the
 * receiver ask for it a round trip later. Else all that comes to the link is lost, too. Where
 * nothing comes behind it, or the window is out, a timeout sends it again. */
static void lose_of(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t i)
{
    const double near = 0.99; /* below this share of what its NIC gives its window holds it */
    const struct asim_fluid_path *path = flow->path;
    double first_ns = (double)(fluid->queue.now_ns - flow->began_ns), from_ns, to_ns = 0;
    int is_at_once = !fluid->events->reconverge_ns || !i,
        is_sent = flow->is_drained || flow->is_sent;
    double last_ns = is_sent ? (double)(fluid->queue.now_ns - flow->end_ns) : 0;

    for (uint32_t k = 0; k <= i; k++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[k]];

        from_ns = to_ns;
        to_ns += (k < path->n ? link->packet_ns : link->ack_ns) + link->delay_ns;
    }
    if (last_ns >= to_ns || (is_at_once && first_ns <= from_ns))
        return;
    if (!i && !is_sent && flow->shape.is_windowed &&
        flow->rate < near * asim_fluid_min(path->line, fluid->link[path->link[0]].level))
        flow->lost_ns = fluid->queue.now_ns;
    if (is_sent && is_at_once && last_ns < from_ns) {
        if (!flow->is_drained)
            flow->again_ns = fluid->queue.now_ns + (uint64_t)path->rtt_ns;
        flow->through_ns += i < path->n ? (uint64_t)path->rtt_ns : 0;
    } else if (is_sent) {
        flow->again_ns = fluid->queue.now_ns + timeout_of(fluid, flow->conn);
        flow->through_ns = flow->again_ns + (uint64_t)path->rtt_ns;
    } else if (i < path->n) {
        double again_ns = is_at_once ? to_ns - from_ns + path->rtt_ns : to_ns;

        asim_fluid_touch(fluid, flow);
        flow->left += flow->rate * asim_fluid_min(again_ns, first_ns);
    }
}

/* A link goes down, or its rate changes. */
static void meet(struct asim_fluid *fluid, uint32_t l, int is_down)
{
    for (size_t f = 0; f < fluid->flow.n; f++) {
        struct asim_fluid_flow *flow = fluid->flow.at[f];
        int has_path = flow && flow->path && !flow->is_through; /* then it may be gone */
        uint32_t i = 0, n = has_path ? flow->path->n + flow->path->n_acks : 0;

        while (i < n && flow->path->link[i] / 2 != l)
            i++;
        if (i < n && !flow->is_parked && !flow->is_ending &&
            (flow->is_drained || flow->is_sent || flow->conn->is_single ||
             flow->conn->head == flow)) {
            fluid->trust.is_changed = 1;
            if (is_down && fluid->parts & ASIM_FLUID_LOSSES)
                lose_of(fluid, flow, i);
        }
    }
}

/* What is left of it takes its present path, if that is another one or has a link that changed. */
static void move(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t changed)
{
    struct asim_fluid_conn *conn = flow->conn;
    struct asim_fluid_path *old = flow->path,
                           *path = asim_fluid_path(fluid, conn, &flow->msg, flow->sport);
    double window = flow->shape.window, done;
    int has_begun = conn->is_single || conn->head == flow;

    if (!path)
        return;
    if (is_same(path, old, changed) && flow->is_parked == asim_fluid_is_cut(fluid, path)) {
        if (has_begun && !flow->is_parked)
            asim_fluid_swap_path(fluid, flow, path);
        else
            flow->path = path;
        drop(fluid, flow, old);
        return;
    }
    if (has_begun && !flow->is_parked) {
        asim_fluid_advance(fluid, flow);
        asim_fluid_leave(fluid, flow);
        if (flow->burst)
            asim_fluid_cut_burst(fluid, flow);
    }
    done = flow->shape.packets - flow->left;
    if (flow->acks == ASIM_ACKS_LOAD)
        asim_fluid_load_acks(fluid, flow, -flow->ack_rate);
    asim_fluid_take_path(fluid, flow, path);
    if (flow->acks == ASIM_ACKS_LOAD)
        asim_fluid_load_acks(fluid, flow, flow->ack_rate);
    drop(fluid, flow, old);
    if (flow->control)
        flow->shape.window = window;
    if (!has_begun)
        return;
    fluid->trust.is_changed = 1;
    if (!flow->control)
        flow->most = flow->shape.most;
    if (!flow->train)
        flow->left = asim_fluid_max(0, flow->shape.packets - done);
    if (flow->is_parked && !asim_fluid_is_cut(fluid, path))
        flow->resume_ns = resume_of(fluid, flow);
    asim_fluid_join(fluid, flow);
}

/* changed: a link whose rate has; UINT32_MAX: none. */
static void move_all(struct asim_fluid *fluid, uint32_t changed)
{
    forget_paths(fluid);
    for (size_t i = 0; i < fluid->flow.n && !fluid->failed; i++) {
        struct asim_fluid_flow *flow = fluid->flow.at[i];

        if (!flow || !flow->path || flow->is_drained || flow->is_through)
            continue;
        if (flow->train)
            flow->train->is_stale = 1;
        if (!flow->is_sent)
            move(fluid, flow, changed);
    }
}

/* Nothing is left to happen. */
void asim_fluid_tell_cut(struct asim_fluid *fluid)
{
    const struct asim_topo *topo = fluid->topo;

    for (size_t i = 0; fluid->events && i < fluid->flow.n; i++) {
        const struct asim_fluid_flow *flow = fluid->flow.at[i];

        if (flow && flow->is_parked && !flow->is_through)
            asim_fluid_fail(fluid, ASIM_EINVAL,
                            "the run cannot go on: links are down, and no path is left from host "
                            "%u to host %u, where a message of %llu bytes is under way.",
                            asim_topo_external_id(topo, flow->msg.src),
                            asim_topo_external_id(topo, flow->msg.dst),
                            (unsigned long long)flow->shape.bytes);
    }
}

/* --- events ---------------------------------------------------------------------------------- */

void asim_fluid_reroute(struct asim_fluid *fluid)
{
    struct asim_fluid_events *events = fluid->events;

    place_all(fluid);
    asim_route_close(events->routes);
    events->routes = NULL;
    for (size_t l = 0; l < fluid->topo->n_links; l++)
        events->routed_down[l] = fluid->down[l] != 0;
    if (asim_route_open(&events->routes, fluid->topo, events->routed_down, &fluid->err))
        fluid->failed = ASIM_ENOMEM;
    fluid->routes = events->routes;
    move_all(fluid, UINT32_MAX);
}

void asim_fluid_event(struct asim_fluid *fluid, uint32_t number)
{
    struct asim_fluid_events *events = fluid->events;
    struct asim_fluid_event *event = &events->at[number];
    uint32_t l = event->what.of, *down = &fluid->down[l], was = *down;
    uint64_t bps = event->what.rate_bps;

    place_all(fluid);
    if (event->what.kind == ASIM_NET_LINK_RATE) {
        meet(fluid, l, 0);
        for (uint32_t d = 0; d < 2; d++)
            asim_fluid_set_rate(fluid, 2 * l + d, bps ? bps : fluid->topo->links[l].rate_bps);
        move_all(fluid, l);
        return;
    }
    *down += event->what.kind == ASIM_NET_LINK_DOWN ? 1 : -(uint32_t)(was > 0);
    if (!was == !*down)
        return;
    if (*down)
        meet(fluid, l, 1);
    if (!events->reconverge_ns) {
        asim_fluid_reroute(fluid);
        return;
    }
    move_all(fluid, UINT32_MAX);
    asim_fluid_after(fluid, (double)events->reconverge_ns, &event->routes);
}
