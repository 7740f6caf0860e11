/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts in events: they choose NICs anew after a change of links, and stand still while their job
 * restarts (rdma-network.md#network-events). While a host is held its ranks see nothing and their
 * queue pairs send nothing; frames that arrive are taken and acknowledged, and background traffic
 * goes on. At the release all that the ranks have not seen happens at the time of the release.
 */
#include "fabric/events/events.h"
#include "fabric/host/qp.h"
#include "fabric/traffic/traffic.h"

#include <stdlib.h>

/* Moves the queue pairs of a host with several NICs to the NICs that now lead to their
 * destinations, in the order of their old NICs and of their creation. */
static int choose_again(struct asim_fabric *fabric, struct asim_host *host)
{
    ASIM_VEC(uint32_t) slots = {0};
    int code = 0;

    for (uint32_t i = 0; !code && i < host->n_nics; i++) {
        struct asim_qplist *list = &host->nics[i].qps;
        uint32_t q = asim_qplist_next(list, 0);

        for (; !code && q != ASIM_QP_NONE; q = asim_qplist_next(list, q + 1))
            code = ASIM_VEC_PUSH(slots, asim_qplist_at(list, q)->slot);
        asim_qplist_clear(list);
    }
    for (size_t i = 0; !code && i < slots.n; i++) {
        struct asim_flow *flow = asim_own_flow(host, slots.at[i]);
        const struct asim_tuple tuple = {host->node, flow->dst, flow->sport, ASIM_DPORT};

        flow->nic = asim_flow_nic(fabric, &tuple);
        code = asim_nic_add(host, flow->nic, slots.at[i]);
    }
    free(slots.at);
    return code;
}

/* The event has the first tie key of its time, because it was planned before the run. */
static void wake_host(struct asim_fabric *fabric, struct asim_host *host, uint64_t t,
                      int routes_changed)
{
    host->now = t;
    host->tie = asim_tie_key(t, 0, ASIM_CLASS_FREE);
    host->peer = UINT32_MAX; /* forgets the old path */
    host->seq++;
    if (routes_changed && host->n_nics > 1 && choose_again(fabric, host))
        host->worker->failed = ASIM_ENOMEM;
    for (uint32_t i = 0; i < host->n_nics && !host->worker->failed; i++)
        asim_nic_kick(fabric, host, &host->nics[i], t);
}

/* Linear in hosts: the routes of any pair may have changed. */
void asim_host_events_wake(struct asim_fabric *fabric, uint64_t t, int routes_changed)
{
    for (uint32_t v = 0; v < fabric->set.hosts && !fabric->workers.at->failed; v++)
        if (asim_fabric_owns(fabric, v))
            wake_host(fabric, &fabric->host[v], t, routes_changed);
}

void asim_host_event_nics(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    if (asim_fabric_owns(fabric, event->what.of))
        fabric->host[event->what.of].has_fixed_nics = (uint8_t)event->what.on;
}

/* Queue pairs of ranks do not send while this is their next time. */
static void set_next_avail(struct asim_host *host, uint64_t from, uint64_t to)
{
    for (uint32_t s = 0; s < host->n_chunks * ASIM_FLOW_CHUNK; s++) {
        struct asim_flow *flow = asim_own_flow(host, s);

        if (flow->live && flow->stage >= 2 && (from != ASIM_NEVER || flow->next_avail == from) &&
            !asim_msg_is_traffic(&asim_rx_at(host, s)->msg))
            flow->next_avail = to;
    }
}

void asim_host_event_hold(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    struct asim_host *host = &fabric->host[event->what.of];

    if (!asim_fabric_owns(fabric, event->what.of))
        return;
    if (host->is_held)
        return;
    host->is_held = 1;
    host->held_since = event->t;
    set_next_avail(host, 0, ASIM_NEVER);
}

/* Whether the timer tells a rank something, or begins a message of it. */
static int concerns_rank(const struct asim_fabric *fabric, const struct asim_host *host,
                         uint64_t value)
{
    const struct asim_notification *notification;

    switch (value >> 56) {
    case ASIM_TIMER_WAKE:
        return 1;
    case ASIM_TIMER_START:
        return !asim_msg_is_traffic(&asim_rx_at(host, (uint32_t)value & 0xffffff)->msg);
    case ASIM_TIMER_ARRIVED:
        return !asim_msg_is_traffic(
            &asim_rx_of(fabric, value >> 32 & (ASIM_ARRIVED_SOURCES - 1), (uint32_t)value)->msg);
    case ASIM_TIMER_NOTIFICATION:
        notification = &host->notifications[(uint32_t)value];
        return !notification->lost &&
               !asim_msg_is_traffic(
                   &asim_rx_of(fabric, notification->msg.src, notification->slot)->msg);
    default:
        return 0;
    }
}

int asim_host_events_defer(struct asim_fabric *fabric, struct asim_host *host,
                           const struct asim_event_entry *entry)
{
    if (!concerns_rank(fabric, host, entry->value))
        return 0;
    if (ASIM_VEC_PUSH(host->held, *entry))
        host->worker->failed = ASIM_ENOMEM;
    return 1;
}

/* Gives the heap its entries back with wakes `by` later; it has room. */
static void put_off_wakes(struct asim_host *host, uint64_t by)
{
    struct asim_event_entry *at = host->timers.at;

    for (size_t n = host->timers.n, i = host->timers.n = 0; i < n; i++) {
        struct asim_event_entry entry = at[i];

        if (entry.value >> 56 == ASIM_TIMER_WAKE)
            entry.t += by;
        asim_event_heap_push(&host->timers, entry); /* into its own memory, behind entry i */
    }
}

/* All that concerns ranks happens as much later as the hold has lasted. The ranks shift the times
 * they wait for, too. */
void asim_host_event_release(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    struct asim_host *host = &fabric->host[event->what.of];
    uint64_t by = event->t - host->held_since;

    fabric->events->hosts_changed = 1;
    if (!asim_fabric_owns(fabric, event->what.of) || !host->is_held)
        return;
    host->is_held = 0;
    set_next_avail(host, ASIM_NEVER, event->t);
    put_off_wakes(host, by);
    for (size_t i = 0; i < host->held.n; i++) {
        host->held.at[i].t += by;
        if (asim_event_heap_push(&host->timers, host->held.at[i]))
            host->worker->failed = ASIM_ENOMEM;
    }
    host->held.n = 0;
    if (fabric->set.held)
        fabric->set.held(fabric->set.user.self, host->node, asim_to_ns(fabric, by));
}
