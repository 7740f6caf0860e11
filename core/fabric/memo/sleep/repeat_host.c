/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See repeat_host.h. The messages that a host sends are in the lists of its NICs; those that it
 * receives are known by the frames that come in.
 */
#include "fabric/memo/sleep/repeat_host.h"

#include <stdlib.h>

#include "fabric/host/receiver.h"
#include "fabric/link/schedule.h"
#include "fabric/memo/state/feedback.h"
#include "fabric/memo/memo.h"
#include "fabric/memo/sleep/repeat_wire.h"
#include "fabric/memo/sleep/repeat_words.h"
#include "fabric/clock/next_event.h"

/* A host that wakes so soon does not fall asleep. */
enum { LEAST_WINDOWS = 2 };

static struct asim_repeat_host *own_of(const struct asim_fabric *fabric,
                                       const struct asim_host *host)
{
    return &fabric->repeats->host[host->node];
}

static struct asim_repeat_wire *wire_of(const struct asim_fabric *fabric,
                                        const struct asim_wire *wire)
{
    return asim_repeat_wire_of(fabric->repeats, wire);
}

static int takes_part(const struct asim_fabric *fabric, const struct asim_nic *nic)
{
    return wire_of(fabric, nic->port.out)->depth != 0;
}

/* --- the state -------------------------------------------------------------------------------- */

/* The present messages, and the words of the state. */
struct view {
    struct asim_fabric *fabric;
    const struct asim_host *host;
    struct asim_repeat_words words;
    struct asim_repeat_messages messages;
};

static const struct asim_repeat_rx *rx_of(const struct asim_repeat_messages *messages,
                                          uint64_t name)
{
    for (uint32_t i = 0; i < messages->n_rx; i++)
        if (messages->rx[i].name == name)
            return &messages->rx[i];
    return NULL;
}

static void put(struct view *view, uint64_t word)
{
    asim_repeat_put(&view->words, word);
}

/* Links of other lengths must be still, and carry nothing in between. */
static void see_inner_nic(struct view *view, const struct asim_nic *nic)
{
    put(view, nic->port.out->frames);
    put(view, nic->port.in->received);
    view->words.is_excluded |=
        !asim_nic_is_still(nic) || (nic->port.busy && nic->port.busy_until >= view->words.t);
}

/* Frames of a message inside the server may take short links. */
static int is_inside(const struct view *view, uint32_t peer)
{
    const uint32_t *domain_of = view->fabric->workers.domain_of;

    return domain_of && domain_of[peer] == domain_of[view->host->node];
}

/* A message that the host sends. */
static void put_flow(struct view *view, struct asim_flow *flow)
{
    put(view, (uint64_t)flow->slot << 32 | (unsigned)flow->generation << 8 |
                  (unsigned)asim_flow_is_over(flow));
    if (asim_flow_is_over(flow))
        return;
    view->words.is_excluded |= !asim_flow_is_regular(flow) ||
                               view->messages.n_flows == ASIM_REPEAT_MESSAGES ||
                               is_inside(view, flow->dst) || asim_feedback_size(view->fabric, flow);
    if (view->words.is_excluded)
        return;
    view->messages.flow[view->messages.n_flows].flow = flow;
    view->messages.flow[view->messages.n_flows++].at = flow->snd_una;
    put(view, flow->cc.snd_next - flow->snd_una);
    asim_repeat_put_time(&view->words, flow->next_avail);
    if (view->fabric->set.cc->retimes) /* may bring a gap that has ended back (pacing.c) */
        put(view, flow->next_avail - view->words.t);
    put(view, (uint64_t)flow->tx_frames << 32 | flow->last_wire);
    put(view, flow->window);
    put(view, flow->cc.rate_bps);
}

/* A message that the host receives. */
static void put_rx(struct view *view, uint64_t name)
{
    uint32_t slot = (uint32_t)(name >> 32);
    struct asim_rx *rx = asim_rx_of(view->fabric, (uint32_t)name, slot);

    if (rx_of(&view->messages, name))
        return;
    view->words.is_excluded |= rx->generation != slot >> 24 || rx->begun_generation != slot >> 24 ||
                               !asim_rx_is_regular(rx) ||
                               view->messages.n_rx == ASIM_REPEAT_MESSAGES ||
                               is_inside(view, (uint32_t)name);
    if (view->words.is_excluded)
        return;
    view->messages.rx[view->messages.n_rx++] = (struct asim_repeat_rx){rx, name, rx->next, 0};
    put(view, name);
    put(view, atomic_load_explicit(&rx->frames, memory_order_relaxed));
    put(view, rx->reply_nic);
    put(view, asim_ack_phase(view->fabric->set.net, rx->next));
}

/* ACKs that wait: with sequence numbers from the next byte that their message expects. */
static void put_acks(struct view *view, const struct asim_ring *acks)
{
    put(view, acks->n);
    for (uint32_t i = 0; i < acks->n && !view->words.is_excluded; i++) {
        const struct asim_frame *ack = &acks->at[(acks->head + i) & (acks->cap - 1)];
        const struct asim_repeat_rx *rx = rx_of(&view->messages, ack->flow);

        view->words.is_excluded |= !rx || ack->type != ASIM_ACK || ack->flags & ASIM_FINAL;
        if (view->words.is_excluded)
            return;
        put(view, (ack->word1 & ~ASIM_SEQ_MASK) | ((ack->seq - rx->at) & ASIM_SEQ_MASK));
        put(view, ack->flow);
        put(view, ack->word2);
    }
}

/* The order in which NICs got their last frames and began their last transmissions breaks ties. */
static void put_order(struct view *view, uint32_t i)
{
    const struct asim_host *host = view->host;
    uint64_t in = 0, out = 0;

    for (uint32_t k = 0; k < host->n_nics; k++) {
        in += host->nics[k].port.in->in_seq < host->nics[i].port.in->in_seq;
        out += host->nics[k].port.start_seq < host->nics[i].port.start_seq;
    }
    put(view, in << 32 | out);
}

/* The messages whose packets come in. */
static void see_wire(struct view *view, const struct asim_repeat_wire *in)
{
    for (uint32_t i = 0; i < in->n_steps; i++)
        if (in->step[i].type == ASIM_DATA)
            put_rx(view, in->step[i].flow);
}

static void see_nic(struct view *view, const struct asim_nic *nic)
{
    asim_repeat_put_port(&view->words, &nic->port);
    put_acks(view, &nic->acks);
    asim_repeat_put_time(&view->words, nic->wake_at == ASIM_NEVER ? 0 : nic->wake_at);
    put(view, nic->wake_at == ASIM_NEVER ? 0 : nic->wake_tie);
    put(view, (uint64_t)nic->qps.n << 32 | (uint64_t)nic->qps.n_finished << 16 |
                  (nic->qps.needs_scan != 0));
    put(view, asim_qplist_position(&nic->qps));
    for (uint32_t q = 0; (q = asim_qplist_next(&nic->qps, q)) != ASIM_QP_NONE; q++)
        put_flow(view, asim_qplist_at(&nic->qps, q));
}

/* Timers do not matter: the host wakes for the first. */
static void see(struct view *view)
{
    const struct asim_host *host = view->host;

    view->words.is_excluded |= host->start.is_open || host->start.is_filled || host->is_held;
    put(view, host->draining.n);
    for (uint32_t i = 0; i < host->n_nics && !view->words.is_excluded; i++)
        if (takes_part(view->fabric, &host->nics[i]))
            see_wire(view, wire_of(view->fabric, host->nics[i].port.in));
    for (uint32_t i = 0; i < host->n_nics && !view->words.is_excluded; i++) {
        if (takes_part(view->fabric, &host->nics[i]))
            see_nic(view, &host->nics[i]);
        else
            see_inner_nic(view, &host->nics[i]);
        put_order(view, i);
    }
}

/* --- falling asleep --------------------------------------------------------------------------- */

/* What comes in that window came in the window before, too. */
static int wires_are_steady(const struct asim_fabric *fabric, const struct asim_host *host,
                            uint64_t window)
{
    for (uint32_t i = 0; i < host->n_nics; i++)
        if (takes_part(fabric, &host->nics[i]) &&
            !asim_repeat_wire_is_steady(fabric->repeats, wire_of(fabric, host->nics[i].port.in),
                                        window))
            return 0;
    return 1;
}

static void keep(struct asim_repeat_host *own, const struct view *view)
{
    const struct asim_repeat_messages *messages = &view->messages;

    own->messages.n_flows = messages->n_flows;
    own->messages.n_rx = messages->n_rx;
    memcpy(own->messages.flow, messages->flow, messages->n_flows * sizeof *messages->flow);
    memcpy(own->messages.rx, messages->rx, messages->n_rx * sizeof *messages->rx);
    own->counts = view->host->counts;
}

/* The growth of all messages in the last window. The words list them, so they are the same. */
static void find_growth(struct asim_repeat_messages *then, const struct asim_repeat_messages *now)
{
    for (uint32_t i = 0; i < then->n_flows; i++)
        then->flow[i].by = now->flow[i].at - then->flow[i].at;
    for (uint32_t i = 0; i < then->n_rx; i++)
        then->rx[i].by = now->rx[i].at - then->rx[i].at;
}

static uint64_t flow_growth(const struct asim_repeat_messages *messages, uint64_t name)
{
    for (uint32_t i = 0; i < messages->n_flows; i++)
        if (messages->flow[i].flow->frame_word == name)
            return messages->flow[i].by;
    return ASIM_NEVER;
}

static uint64_t rx_growth(const struct asim_repeat_messages *messages, uint64_t name)
{
    const struct asim_repeat_rx *rx = rx_of(messages, name);

    return rx ? rx->by : ASIM_NEVER;
}

/* Messages grow on the wires as in the host. comes: on a wire to the host. */
static int steps_agree(const struct asim_repeat_messages *own, struct asim_repeat_wire *wire,
                       int comes)
{
    for (uint32_t i = 0; i < wire->n_steps; i++) {
        struct asim_repeat_step *step = &wire->step[i];
        int is_own = comes ? step->type == ASIM_ACK : step->type == ASIM_DATA;

        if (!asim_repeat_step_agrees(step, is_own ? flow_growth(own, step->flow)
                                                  : rx_growth(own, step->flow)))
            return 0;
    }
    return 1;
}

static int wires_may_leave(const struct asim_fabric *fabric, const struct asim_host *host)
{
    const struct asim_repeat_messages *own = &own_of(fabric, host)->messages;

    for (uint32_t i = 0; i < host->n_nics; i++)
        if (takes_part(fabric, &host->nics[i]) &&
            !(asim_repeat_wire_may_leave(fabric, host->nics[i].port.out) &&
              steps_agree(own, wire_of(fabric, host->nics[i].port.in), 1) &&
              steps_agree(own, wire_of(fabric, host->nics[i].port.out), 0)))
            return 0;
    return 1;
}

/* Turns the counters into their growth in the last window. Only counters of frames may grow. */
static int counts_grow(struct asim_repeat_host *own, const struct asim_host *host)
{
    enum { FRAMES = 6, ALL = sizeof own->counts / sizeof(uint64_t) };
    const uint64_t *now = (const uint64_t *)&host->counts;
    uint64_t *then = (uint64_t *)&own->counts, others = 0;

    for (size_t i = 0; i < ALL; i++) {
        then[i] = now[i] - then[i];
        others |= i >= FRAMES ? then[i] : 0;
    }
    return !others;
}

/* The time at which the host wakes by itself. */
static uint64_t wakes_at(const struct asim_fabric *fabric, const struct asim_host *host)
{
    const struct asim_repeats *repeats = fabric->repeats;
    const struct asim_repeat_messages *own = &own_of(fabric, host)->messages;
    uint64_t least = ASIM_NEVER, until = host->timers.n ? host->timers.at->t : ASIM_NEVER;

    for (uint32_t i = 0; i < own->n_flows; i++) {
        uint64_t windows = asim_flow_most_steps(fabric, own->flow[i].flow, own->flow[i].by);

        least = windows < least ? windows : least;
    }
    if (least < (ASIM_NEVER / 2 - repeats->begin) / repeats->length - repeats->window &&
        asim_repeat_time(repeats, repeats->window + least) < until)
        until = asim_repeat_time(repeats, repeats->window + least);
    return until;
}

int asim_repeat_host_sleep(struct asim_fabric *fabric, struct asim_host *host)
{
    struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_host *own = own_of(fabric, host);
    const struct asim_part *part = fabric->memo->parts ? asim_part_of(fabric, host->node) : NULL;
    struct view view;
    uint64_t until;

    if ((part && asim_part_is_busy(part)) || !wires_are_steady(fabric, host, repeats->window + 1)) {
        own->state.taken_at = ASIM_NEVER;
        return 0;
    }
    view.fabric = fabric;
    view.host = host;
    view.words = asim_repeat_words_begin(repeats);
    view.messages.n_flows = view.messages.n_rx = 0;
    see(&view);
    if (!asim_repeat_words_end(repeats, &view.words, &own->state) ||
        !wires_are_steady(fabric, host, repeats->window)) {
        keep(own, &view);
        return 0;
    }
    find_growth(&own->messages, &view.messages);
    until = wakes_at(fabric, host);
    if (!counts_grow(own, host) || !wires_may_leave(fabric, host) ||
        until < asim_repeat_time(repeats, repeats->window + LEAST_WINDOWS)) {
        keep(own, &view);
        return 0;
    }
    own->state.since = repeats->window;
    host->sleeps_until = until;
    for (uint32_t i = 0; i < host->n_nics; i++)
        if (takes_part(fabric, &host->nics[i])) {
            asim_repeat_wire_leave(repeats, host->nics[i].port.out);
            asim_repeat_wire_empty(fabric, host->nics[i].port.in);
        }
    return 1;
}

int asim_repeat_host_is_reached(const struct asim_fabric *fabric, const struct asim_host *host)
{
    for (uint32_t i = 0; i < host->n_nics; i++)
        if (!takes_part(fabric, &host->nics[i]) && asim_link_ring_count(host->nics[i].port.in))
            return 1;
    return 0;
}

/* --- waking ----------------------------------------------------------------------------------- */

static void move_nic(struct asim_fabric *fabric, struct asim_nic *nic, uint64_t windows,
                     uint64_t since)
{
    const struct asim_host *host = &fabric->host[nic->port.out->from];
    const struct asim_repeat_host *own = own_of(fabric, host);

    asim_port_skip(&nic->port, since, windows * fabric->repeats->length);
    if (nic->wake_at != ASIM_NEVER)
        nic->wake_at += windows * fabric->repeats->length;
    for (uint32_t i = 0; i < nic->acks.n; i++) {
        struct asim_frame *ack = &nic->acks.at[(nic->acks.head + i) & (nic->acks.cap - 1)];

        ack->seq += rx_growth(&own->messages, ack->flow) * windows;
    }
    asim_repeat_wire_send(fabric->repeats, nic->port.out);
    asim_repeat_wire_fill(fabric, nic->port.in);
}

static void move_messages(const struct asim_repeat_messages *own, uint64_t windows, uint64_t ticks)
{
    for (uint32_t i = 0; i < own->n_flows; i++)
        asim_flow_skip(own->flow[i].flow, own->flow[i].by * windows, ticks);
    for (uint32_t i = 0; i < own->n_rx; i++)
        own->rx[i].rx->next += own->rx[i].by * windows;
}

void asim_repeat_host_wake(struct asim_fabric *fabric, struct asim_host *host)
{
    struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_host *own = own_of(fabric, host);
    uint64_t windows = repeats->window - own->state.since, ticks = windows * repeats->length;
    uint64_t since = asim_repeat_time(repeats, own->state.since);
    const uint64_t *growth = (const uint64_t *)&own->counts;
    uint64_t *counts = (uint64_t *)&host->counts;

    if (own->state.since == ASIM_NEVER)
        return;
    host->now += ticks;
    for (uint32_t i = 0; i < host->n_nics; i++)
        if (takes_part(fabric, &host->nics[i]))
            move_nic(fabric, &host->nics[i], windows, since);
    move_messages(&own->messages, windows, ticks);
    for (size_t i = 0; i < sizeof own->counts / sizeof *counts; i++)
        counts[i] += growth[i] * windows;
    own->state.since = own->state.taken_at = ASIM_NEVER;
    host->sleeps_until = 0;
    asim_next_renew(fabric, host->node);
    if (ASIM_VEC_PUSH(repeats->awake, ((struct asim_repeat_unit){host->node, 0})))
        fabric->run.failed = ASIM_ENOMEM;
}
