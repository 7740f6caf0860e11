/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Notifications (link/notification.h) at their host. They wait among its timers with the tie key of
 * the event they stand for, so they meet all other events of the host in the right order. link.c
 * and loss.c make them ahead of time; between windows, or from another process, they are delivered
 * here; host.c processes them.
 */
#include "fabric/host/completion.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/link/schedule.h"

/* Stores the notification until its time. Returns the value of its timer, ASIM_NEVER when out of
 * memory. */
static uint64_t store(struct asim_host *host, const struct asim_notification *notification)
{
    uint32_t index;

    if (host->free_notifications.n) {
        index = host->free_notifications.at[--host->free_notifications.n];
    } else {
        if (asim_grow(&host->notifications, &host->cap_notifications, host->n_notifications + 1,
                      sizeof *host->notifications) ||
            ASIM_VEC_RESERVE(host->free_notifications, host->cap_notifications))
            return ASIM_NEVER;
        index = (uint32_t)host->n_notifications++;
    }
    host->notifications[index] = *notification;
    return (uint64_t)ASIM_TIMER_NOTIFICATION << 56 | index;
}

/* A completion goes to the destination, a loss to the source. A completion says nothing but the
 * slot of its message, which fits into the timer's value. */
int asim_notification_deliver(struct asim_fabric *fabric,
                              const struct asim_notification *notification)
{
    uint32_t node = notification->lost ? notification->msg.src : notification->msg.dst;
    struct asim_host *host = &fabric->host[node];
    struct asim_event_entry entry = {
        .t = notification->t, .tie = notification->tie, .seq = notification->seq};

    entry.value = (uint64_t)ASIM_TIMER_ARRIVED << 56 | (uint64_t)notification->msg.src << 32 |
                  notification->slot;
    if (notification->lost || notification->msg.src >= ASIM_ARRIVED_SOURCES)
        entry.value = store(host, notification);
    if (entry.value == ASIM_NEVER)
        return ASIM_ENOMEM;
    if (fabric->insertion) {
        entry.seq = notification->tie;
        entry.tie =
            notification->lost ? asim_insertion_take(fabric->insertion) : notification->number;
    }
    host->worker->waiting += !notification->lost;
    if (fabric->completion_hooks && !notification->lost)
        fabric->completion_hooks->notified(fabric, notification);
    asim_node_schedule(fabric, node, entry.t);
    return asim_event_heap_push(&host->timers, entry);
}
