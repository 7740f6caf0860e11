/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The list of planned events and their times (rdma-network.md#network-events). Each kind has a
 * function in the file of what it changes.
 *
 * Costs: one comparison a window; at an event, time linear in the network, and at a change of
 * routes a search for routes.
 */
#include "conf/netconf_keys.h"
#include "fabric/events/events.h"
#include "fabric/host/advance.h"
#include "fabric/link/schedule.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "fabric/host/traffic.h"
#include "topo/route.h"
#include "topo/topo.h"
#include "fabric/switch/switch.h"

#include <stdlib.h>
#include <string.h>

static void mark_routes(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    (void)event;
    fabric->events->routes_changed = 1;
}

static void begin_traffic(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    (void)event;
    asim_traffic_begin(fabric);
}

static void (*const apply[ASIM_NET_EVENT_KINDS])(struct asim_fabric *fabric,
                                                 const struct asim_fabric_event *event) = {
    [ASIM_NET_LINK_DOWN] = asim_link_event_state, [ASIM_NET_LINK_UP] = asim_link_event_state,
    [ASIM_NET_LINK_RATE] = asim_link_event_rate,  [ASIM_NET_LINK_LOSS] = asim_link_event_loss,
    [ASIM_NET_ECN] = asim_switch_event_ecn,       [ASIM_NET_PFC] = asim_switch_event_pfc,
    [ASIM_NET_NICS_FIXED] = asim_host_event_nics, [ASIM_NET_HOLD] = asim_host_event_hold,
    [ASIM_NET_RELEASE] = asim_host_event_release, [ASIM_NET_ROUTES] = mark_routes,
    [ASIM_NET_TRAFFIC] = begin_traffic,
};

/* Background traffic without an end is looked at so often. */
enum { LOOK_NS = 100000 };

/* A stable order: of several events at one time the last one given wins. Mostly they are given in
 * order. */
static int insert(struct asim_fabric *fabric, const struct asim_net_event *what, int is_own)
{
    struct asim_fabric_events *events = fabric->events;
    struct asim_fabric_event event = {asim_to_ticks(fabric, what->at_ns), *what, is_own};
    size_t i = events->n;

    if (asim_grow(&events->at, &events->cap, events->n + 1, sizeof *events->at))
        return ASIM_ENOMEM;
    for (; i && events->at[i - 1].t > event.t; i--)
        events->at[i] = events->at[i - 1];
    events->at[i] = event;
    events->n++;
    return 0;
}

/* What lines of the configuration change. */
static int plan_lines(struct asim_fabric *fabric, struct asim_err *err)
{
    struct asim_net_event_list list = {0};
    int code = asim_net_events_of(&list, fabric->set.net, fabric->set.topo, err);

    for (size_t i = 0; !code && i < list.n; i++)
        if (insert(fabric, &list.at[i], 1))
            code = asim_err_nomem(err, "planning events");
    free(list.at);
    return code;
}

/* Routes follow each change of a link one delay later; without a delay, at once. */
static int plan_routes(struct asim_fabric *fabric, uint64_t delay_ns)
{
    const struct asim_fabric_events *events = fabric->events;
    size_t n = events->n;
    int code = 0;

    for (size_t i = 0; delay_ns && !code && i < events->n && n; i++) {
        const struct asim_net_event *what = &events->at[i].what;

        if (what->kind != ASIM_NET_LINK_DOWN && what->kind != ASIM_NET_LINK_UP)
            continue;
        /* Behind entry i, because the delay is not 0. */
        code = insert(
            fabric,
            &(struct asim_net_event){.at_ns = what->at_ns + delay_ns, .kind = ASIM_NET_ROUTES}, 0);
        n--;
    }
    return code;
}

static int open_memory(struct asim_fabric *fabric)
{
    size_t links = fabric->set.topo->n_links;

    fabric->events = calloc(1, sizeof *fabric->events);
    if (!fabric->events)
        return ASIM_ENOMEM;
    fabric->events->down = calloc(links + 1, sizeof *fabric->events->down);
    fabric->events->routed_down = calloc(links + 1, 1);
    return fabric->events->down && fabric->events->routed_down ? 0 : ASIM_ENOMEM;
}

static void set_next(struct asim_fabric *fabric)
{
    const struct asim_fabric_events *events = fabric->events;
    uint64_t t = events->next < events->n ? events->at[events->next].t : ASIM_NEVER;

    fabric->event_last = events->next ? events->at[events->next - 1].t : 0;
    fabric->event_next = t < events->look_at ? t : events->look_at;
}

int asim_fabric_events_open(struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_netconf *net = fabric->set.net;
    const struct asim_net_events *planned = fabric->set.planned;
    size_t n = planned ? planned->n : 0;
    int code = 0;

    if (!net->link_downs && !n && !fabric->traffic)
        return 0;
    if (open_memory(fabric))
        return asim_err_nomem(err, "planning events");
    if (fabric->traffic && insert(fabric, &(struct asim_net_event){.kind = ASIM_NET_TRAFFIC}, 0))
        return asim_err_nomem(err, "planning events");
    fabric->events->look_at = ASIM_NEVER;
    if (asim_traffic_is_endless(fabric))
        fabric->events->look_at = asim_to_ticks(fabric, LOOK_NS);
    if ((code = plan_lines(fabric, err)))
        return code;
    for (size_t i = 0; !code && i < n; i++)
        code = insert(fabric, &planned->at[i], 0);
    if (code || plan_routes(fabric, planned ? planned->reconverge_ns : 0) ||
        asim_link_events_plan(fabric))
        return asim_err_nomem(err, "planning events");
    set_next(fabric);
    return 0;
}

void asim_fabric_events_close(struct asim_fabric *fabric)
{
    if (!fabric->events)
        return;
    asim_route_close(fabric->events->route);
    ASIM_FREE(fabric->events->at, fabric->events->down, fabric->events->routed_down,
              fabric->events);
}

/* Any node may have something else to do next. */
static void renew_all(struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.nodes && !fabric->caller->failed; v++) {
        if (!asim_fabric_owns(fabric, v))
            continue;
        asim_next_renew(fabric, v);
        if (fabric->schedule.per_event)
            asim_node_push_due(fabric, v, *asim_next_of(fabric, v));
    }
}

/* At a planned event to come a rank may go on that now waits for ever. */
static void look(struct asim_fabric *fabric)
{
    struct asim_fabric_events *events = fabric->events;

    if (events->next >= events->n || fabric->set.ranks_done(fabric->set.user.self)) {
        if (asim_traffic_look(fabric)) {
            events->look_at = ASIM_NEVER;
            return;
        }
    }
    events->look_at += asim_to_ticks(fabric, LOOK_NS);
}

const struct asim_fabric_events *asim_fabric_events_of(const struct asim_fabric *fabric)
{
    return fabric->events;
}

void asim_fabric_events_apply(struct asim_fabric *fabric)
{
    struct asim_fabric_events *events = fabric->events;
    uint64_t t = fabric->event_next;

    events->routes_changed = events->links_changed = events->hosts_changed = 0;
    while (events->next < events->n && events->at[events->next].t == t && !fabric->caller->failed) {
        const struct asim_fabric_event *event = &events->at[events->next++];

        apply[event->what.kind](fabric, event);
    }
    if (events->look_at == t)
        look(fabric);
    set_next(fabric);
    if (events->routes_changed)
        asim_link_events_reroute(fabric);
    if (events->routes_changed | events->links_changed | events->hosts_changed)
        asim_host_events_wake(fabric, t, events->routes_changed | events->hosts_changed);
    renew_all(fabric);
}

void asim_next_renew(struct asim_fabric *fabric, uint32_t v)
{
    *asim_next_of(fabric, v) = v < fabric->set.hosts
                                   ? asim_host_next(&fabric->host[v])
                                   : asim_switch_next(&fabric->sw[v - fabric->set.hosts]);
    fabric->schedule.block_min[fabric->schedule.slot[v] / ASIM_BLOCK] = 0;
}
