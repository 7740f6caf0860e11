/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Notices at the host they are for: among its timers, with the key of the event they stand for, so
 * that they meet all else it does in the right order. Made ahead (link.c, loss.c), carried here
 * between windows (window.c) or from another process (distributed.c), taken in host.c.
 */
#include "fabric/host/completion.h"
#include "fabric/link/schedule.h"

/* Where it waits until its time: what an entry says of it, ASIM_NEVER when out of memory. */
static uint64_t keep_notice(struct asim_host *host, const struct asim_notification *note)
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
    host->notifications[index] = *note;
    return (uint64_t)ASIM_TIMER_NOTIFICATION << 56 | index;
}

/* To the destination if it is about a completion, to the source if about a loss. The first kind is
 * one a message: all that it says besides its time is where the message stands, which fits in the
 * agenda's entry. */
int asim_notification_deliver(struct asim_fabric *fabric, const struct asim_notification *note)
{
    uint32_t node = note->lost ? note->msg.src : note->msg.dst;
    struct asim_host *host = &fabric->host[node];
    struct asim_event_entry entry = {.t = note->t, .tie = note->tie, .seq = note->seq};

    entry.value = (uint64_t)ASIM_TIMER_ARRIVED << 56 | (uint64_t)note->msg.src << 32 | note->slot;
    if (note->lost || note->msg.src >= ASIM_ARRIVED_SOURCES)
        entry.value = keep_notice(host, note);
    if (entry.value == ASIM_NEVER)
        return ASIM_ENOMEM;
    host->worker->waiting += !note->lost;
    asim_node_schedule(fabric, node, entry.t);
    return asim_event_heap_push(&host->timers, entry);
}
