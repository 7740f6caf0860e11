/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The slow path of a host: it compares all events of the host (frames in the receive rings, ends of
 * its own transmissions, pacing wake-ups, timers) and processes the first in the order of
 * tie_key.h.
 *
 * Callbacks of the rank (a wake, a message sent or arrived) run at host->now, inside
 * asim_host_handle_timer and asim_message_sent. They may start messages, which become timers of the
 * same time behind all events already due.
 */
#include "fabric/host/advance.h"
#include "fabric/host/hold.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/host/qp.h"
#include "fabric/host/recovery.h"
#include "fabric/host/traffic.h"
#include "fabric/link/notification.h"

enum source { FROM_NONE, FROM_END, FROM_ARRIVAL, FROM_PACING, FROM_TIMER };

struct candidate { /* the earliest event so far */
    uint64_t t, tie, seq;
    enum source source;
    struct asim_nic *nic;
};

/* Two events of one time whose keys are equal. The order of the host's own events is known. */
static void note_contest(const struct asim_host *host, const struct candidate *a,
                         const struct candidate *b)
{
    if ((a->source == FROM_ARRIVAL || b->source == FROM_ARRIVAL) &&
        (a->source != FROM_TIMER || asim_host_timer_is_ordered(host)))
        host->worker->contested = 1;
}

/* Replaces the candidate if the other event is earlier. */
static inline void offer(const struct asim_host *host, struct candidate *first,
                         const struct candidate *other)
{
    if (other->t == first->t && asim_tie_is_contested(first->tie, other->tie))
        note_contest(host, first, other);
    if (other->t < first->t ||
        (other->t == first->t &&
         (other->tie < first->tie || (other->tie == first->tie && other->seq < first->seq))))
        *first = *other;
}

/* Computes tie keys only for events that may be next. */
static inline void offer_nic(const struct asim_host *host, struct candidate *first,
                             struct asim_nic *nic)
{
    const struct asim_port *port = &nic->port;

    if (port->busy == ASIM_NIC_BUSY && port->busy_until <= first->t)
        offer(host, first,
              &(struct candidate){port->busy_until, asim_port_tie_key(port), port->start_seq,
                                  FROM_END, nic});
    if (nic->arrival_at <= first->t && nic->arrival_at != ASIM_NEVER)
        offer(host, first,
              &(struct candidate){nic->arrival_at, asim_nic_arrival_tie_key(nic), port->in->in_seq,
                                  FROM_ARRIVAL, nic});
    if (nic->wake_at <= first->t && nic->wake_at != ASIM_NEVER)
        offer(host, first,
              &(struct candidate){nic->wake_at, nic->wake_tie, nic->wake_seq, FROM_PACING, nic});
}

/* Linear in NICs, which are one to eight; a heap over them would cost more than it saves. */
static struct candidate first_of_all(const struct asim_host *host)
{
    struct candidate first = {ASIM_NEVER, UINT64_MAX, UINT64_MAX, FROM_NONE, NULL};

    if (host->timers.n) {
        const struct asim_event_entry *top = host->timers.at;

        first = (struct candidate){top->t, top->tie, top->seq, FROM_TIMER, NULL};
    }
    for (uint32_t i = 0; i < host->n_nics; i++)
        offer_nic(host, &first, &host->nics[i]);
    return first;
}

uint64_t asim_host_next(const struct asim_host *host)
{
    for (uint32_t i = 0; i < host->n_nics; i++)
        asim_nic_open_ring(&host->nics[i]);
    return first_of_all(host).t;
}

/* Whether a timer armed now for the present time would be the next event. Then it need not go
 * through the event heap. */
static inline int nothing_due(const struct asim_host *host)
{
    uint64_t now = host->now;

    if (*host->insertion)
        return 0;
    for (uint32_t i = 0; i < host->n_nics; i++) {
        const struct asim_nic *nic = &host->nics[i];

        if ((nic->port.busy == ASIM_NIC_BUSY && nic->port.busy_until <= now) ||
            nic->arrival_at <= now || nic->wake_at <= now)
            return 0;
    }
    return !host->timers.n || host->timers.at->t > now;
}

/* A send becomes a queue pair two zero-delay events after the call, as ASTRA-sim's application
 * start does: events already due at this time go first. Mostly there are none, and the second event
 * follows at once. is_next: the caller knows that. */
static void start_flow(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot,
                       int is_next)
{
    struct asim_flow *flow = asim_own_flow(host, slot);
    struct asim_nic *nic;

    if (!flow->stage++) {
        if (!is_next && !nothing_due(host)) {
            if (asim_host_timer(host, host->now, (uint64_t)ASIM_TIMER_START << 56 | slot))
                host->worker->failed = ASIM_ENOMEM;
            return;
        }
        host->timer_seq++;
        asim_host_begin(host, host->now, asim_timer_tie_key(host->tie, 0));
        host->worker->calls++;
        flow->stage++;
    }
    asim_flow_open(fabric, host, slot);
    if (host->worker->failed)
        return;
    nic = &host->nics[flow->nic];
    if (asim_nic_add(host, flow->nic, slot))
        host->worker->failed = ASIM_ENOMEM;
    else
        asim_host_kick(fabric, host, nic);
}

/* A callback has ended. Its first send waits in host->start (backend.c) and enters the event heap
 * only if another event is due at this time. */
static inline void start_inline(struct asim_fabric *fabric, struct asim_host *host)
{
    host->start.is_open = 0;
    if (!host->start.is_filled)
        return;
    host->start.is_filled = 0;
    if (nothing_due(host)) {
        asim_host_begin(host, host->now, host->start.tie);
        host->worker->calls++;
        start_flow(fabric, host, host->start.slot, 1);
    } else if (asim_event_heap_push(&host->timers,
                                    (struct asim_event_entry){
                                        host->now, host->start.tie, host->start.seq,
                                        (uint64_t)ASIM_TIMER_START << 56 | host->start.slot})) {
        host->worker->failed = ASIM_ENOMEM;
    }
}

static void handle_loss(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_notification *notification)
{
    struct asim_flow *flow = asim_own_flow(host, notification->slot);

    if (asim_recovery_lost(fabric, host, notification))
        asim_nic_kick(fabric, host, &host->nics[flow->nic], host->now);
}

/* Pops the timer before its callback runs, because the callback may add timers. */
void asim_host_handle_timer(struct asim_fabric *fabric, struct asim_host *host)
{
    uint64_t value = host->timers.at->value;
    uint32_t payload = (uint32_t)value;
    int is_deferred = host->is_held && asim_host_defer(fabric, host, host->timers.at);

    asim_event_heap_pop(&host->timers);
    if (is_deferred)
        return;

    host->worker->calls++;
    switch (value >> 56) {
    case ASIM_TIMER_WAKE:
        host->start.is_open = 1;
        fabric->set.user.wake(fabric->set.user.self, host->node);
        start_inline(fabric, host);
        break;
    case ASIM_TIMER_START:
        start_flow(fabric, host, payload, 0);
        break;
    case ASIM_TIMER_ARRIVED:
        asim_message_arrived(fabric, host, value >> 32 & (ASIM_ARRIVED_SOURCES - 1), payload);
        break;
    case ASIM_TIMER_CC:
        asim_pacing_timer(fabric, host, payload);
        break;
    case ASIM_TIMER_REPLAY:
        fabric->memo_hooks->complete(fabric, host);
        break;
    case ASIM_TIMER_TRAFFIC:
        asim_traffic_timer(fabric, host, payload);
        break;
    case ASIM_TIMER_DATAGRAM:
        asim_nic_kick(fabric, host, &host->nics[payload], host->now);
        break;
    case ASIM_TIMER_PCIE:
        asim_pcie_timer(fabric, host, payload);
        break;
    default: {
        struct asim_notification notification = host->notifications[payload];

        /* Room was reserved when the notification was stored. */
        host->free_notifications.at[host->free_notifications.n++] = payload;
        if (notification.lost)
            handle_loss(fabric, host, &notification);
        else
            asim_message_arrived(fabric, host, notification.msg.src, notification.slot);
    }
    }
}

static void handle_candidate(struct asim_fabric *fabric, struct asim_host *host,
                             const struct candidate *first)
{
    switch (first->source) {
    case FROM_END:
        first->nic->port.busy = 0;
        asim_nic_kick(fabric, host, first->nic, first->t);
        break;
    case FROM_ARRIVAL:
        asim_host_handle_frame(fabric, host, first->nic);
        break;
    case FROM_PACING:
        first->nic->wake_at = ASIM_NEVER;
        asim_nic_kick(fabric, host, first->nic, first->t);
        break;
    default:
        asim_host_handle_timer(fabric, host);
    }
}

/* Processes the first event of any kind. */
int asim_host_handle_first(struct asim_fabric *fabric, struct asim_host *host, uint64_t until,
                           uint64_t *t)
{
    struct candidate first = first_of_all(host);

    *t = first.t;
    if (first.t >= until || host->worker->failed)
        return 0;
    asim_host_begin(host, first.t, first.tie);
    handle_candidate(fabric, host, &first);
    return 1;
}
