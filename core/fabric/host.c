/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A host in its own time: frames from its NICs' mailboxes, ends of its own transmissions, pacing
 * wake-ups, and the timers of the rank that lives here, processed strictly in the order of
 * order.h. Processing includes whatever the rank's logic does in its callbacks.
 *
 * Callbacks of the rank (a wake, a message sent or arrived) run inside take_timer and complete(),
 * at host->now, and may start further messages: these are booked as timers of this same time and so
 * come after what is already due.
 */
#include "fabric/lanes.h"
#include "fabric/quick.h"
#include "fabric/runs.h"

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

/* After the mailbox was opened, and after each frame taken: what pick looks at for every event, and
 * the frame's own cache line but once. */
static inline void look(struct asim_nic *nic)
{
    const struct asim_frame *head = asim_mail_head(nic->port.in);

    nic->mail_at = head ? head->t : ASIM_NEVER;
}

static inline uint64_t mail_tie(const struct asim_nic *nic)
{
    return asim_wire_tie(nic->port.in, asim_mail_oldest(nic->port.in));
}

/* Ties are worked out only for what may be next. */
static inline void offer_nic(struct pick *pick, struct asim_nic *nic)
{
    const struct asim_port *port = &nic->port;

    if (port->busy && port->busy_until <= pick->t)
        offer(pick, &(struct pick){port->busy_until, asim_port_tie(port), port->start_seq,
                                   FROM_FREE, nic});
    if (nic->mail_at <= pick->t && nic->mail_at != ASIM_NEVER)
        offer(pick, &(struct pick){nic->mail_at, mail_tie(nic), port->in_seq, FROM_MAIL, nic});
    if (nic->wake_at <= pick->t && nic->wake_at != ASIM_NEVER)
        offer(pick, &(struct pick){nic->wake_at, nic->wake_tie, nic->wake_seq, FROM_PACING, nic});
}

/* Linear in NICs, which are one to eight; a heap over them would cost more than it saves. */
static struct pick pick_of_all(const struct asim_host *host)
{
    struct pick pick = {ASIM_NEVER, UINT64_MAX, UINT64_MAX, FROM_NONE, NULL};

    if (host->timers.n) {
        const struct asim_entry *top = host->timers.at;

        pick = (struct pick){top->t, top->tie, top->seq, FROM_TIMER, NULL};
    }
    for (uint32_t i = 0; i < host->n_nics; i++)
        offer_nic(&pick, &host->nics[i]);
    return pick;
}

/* The turn of this host begins: what has been put into its mailboxes until now is there. */
static void open_mail(const struct asim_host *host)
{
    for (uint32_t i = 0; i < host->n_nics; i++) {
        asim_mail_open(host->nics[i].port.in);
        look(&host->nics[i]);
    }
}

uint64_t asim_host_next(const struct asim_host *host)
{
    open_mail(host);
    return pick_of_all(host).t;
}

/* tie_low 0: the timer was armed now, and timers of one age come in the order of arming. A
 * notice brings its own key, that of the frame whose arrival it stands for. value = kind << 56 |
 * payload. */
int asim_host_timer(struct asim_host *host, uint64_t t, uint64_t value)
{
    return asim_agenda_push(
        &host->timers,
        (struct asim_entry){t, asim_tie(t - host->now, asim_tie_age(host->tie), ASIM_CLASS_TIMER),
                            host->timer_seq++, value});
}

/* A pause or resume frame for the queue in frame->slot. */
static void take_pfc(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                     const struct asim_frame *frame)
{
    uint8_t bit = (uint8_t)(1u << (frame->slot % ASIM_QUEUES));
    int pause = asim_pause_holds(fabric, frame);

    host->counts.pfc_got++;
    nic->port.paused = (uint8_t)(pause ? nic->port.paused | bit : nic->port.paused & ~bit);
    if (fabric->watch.pfc)
        fabric->watch.pfc(fabric->watch.self, asim_to_ns(fabric, host->now), host->node,
                          (uint32_t)(nic - host->nics) + 1, pause);
    if (!pause)
        asim_nic_kick(fabric, host, nic, host->now);
}

/* The frame is read where it lies and dropped last: until then its place is not written again. */
static inline void take_frame(struct asim_fabric *fabric, struct asim_host *host,
                              struct asim_nic *nic)
{
    struct asim_wire *in = nic->port.in;
    const struct asim_frame *frame = asim_mail_oldest(in);

    nic->port.in_seq = host->seq;
    in->got++;
    in->got_bytes += frame->wire;
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_RX,
                            (const uint32_t[2]){host->node, (uint32_t)(nic - host->nics) + 1},
                            frame, asim_to_ns(fabric, host->now));
    if (frame->type == ASIM_DATA && fabric->net->nic_total_pause_count)
        asim_pcie_pause(fabric, host, nic);
    if (frame->type == ASIM_DATA)
        asim_receiver_data(fabric, host, frame);
    else if (frame->type == ASIM_ACK || frame->type == ASIM_NACK)
        asim_sender_ack(fabric, host, frame);
    else
        take_pfc(fabric, host, nic, frame);
    asim_mail_drop(in);
    look(nic);
}

static inline void begin_event(struct asim_host *host, uint64_t t, uint64_t tie)
{
    host->now = t;
    host->tie = tie;
    host->seq++;
}

/* Whether a timer armed now for this same time would be the next event: then it need not go through
 * the agenda. Hosts with several NICs are few, and are not asked. */
static inline int is_alone(const struct asim_host *host)
{
    const struct asim_nic *nic = host->nics;

    return host->n_nics == 1 && (!nic->port.busy || nic->port.busy_until > host->now) &&
           nic->mail_at > host->now && nic->wake_at > host->now &&
           (!host->timers.n || host->timers.at->t > host->now);
}

/* A send becomes a queue pair two events of no duration after the call, as the reference's
 * application start does: whatever was already due at this time goes first. Mostly nothing is, and
 * the second event follows the first. */
static void start_flow(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot)
{
    struct asim_flow *flow = asim_own_flow(host, slot);
    struct asim_nic *nic;

    if (!flow->stage++) {
        if (!is_alone(host)) {
            if (asim_host_timer(host, host->now, (uint64_t)ASIM_TIMER_START << 56 | slot))
                host->lane->failed = ASIM_ENOMEM;
            return;
        }
        host->timer_seq++;
        begin_event(host, host->now, asim_tie(0, asim_tie_age(host->tie), ASIM_CLASS_TIMER));
        host->lane->calls++;
        flow->stage++;
    }
    asim_flow_open(fabric, host, slot);
    if (host->lane->failed)
        return;
    nic = &host->nics[flow->nic];
    if (asim_nic_add(host, flow->nic, slot))
        host->lane->failed = ASIM_ENOMEM;
    else
        asim_nic_kick(fabric, host, nic, host->now);
}

/* A callback is over: what it sent first stands beside the agenda (packet_send), and goes there
 * only if something else is due at this time. */
static inline void take_start(struct asim_fabric *fabric, struct asim_host *host)
{
    host->start.takes = 0;
    if (!host->start.full)
        return;
    host->start.full = 0;
    if (is_alone(host)) {
        begin_event(host, host->now, host->start.tie);
        host->lane->calls++;
        start_flow(fabric, host, host->start.slot);
    } else if (asim_agenda_push(
                   &host->timers,
                   (struct asim_entry){host->now, host->start.tie, host->start.seq,
                                       (uint64_t)ASIM_TIMER_START << 56 | host->start.slot})) {
        host->lane->failed = ASIM_ENOMEM;
    }
}

/* The first of a message's notices; a final ACK that was repeated brings another. */
static void take_arrival(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                         uint32_t slot)
{
    struct asim_rx *rx = asim_rx_of(fabric, src, slot);

    host->lane->waiting--;
    if (!rx->told) {
        rx->told = 1;
        if (fabric->runs && fabric->runs->recording)
            asim_runs_arrived(fabric, host, src, slot);
        /* The message stands in the slot, which is not given to another while the notice counts. */
        fabric->user.arrived(fabric->user.self, &rx->msg);
    }
    asim_rx_count(rx, -1u);
    asim_remote_owe(host->lane, src, slot);
}

/* The top timer is popped before its callback runs, which may well add others. */
static void take_timer(struct asim_fabric *fabric, struct asim_host *host)
{
    uint64_t value = asim_agenda_pop(&host->timers).value;
    uint32_t payload = (uint32_t)value;

    host->lane->calls++;
    switch (value >> 56) {
    case ASIM_TIMER_WAKE:
        host->start.takes = 1;
        fabric->user.wake(fabric->user.self, host->node);
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
    case ASIM_TIMER_CUE:
        asim_runs_cue(fabric, host);
        break;
    case ASIM_TIMER_PCIE:
        asim_pcie_timer(fabric, host, payload);
        break;
    default: {
        struct asim_notice note = host->notices[payload];

        /* Room was reserved when the notice was stored. */
        host->free_notices.at[host->free_notices.n++] = payload;
        if (note.lost)
            asim_recovery_lost(fabric, host, &note);
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
        take_frame(fabric, host, pick->nic);
        break;
    case FROM_PACING:
        pick->nic->wake_at = ASIM_NEVER;
        asim_nic_kick(fabric, host, pick->nic, pick->t);
        break;
    default:
        take_timer(fabric, host);
    }
}

/* The short way of the oldest frame (quick.h), with what take_frame does around the long one. 0:
 * the frame is where it was, and the long way must be taken. */
static inline int take_quick(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, const struct asim_frame *frame)
{
    struct asim_wire *in = nic->port.in;

    if (frame->type == ASIM_DATA ? !quick_data(fabric, host, nic, frame)
                                 : frame->type != ASIM_ACK || !quick_ack(fabric, host, nic, frame))
        return 0;
    nic->port.in_seq = host->seq;
    in->got++;
    in->got_bytes += frame->wire;
    asim_mail_drop(in);
    look(nic);
    return 1;
}

/* Whether the oldest frame goes before the end of the own transmission at the same time: hosts in
 * lockstep meet this at every packet. */
static inline int mail_is_first(const struct asim_nic *nic)
{
    uint64_t mail = mail_tie(nic), free = asim_port_tie(&nic->port);

    return mail < free || (mail == free && nic->port.in_seq < nic->port.start_seq);
}

/* A timer or a wake-up of the NIC, whichever comes alone. 0: it does not, and nothing was done. */
static int take_own(struct asim_fabric *fabric, struct asim_host *host, uint64_t frames)
{
    struct asim_nic *nic = host->nics;
    uint64_t timer = host->timers.n ? host->timers.at->t : ASIM_NEVER, wake = nic->wake_at;

    if (timer < frames && timer < wake) {
        begin_event(host, timer, host->timers.at->tie);
        take_timer(fabric, host);
        return 1;
    }
    if (wake >= frames || wake >= timer)
        return 0;
    begin_event(host, wake, nic->wake_tie);
    nic->wake_at = ASIM_NEVER;
    asim_nic_kick(fabric, host, nic, wake);
    return 1;
}

/* Events of a host with one NIC, as long as frames meet no timer at the same time. Returns the time
 * of the next event; that is before `until` where several meet, and after a failure. */
static uint64_t advance_plain(struct asim_fabric *fabric, struct asim_host *host, uint64_t until)
{
    struct asim_nic *nic = host->nics;
    /* Callbacks may start messages and make timers, but change nothing of this. */
    int plain = asim_host_is_plain(fabric, host);

    while (!host->lane->failed) {
        uint64_t free = nic->port.busy ? nic->port.busy_until : ASIM_NEVER, mail = nic->mail_at;
        uint64_t timer = host->timers.n ? host->timers.at->t : ASIM_NEVER, wake = nic->wake_at;
        uint64_t own = wake < timer ? wake : timer, t = mail < free ? mail : free;

        if (t >= until || t >= own) {
            uint64_t first = own < t ? own : t;

            if (first >= until || !take_own(fabric, host, t))
                return first;
            continue;
        }
        if (mail < free || (mail == free && mail_is_first(nic))) {
            const struct asim_frame *frame = asim_mail_oldest(nic->port.in);

            begin_event(host, t, asim_wire_tie(nic->port.in, frame));
            if (!plain || !take_quick(fabric, host, nic, frame)) {
                take_frame(fabric, host, nic);
                continue;
            }
        } else {
            begin_event(host, t, asim_port_tie(&nic->port));
            nic->port.busy = 0;
        }
        if (!plain || !quick_kick(fabric, host, nic, t))
            asim_nic_kick(fabric, host, nic, t);
    }
    return 0;
}

/* Everything of this host before `until`, in order; returns the time of what comes next. host->now
 * moves with each event, which is what the rank sees as its own time. Stops early once failed. */
uint64_t asim_host_advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until)
{
    open_mail(host);
    for (;;) {
        uint64_t first = host->n_nics == 1 ? advance_plain(fabric, host, until) : 0;
        struct pick pick;

        if (first >= until)
            return first;
        pick = pick_of_all(host);
        if (pick.t >= until || host->lane->failed)
            return pick.t;
        begin_event(host, pick.t, pick.tie);
        take_pick(fabric, host, &pick);
    }
}
