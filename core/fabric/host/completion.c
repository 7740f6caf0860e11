/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Notifications (link/notification.h) at their host. They wait among its timers with the tie key of
 * the event they stand for, so they meet all other events of the host in the right order. They are
 * made here ahead of time, as a final ACK starts on its last link or a wire loses a frame. Between
 * windows, or from another process, they are delivered here; host/advance.c processes them.
 */
#include "conf/netconf_keys.h"
#include "fabric/host/completion.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/host/host.h"
#include "fabric/host/traffic.h"
#include "fabric/link/notification.h"
#include "fabric/link/schedule.h"
#include "net/watch.h"

enum {
    ORDER_BITS = 40,
    AUTO_RTO_NS =
        1000000, /* twice ASTRA-sim's NACK interval, so that its own recovery comes first */
    AUTO_RTO_TRIPS = 10
};

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

/* The value of a completion's timer: it says nothing but the slot of its message. */
static uint64_t completion_of(uint32_t src, uint32_t slot)
{
    return (uint64_t)ASIM_TIMER_ARRIVED << 56 | (uint64_t)src << 32 | slot;
}

/* A completion goes to the destination, a loss to the source. */
int asim_notification_deliver(struct asim_fabric *fabric,
                              const struct asim_notification *notification)
{
    uint32_t node = notification->lost ? notification->msg.src : notification->msg.dst;
    struct asim_host *host = &fabric->host[node];
    struct asim_event_entry entry = {
        .t = notification->t, .tie = notification->tie, .seq = notification->seq};

    entry.value = completion_of(notification->msg.src, notification->slot);
    if (notification->lost || notification->msg.src >= ASIM_ARRIVED_SOURCES)
        entry.value = store(host, notification);
    if (entry.value == ASIM_NEVER)
        return ASIM_ENOMEM;
    if (fabric->insertion) {
        entry.seq = notification->tie;
        entry.tie = notification->lost
                        ? asim_insertion_add(fabric->insertion, entry.t, ASIM_INSERTED_TIMER, node)
                        : notification->number;
    }
    host->worker->waiting += !notification->lost;
    if (fabric->completion_hooks && !notification->lost)
        fabric->completion_hooks->notified(fabric, notification);
    asim_node_schedule(fabric, node, entry.t);
    return asim_event_heap_push(&host->timers, entry);
}

/* Puts the completion among the timers of its host at once, where one thread runs all nodes and
 * nobody else listens. The timer is due behind the window, so it changes nothing in it. */
static int deliver_now(struct asim_worker *worker, const struct asim_wire *wire,
                       const struct asim_frame *frame, uint32_t dst, uint64_t seq)
{
    struct asim_fabric *fabric = worker->fabric;
    uint64_t *next = &worker->min_arrival[fabric->schedule.slot[dst]];

    if (worker->domains || fabric->set.process_of || fabric->completion_hooks ||
        fabric->insertion || fabric->schedule.per_event)
        return 0;
    worker->waiting++;
    if (frame->t > worker->last_notified)
        worker->last_notified = frame->t;
    if (frame->t < *next)
        *next = frame->t;
    if (asim_event_heap_push(&fabric->host[dst].timers,
                             (struct asim_event_entry){frame->t, asim_wire_tie_key(wire, frame),
                                                       seq,
                                                       completion_of(frame->src, frame->slot)}))
        worker->failed = ASIM_ENOMEM;
    return 1;
}

/* The node that starts the final ACK on its last link knows when the sender will have it, one link
 * delay ahead; the destination is told of the completion at that time, too
 * (rdma-network.md#completion). seq orders several completions that arrive in one ns: it holds the
 * link, from 1, and the number of the frame on it. It is larger than all counts of the
 * destination's own events, which the memo may change. The struct is written field by field: a
 * designated initialiser of that size would clear it with a string instruction, which starts
 * slowly. */
void asim_port_notify_final(struct asim_worker *worker, const struct asim_wire *wire,
                            const struct asim_frame *frame)
{
    uint32_t dst = asim_rx_of(worker->fabric, frame->src, frame->slot)->msg.dst;
    uint64_t seq = (wire->id + 1ull) << ORDER_BITS | (wire->frames & ((1ull << ORDER_BITS) - 1));
    struct asim_notification *notification;

    if (worker->is_alone && deliver_now(worker, wire, frame, dst, seq))
        return;
    if (ASIM_VEC_RESERVE(worker->outbox, worker->outbox.n + 1)) {
        worker->failed = ASIM_ENOMEM;
        return;
    }
    notification = &worker->outbox.at[worker->outbox.n++];
    notification->t = frame->t;
    notification->tie = asim_wire_tie_key(wire, frame);
    notification->seq = seq;
    notification->msg = (struct asim_msg){.src = frame->src, .dst = dst};
    notification->since = notification->at = notification->rto = 0;
    notification->slot = frame->slot;
    notification->number = 0;
    if (worker->fabric->insertion)
        notification->number =
            asim_insertion_add(worker->fabric->insertion, frame->t, ASIM_INSERTED_TIMER, dst);
    notification->lost = notification->type = notification->flags = 0;
}

/* The configured RTO, or a guess from the flow's base RTT; always longer than the window, because
 * the notification may go to another node and would come too late. */
static uint64_t timeout_of(const struct asim_fabric *fabric, const struct asim_rx *rx)
{
    uint64_t rto = asim_to_ticks(fabric, AUTO_RTO_NS + AUTO_RTO_TRIPS * rx->base_rtt_ns);

    if (fabric->set.rto)
        return fabric->set.rto;
    return rto > fabric->set.lookahead ? rto : fabric->set.lookahead + 1;
}

/* Several frames of a host may be lost at one instant, by nodes that run in any order; seq orders
 * their notifications by message, packet and kind. */
void asim_loss_report(struct asim_worker *worker, const struct asim_frame *frame, uint64_t t,
                      struct asim_port_id at)
{
    struct asim_fabric *fabric = worker->fabric;
    const struct asim_rx *rx;
    struct asim_notification notification = {.since = t,
                                             .at = frame->seq,
                                             .slot = frame->slot,
                                             .lost = 1,
                                             .type = (uint8_t)frame->type,
                                             .flags = (uint8_t)frame->flags};

    if (fabric->watch->frame)
        fabric->watch->frame(fabric->watch->frame_self, ASIM_FRAME_DROP, at, frame,
                             asim_to_ns(fabric, t));
    if (frame->type == ASIM_PAUSE || frame->type == ASIM_RESUME)
        return;
    if (frame->type == ASIM_DATAGRAM) {
        asim_datagram_lost(fabric, frame, at);
        return;
    }
    rx = asim_rx_of(fabric, frame->src, frame->slot);
    notification.msg = rx->msg;
    notification.rto = timeout_of(fabric, rx);
    notification.t = t + notification.rto;
    notification.tie = asim_tie_key(notification.rto, 0, ASIM_CLASS_TIMER);
    notification.seq =
        (rx->msg.id << 32) ^ (frame->seq / fabric->set.net->payload_bytes << 2) ^ frame->type;
    if (ASIM_VEC_PUSH(worker->outbox, notification))
        worker->failed = ASIM_ENOMEM;
}

const struct asim_frame_hooks asim_host_frame_hooks = {.final = asim_port_notify_final,
                                                       .lost = asim_loss_report};
