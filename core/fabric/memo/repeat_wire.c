/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See repeat_wire.h.
 */
#include "fabric/memo/repeat_wire.h"

#include <stdlib.h>

#include "fabric/link/transmit.h"

/* All of word 1 but the sequence number. */
#define REST (~(uint64_t)ASIM_SEQ_MASK)

/* Puts a frame into the ring behind all others. */
static void push(struct asim_fabric *fabric, struct asim_wire *wire, const struct asim_frame *frame)
{
    struct asim_worker *worker = fabric->workers.at;
    struct asim_frame *place = asim_link_ring_slot(worker, wire);

    if (!place)
        return;
    *place = *frame;
    asim_port_publish(worker, wire, frame->t);
}

static void clear(struct asim_wire *wire)
{
    if (wire->at)
        asim_link_ring_restart(wire);
}

/* Puts the frames of window j that are still on the wire at the begin of `now` into the ring. */
static void push_window(struct asim_fabric *fabric, struct asim_wire *wire, uint64_t j,
                        uint64_t now)
{
    const struct asim_repeats *repeats = fabric->repeats;
    const struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint64_t from = asim_repeat_time(repeats, j), begin = asim_repeat_time(repeats, now);

    for (uint32_t i = 0; i < own->n; i++) {
        struct asim_frame frame = own->frame[i];

        frame.t += from;
        if (frame.t < begin)
            continue;
        frame.seq += asim_repeat_step_of(own, frame.flow, frame.type) * (j - own->of);
        push(fabric, wire, &frame);
    }
}

/* The ring has n frames of this window at most: puts those of the windows before `end`, which are
 * on the wire at the begin of `now`, before them. */
static void put_earlier(struct asim_fabric *fabric, struct asim_wire *wire, uint64_t end,
                        uint64_t now)
{
    struct asim_repeats *repeats = fabric->repeats;
    const struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);
    uint32_t n = atomic_load_explicit(&wire->tail, memory_order_relaxed) - head;

    if (ASIM_VEC_RESERVE(repeats->frames, n + (size_t)1)) {
        fabric->run.failed = ASIM_ENOMEM;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        repeats->frames.at[i] = wire->at[(head + i) & wire->mask];
    clear(wire);
    for (uint64_t j = now > own->depth ? now - own->depth : 0; j < end; j++)
        push_window(fabric, wire, j, now);
    for (uint32_t i = 0; i < n; i++)
        push(fabric, wire, &repeats->frames.at[i]);
}

/* Whether the frame may be one of many alike: data, or an ACK of a message that goes on. */
static int may_repeat(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    return frame->type == ASIM_DATA || (frame->type == ASIM_ACK && !(frame->flags & ASIM_FINAL) &&
                                        (fabric->set.cc_idle || !(frame->flags & ASIM_CNP)));
}

/* The step of such frames; adds one, with the growth `by`, if the window before had no predecessor.
 * NULL: there is none. */
static struct asim_repeat_step *step_for(struct asim_repeat_wire *own,
                                         const struct asim_frame *frame, uint64_t by)
{
    for (uint32_t i = 0; i < own->n_steps; i++)
        if (own->step[i].flow == frame->flow && own->step[i].type == frame->type)
            return &own->step[i];
    if (own->n_steps == ASIM_REPEAT_STEPS || own->same)
        return NULL;
    own->step[own->n_steps] = (struct asim_repeat_step){frame->flow, by, 0, frame->type};
    return &own->step[own->n_steps++];
}

/* windows: from the kept frame to the present one. */
static int is_same_frame(struct asim_repeat_wire *own, const struct asim_frame *now,
                         const struct asim_frame *then, uint64_t windows)
{
    uint64_t by = (now->seq - then->seq) & ASIM_SEQ_MASK;
    struct asim_repeat_step *step;

    if (now->flow != then->flow || now->word2 != then->word2 || (now->word1 ^ then->word1) & REST)
        return 0;
    step = step_for(own, now, by);
    if (!step || ((step->by * windows) & ASIM_SEQ_MASK) != by)
        return 0;
    step->end = now->seq + now->wire;
    return 1;
}

/* No message ends in this window. */
static int all_go_on(const struct asim_fabric *fabric, const struct asim_repeat_wire *own)
{
    for (uint32_t i = 0; i < own->n_steps; i++) {
        const struct asim_repeat_step *step = &own->step[i];

        if (step->type == ASIM_DATA &&
            step->end - fabric->set.data_overhead >=
                asim_rx_of(fabric, (uint32_t)step->flow, (uint32_t)(step->flow >> 32))->size)
            return 0;
    }
    return 1;
}

/* Whether the last n frames of the ring equal those of the window before. */
static int is_same(const struct asim_fabric *fabric, const struct asim_wire *wire, uint32_t n)
{
    const struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint32_t first = atomic_load_explicit(&wire->tail, memory_order_relaxed) - n;
    uint64_t begin = asim_repeat_time(repeats, repeats->window);

    if (n != own->n || own->seen + 1 != repeats->window)
        return 0;
    if (!own->same)
        own->n_steps = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct asim_frame *frame = &wire->at[(first + i) & wire->mask];

        if (frame->t - begin != own->frame[i].t || !may_repeat(fabric, frame) ||
            !is_same_frame(own, frame, &own->frame[i], repeats->window - own->of))
            return 0;
    }
    return !n || all_go_on(fabric, own);
}

/* Keeps the last n frames of the ring. */
static int keep(const struct asim_repeats *repeats, const struct asim_wire *wire, uint32_t n)
{
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint32_t first = atomic_load_explicit(&wire->tail, memory_order_relaxed) - n;
    uint64_t begin = asim_repeat_time(repeats, repeats->window);
    size_t cap = own->cap, arrival_cap = own->cap;

    if (n > own->cap && (asim_grow(&own->frame, &cap, n, sizeof *own->frame) ||
                         asim_grow(&own->arrival, &arrival_cap, n, sizeof *own->arrival)))
        return ASIM_ENOMEM;
    own->cap = (uint32_t)cap;
    own->n = n;
    own->bytes = 0;
    own->of = repeats->window;
    for (uint32_t i = 0; i < n; i++) {
        own->frame[i] = wire->at[(first + i) & wire->mask];
        own->frame[i].t -= begin;
        own->bytes += own->frame[i].wire;
    }
    return 0;
}

/* Adds what its readers did not count while they slept, before window `to`. */
static void count_in(struct asim_wire *wire, struct asim_repeat_wire *own, uint64_t to)
{
    uint64_t windows = to - own->reader_since;

    wire->received += windows * own->n;
    wire->received_bytes += windows * own->bytes;
    own->reader_since = ASIM_NEVER;
}

void asim_repeat_wire_reset(struct asim_repeats *repeats, const struct asim_wire *wire)
{
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);

    own->n = own->n_steps = own->same = 0;
    own->bytes = own->of = 0;
    own->seen = ASIM_NEVER / 2; /* none */
    own->before = wire->frames;
    own->sender_since = own->reader_since = ASIM_NEVER;
}

int asim_repeat_wire_compare(struct asim_fabric *fabric, struct asim_wire *wire)
{
    struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint32_t n = (uint32_t)(wire->frames - own->before);
    int same = is_same(fabric, wire, n);

    own->before = wire->frames;
    repeats->carried += n;
    if (own->reader_since != ASIM_NEVER && !same) {
        put_earlier(fabric, wire, repeats->window, repeats->window + 1);
        count_in(wire, own, repeats->window + 1);
    }
    own->same = same ? own->same + (own->same < own->depth) : 0;
    own->seen = repeats->window;
    if (!same && keep(repeats, wire, n))
        fabric->run.failed = ASIM_ENOMEM;
    if (own->reader_since != ASIM_NEVER)
        clear(wire);
    return same;
}

void asim_repeat_wire_leave(struct asim_repeats *repeats, const struct asim_wire *wire)
{
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);

    own->sender_since = repeats->window;
    repeats->each_window += own->n;
}

void asim_repeat_wire_send(struct asim_repeats *repeats, struct asim_wire *wire)
{
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint64_t windows = repeats->window - own->sender_since;

    wire->frames += windows * own->n;
    wire->bytes += windows * own->bytes;
    repeats->saved += windows * own->n;
    repeats->each_window -= own->n;
    own->before = wire->frames;
    own->same = windows < own->depth ? own->same + (uint32_t)windows : own->depth;
    own->sender_since = ASIM_NEVER;
    own->seen = repeats->window - 1;
}

/* Frames of an earlier window arrive before those of a later one. */
static void list_arrivals(const struct asim_repeats *repeats, struct asim_repeat_wire *own)
{
    uint64_t length = repeats->length;
    uint32_t at = 0;

    for (uint64_t window = own->n ? own->frame[own->n - 1].t / length : 0; at < own->n; window--)
        for (uint32_t i = 0; i < own->n; i++)
            if (own->frame[i].t / length == window) {
                own->arrival[at] = own->frame[i];
                own->arrival[at++].t %= length;
            }
}

void asim_repeat_wire_empty(struct asim_fabric *fabric, struct asim_wire *wire)
{
    struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);

    own->reader_since = repeats->window;
    list_arrivals(repeats, own);
    clear(wire);
    wire->in_at = own->arrival;
    wire->in_mask = UINT32_MAX;
}

void asim_repeat_wire_fill(struct asim_fabric *fabric, struct asim_wire *wire)
{
    struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);

    if (own->reader_since == ASIM_NEVER) /* the last window has put them there */
        return;
    count_in(wire, own, repeats->window);
    put_earlier(fabric, wire, repeats->window, repeats->window);
    wire->in_at = wire->at;
    wire->in_mask = wire->mask;
}

void asim_repeat_wire_expand(struct asim_fabric *fabric, struct asim_wire *wire)
{
    push_window(fabric, wire, fabric->repeats->window, fabric->repeats->window + 1);
}
