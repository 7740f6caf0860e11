/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts in events: they choose NICs anew after a change of links, and stand still while their job
 * restarts (rdma-network.md#network-events). See
 * host/hold.h.
 */
#include "fabric/events/events.h"
#include "fabric/host/qp.h"
#include "fabric/host/hold.h"

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

        flow->nic = asim_flow_nic_for_data(fabric, host, flow);
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
    for (uint32_t v = 0; v < fabric->set.hosts && !fabric->caller->failed; v++)
        if (asim_fabric_owns(fabric, v))
            wake_host(fabric, &fabric->host[v], t, routes_changed);
}

void asim_host_event_nics(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    if (asim_fabric_owns(fabric, event->what.of))
        fabric->host[event->what.of].has_fixed_nics = (uint8_t)event->what.on;
}

void asim_host_event_hold(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    if (asim_fabric_owns(fabric, event->what.of))
        asim_host_hold(&fabric->host[event->what.of], event->t);
}

void asim_host_event_release(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    fabric->events->hosts_changed = 1;
    if (asim_fabric_owns(fabric, event->what.of))
        asim_host_release(fabric, &fabric->host[event->what.of], event->t);
}
