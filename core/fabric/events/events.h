/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Planned events of the network (net/net_events.h): LINK_DOWN and LINK_UP of the network
 * configuration, and the list of the network's user. An event concerns the whole network: a window
 * ends at its time, and the event precedes all others of that time. So results do not depend on
 * windows, threads or processes.
 */
#ifndef ASIM_FABRIC_EVENTS_EVENTS_H
#define ASIM_FABRIC_EVENTS_EVENTS_H

#include "net/net_events.h"

struct asim_fabric;
struct asim_route;

/* A line of the configuration takes the link down once, however often it is repeated. */
#define ASIM_DOWN_BY_CONFIG (1u << 31)

/* One event, with its time in ticks. */
struct asim_fabric_event {
    uint64_t t;
    struct asim_net_event what;
    int is_own; /* from the network configuration */
};

struct asim_fabric_events {
    struct asim_fabric_event *at; /* by time, then as given */
    size_t n, cap, next;
    /* [links] 0: up; the LINK_DOWN that no LINK_UP has ended, and ASIM_DOWN_BY_CONFIG. */
    uint32_t *down;
    uint8_t *routed_down;     /* [links] `down` as the routes know it */
    struct asim_route *route; /* over the links that are up; NULL before the first change */
    /* What the events of one time have changed. */
    int routes_changed, links_changed, hosts_changed;
    uint64_t look_at; /* whether background traffic ends; ASIM_NEVER: no look */
};

/* Plans set.planned and the lines of set.net; asim_loss_open has run before. Allocates nothing
 * without events. Costs lines x links. asim_fabric_events_close takes the state of any failure. */
int asim_fabric_events_open(struct asim_fabric *fabric, struct asim_err *err);
void asim_fabric_events_close(struct asim_fabric *fabric);
/* NULL: none is planned. */
const struct asim_fabric_events *asim_fabric_events_of(const struct asim_fabric *fabric);
/* Applies all events of that time: no node may have gone past it, and all must have come to it. */
void asim_fabric_events_apply(struct asim_fabric *fabric);

/* --- link_events.c ---------------------------------------------------------------------------- */
/* Turns the planned changes of links into what frames test: outages, and records of losses. 0 or
 * ASIM_ENOMEM. */
int asim_link_events_plan(struct asim_fabric *fabric);
void asim_link_event_state(struct asim_fabric *fabric, const struct asim_fabric_event *event);
void asim_link_event_rate(struct asim_fabric *fabric, const struct asim_fabric_event *event);
void asim_link_event_loss(struct asim_fabric *fabric, const struct asim_fabric_event *event);
/* Routes follow the links. */
void asim_link_events_reroute(struct asim_fabric *fabric);

/* --- switch_events.c -------------------------------------------------------------------------- */
void asim_switch_event_ecn(struct asim_fabric *fabric, const struct asim_fabric_event *event);
void asim_switch_event_pfc(struct asim_fabric *fabric, const struct asim_fabric_event *event);

/* --- host_events.c ---------------------------------------------------------------------------- */
void asim_host_event_nics(struct asim_fabric *fabric, const struct asim_fabric_event *event);
void asim_host_event_hold(struct asim_fabric *fabric, const struct asim_fabric_event *event);
void asim_host_event_release(struct asim_fabric *fabric, const struct asim_fabric_event *event);
/* All hosts look again at what they may send, after a change of links, routes or holds. */
void asim_host_events_wake(struct asim_fabric *fabric, uint64_t t, int routes_changed);

/* Sets schedule.next of node v, which something other than a frame has changed. Between windows. */
void asim_next_renew(struct asim_fabric *fabric, uint32_t v);

#endif
