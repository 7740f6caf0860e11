/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A host in its own time: frames from its NICs' mailboxes, ends of its own transmissions, pacing
 * wake-ups, and the timers of the rank that lives here, processed strictly in the order of
 * tie_key.h. Processing includes whatever the rank's logic does in its callbacks.
 *
 * Callbacks of the rank (a wake, a message sent or arrived) run inside take_timer and complete(),
 * at host->now, and may start further messages: these are booked as timers of this same time and so
 * come after what is already due.
 */
#include "fabric/host/fast/frame_loop.h"
#include "fabric/host/pacing.h"
#include "fabric/host/pcie.h"
#include "fabric/host/qp.h"
#include "fabric/host/receiver.h"
#include "fabric/link/transmit.h"
#include "fabric/host/memo_hooks.h"

#include <stdlib.h>
#include <string.h>

enum source { FROM_NONE, FROM_FREE, FROM_MAIL, FROM_PACING, FROM_TIMER };

struct pick { /* the earliest event so far */
    uint64_t t, tie, seq;
    enum source source;
    struct asim_nic *nic;
};

/* Takes an event into the pick if it is earlier. */
static inline void offer(struct pick *pick, const struct pick *other)
{
    if (other->t < pick->t ||
        (other->t == pick->t &&
         (other->tie < pick->tie || (other->tie == pick->tie && other->seq < pick->seq))))
        *pick = *other;
}

/* Ties are worked out only for what may be next. */
static inline void offer_nic(struct pick *pick, struct asim_nic *nic)
{
    const struct asim_port *port = &nic->port;

    if (port->busy == ASIM_NIC_BUSY && port->busy_until <= pick->t)
        offer(pick, &(struct pick){port->busy_until, asim_port_tie_key(port), port->start_seq,
                                   FROM_FREE, nic});
    if (nic->arrival_at <= pick->t && nic->arrival_at != ASIM_NEVER)
        offer(pick, &(struct pick){nic->arrival_at, asim_nic_arrival_tie_key(nic), port->in->in_seq,
                                   FROM_MAIL, nic});
    if (nic->wake_at <= pick->t && nic->wake_at != ASIM_NEVER)
        offer(pick, &(struct pick){nic->wake_at, nic->wake_tie, nic->wake_seq, FROM_PACING, nic});
}

/* Linear in NICs, which are one to eight; a heap over them would cost more than it saves. */
static struct pick pick_of_all(const struct asim_host *host)
{
    struct pick pick = {ASIM_NEVER, UINT64_MAX, UINT64_MAX, FROM_NONE, NULL};

    if (host->timers.n) {
        const struct asim_event_entry *top = host->timers.at;

        pick = (struct pick){top->t, top->tie, top->seq, FROM_TIMER, NULL};
    }
    for (uint32_t i = 0; i < host->n_nics; i++)
        offer_nic(&pick, &host->nics[i]);
    return pick;
}

uint64_t asim_host_next(const struct asim_host *host)
{
    for (uint32_t i = 0; i < host->n_nics; i++)
        asim_nic_open_ring(&host->nics[i]);
    return pick_of_all(host).t;
}

/* A pause or resume frame for the queue in frame->slot. */
static void take_pfc(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                     const struct asim_frame *frame)
{
    uint8_t bit = (uint8_t)(1u << (frame->slot % ASIM_QUEUES));
    int pause = asim_pause_holds(fabric, frame);

    host->counts.pfc_received++;
    nic->port.paused = (uint8_t)(pause ? nic->port.paused | bit : nic->port.paused & ~bit);
    if (fabric->watch.pfc)
        fabric->watch.pfc(fabric->watch.self, asim_to_ns(fabric, host->now), host->node,
                          (uint32_t)(nic - host->nics) + 1, pause);
    if (!pause)
        asim_nic_kick(fabric, host, nic, host->now);
}

/* The frame is read where it lies and dropped last: until then its place is not written again. */
void asim_host_handle_frame(struct asim_fabric *fabric, struct asim_host *host,
                            struct asim_nic *nic)
{
    struct asim_wire *in = nic->port.in;
    const struct asim_frame *frame = asim_link_ring_oldest(in);

    asim_link_ring_count_in(in, frame, host->seq);
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_RX,
                            (struct asim_port_id){host->node, (uint32_t)(nic - host->nics) + 1},
                            frame, asim_to_ns(fabric, host->now));
    if (frame->type == ASIM_DATA && fabric->set.net->nic_total_pause_count)
        asim_pcie_pause(fabric, host, nic);
    if (frame->type == ASIM_DATA)
        asim_receiver_data(fabric, host, frame);
    else if (frame->type == ASIM_ACK || frame->type == ASIM_NACK)
        asim_sender_ack(fabric, host, frame);
    else
        take_pfc(fabric, host, nic, frame);
    asim_link_ring_drop(in);
    asim_nic_update_arrival(nic);
}

/* Whether a timer armed now for this same time would be the next event: then it need not go through
 * the agenda. */
static inline int is_alone(const struct asim_host *host)
{
    uint64_t now = host->now;

    for (uint32_t i = 0; i < host->n_nics; i++) {
        const struct asim_nic *nic = &host->nics[i];

        if ((nic->port.busy == ASIM_NIC_BUSY && nic->port.busy_until <= now) ||
            nic->arrival_at <= now || nic->wake_at <= now)
            return 0;
    }
    return !host->timers.n || host->timers.at->t > now;
}

/* A send becomes a queue pair two events of no duration after the call, as ASTRA-sim's
 * application start does: whatever was already due at this time goes first. Mostly nothing is, and
 * the second event follows the first. */
static void start_flow(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot)
{
    struct asim_flow *flow = asim_own_flow(host, slot);
    struct asim_nic *nic;

    if (!flow->stage++) {
        if (!is_alone(host)) {
            if (asim_host_timer(host, host->now, (uint64_t)ASIM_TIMER_START << 56 | slot))
                host->worker->failed = ASIM_ENOMEM;
            return;
        }
        host->timer_seq++;
        asim_host_begin(host, host->now,
                        asim_tie_key(0, asim_tie_key_age(host->tie), ASIM_CLASS_TIMER));
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

/* A callback is over: what it sent first stands beside the agenda (packet_send), and goes there
 * only if something else is due at this time. */
static inline void take_start(struct asim_fabric *fabric, struct asim_host *host)
{
    host->start.is_open = 0;
    if (!host->start.is_filled)
        return;
    host->start.is_filled = 0;
    if (is_alone(host)) {
        asim_host_begin(host, host->now, host->start.tie);
        host->worker->calls++;
        start_flow(fabric, host, host->start.slot);
    } else if (asim_event_heap_push(&host->timers,
                                    (struct asim_event_entry){
                                        host->now, host->start.tie, host->start.seq,
                                        (uint64_t)ASIM_TIMER_START << 56 | host->start.slot})) {
        host->worker->failed = ASIM_ENOMEM;
    }
}

/* The first of a message's notices; a final ACK that was repeated brings another. */
static void take_arrival(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                         uint32_t slot)
{
    struct asim_rx *rx = asim_rx_of(fabric, src, slot);

    host->worker->waiting--;
    if (!rx->notified) {
        rx->notified = 1;
        if (fabric->memo_hooks)
            fabric->memo_hooks->arrived(fabric, host, src, slot);
        /* The message stands in the slot, which is not given to another while the notice counts. */
        fabric->set.user.arrived(fabric->set.user.self, &rx->msg);
    }
    asim_rx_count(rx, -1u);
    asim_flow_add_release(host->worker, src, slot);
}

static void take_loss(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_notification *note)
{
    struct asim_flow *flow = asim_own_flow(host, note->slot);

    if (asim_recovery_lost(fabric, host, note))
        asim_nic_kick(fabric, host, &host->nics[flow->nic], host->now);
}

/* The top timer is popped before its callback runs, which may well add others. */
void asim_host_handle_timer(struct asim_fabric *fabric, struct asim_host *host)
{
    uint64_t value = asim_event_heap_pop(&host->timers).value;
    uint32_t payload = (uint32_t)value;

    host->worker->calls++;
    switch (value >> 56) {
    case ASIM_TIMER_WAKE:
        host->start.is_open = 1;
        fabric->set.user.wake(fabric->set.user.self, host->node);
        take_start(fabric, host);
        break;
    case ASIM_TIMER_START:
        start_flow(fabric, host, payload);
        break;
    case ASIM_TIMER_ARRIVED:
        take_arrival(fabric, host, value >> 32 & (ASIM_ARRIVED_SOURCES - 1), payload);
        break;
    case ASIM_TIMER_CC:
        asim_pacing_timer(fabric, host, payload);
        break;
    case ASIM_TIMER_REPLAY:
        fabric->memo_hooks->complete(fabric, host);
        break;
    case ASIM_TIMER_PCIE:
        asim_pcie_timer(fabric, host, payload);
        break;
    default: {
        struct asim_notification note = host->notifications[payload];

        /* Room was reserved when the notice was stored. */
        host->free_notifications.at[host->free_notifications.n++] = payload;
        if (note.lost)
            take_loss(fabric, host, &note);
        else
            take_arrival(fabric, host, note.msg.src, note.slot);
    }
    }
}

static void take_pick(struct asim_fabric *fabric, struct asim_host *host, const struct pick *pick)
{
    switch (pick->source) {
    case FROM_FREE:
        pick->nic->port.busy = 0;
        asim_nic_kick(fabric, host, pick->nic, pick->t);
        break;
    case FROM_MAIL:
        asim_host_handle_frame(fabric, host, pick->nic);
        break;
    case FROM_PACING:
        pick->nic->wake_at = ASIM_NEVER;
        asim_nic_kick(fabric, host, pick->nic, pick->t);
        break;
    default:
        asim_host_handle_timer(fabric, host);
    }
}

/* The first of all events, whatever it is, if it is before `until`; else 0, with its time. */
int asim_host_handle_first(struct asim_fabric *fabric, struct asim_host *host, uint64_t until,
                           uint64_t *t)
{
    struct pick pick = pick_of_all(host);

    *t = pick.t;
    if (pick.t >= until || host->worker->failed)
        return 0;
    asim_host_begin(host, pick.t, pick.tie);
    take_pick(fabric, host, &pick);
    return 1;
}
