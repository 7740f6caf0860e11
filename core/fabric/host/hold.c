/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Holds and releases a host. Costs time linear in the host's messages and timers, at the start and
 * at the end.
 */
#include "fabric/host/hold.h"
#include "fabric/host/traffic.h"
#include "fabric/host/host.h"
#include "fabric/link/notification.h"
#include "net/traffic_id.h"

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

void asim_host_hold(struct asim_host *host, uint64_t t)
{
    if (host->is_held)
        return;
    host->is_held = 1;
    host->held_since = t;
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

int asim_host_defer(const struct asim_fabric *fabric, struct asim_host *host,
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
void asim_host_release(struct asim_fabric *fabric, struct asim_host *host, uint64_t t)
{
    uint64_t by = t - host->held_since;

    if (!host->is_held)
        return;
    host->is_held = 0;
    set_next_avail(host, ASIM_NEVER, t);
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
