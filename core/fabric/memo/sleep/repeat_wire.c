/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See repeat_wire.h.
 */
#include "fabric/memo/sleep/repeat_wire.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/link/transmit.h"

/* All of word 1 but the sequence number. */
#define REST (~(uint64_t)ASIM_SEQ_MASK)

/* What a frame has more than the kept one. */
struct move {
    uint64_t ticks, bytes;
};

/* Puts a frame into the ring behind all others. */
static inline void push(struct asim_fabric *fabric, struct asim_wire *wire,
                        const struct asim_frame *frame, struct move move)
{
    struct asim_worker *worker = fabric->workers.at;
    struct asim_frame *place = asim_link_ring_slot(worker, wire);

    if (!place)
        return;
    place->t = frame->t + move.ticks;
    place->word1 = (frame->word1 & REST) | ((frame->word1 + move.bytes) & ASIM_SEQ_MASK);
    place->flow = frame->flow;
    place->word2 = frame->word2;
    asim_port_publish(worker, wire, frame->t + move.ticks);
}

static void clear(struct asim_wire *wire)
{
    if (wire->at)
        asim_link_ring_restart(wire);
}

/* The growth of the i-th frame's sequence number in a window. */
static inline uint64_t growth(const struct asim_repeat_wire *own, uint32_t i)
{
    return own->step_of[i] < ASIM_REPEAT_STEPS ? own->step[own->step_of[i]].by : ASIM_NEVER;
}

/* Puts the frames of window j that are still on the wire at the begin of `now` into the ring. */
static void push_window(struct asim_fabric *fabric, struct asim_wire *wire, uint64_t j,
                        uint64_t now)
{
    const struct asim_repeats *repeats = fabric->repeats;
    const struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint64_t from = asim_repeat_time(repeats, j), begin = asim_repeat_time(repeats, now);
    uint32_t first = own->n;

    while (first && from + own->frame[first - 1].t >= begin)
        first--;
    for (uint32_t i = first; i < own->n; i++)
        push(fabric, wire, &own->frame[i], (struct move){from, growth(own, i) * (j - own->of)});
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
        push(fabric, wire, &repeats->frames.at[i], (struct move){0, 0});
}

/* Whether the frame may be one of many alike: data, or an ACK of a message that goes on. */
static int may_repeat(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    return frame->type == ASIM_DATA || (frame->type == ASIM_ACK && !(frame->flags & ASIM_FINAL) &&
                                        (fabric->set.cc_idle || !(frame->flags & ASIM_CNP)));
}

/* The packet is not the last one of its message. */
static int goes_on(const struct asim_fabric *fabric, uint64_t flow, uint64_t end)
{
    return end - fabric->set.data_overhead <
           asim_rx_of(fabric, (uint32_t)flow, (uint32_t)(flow >> 32))->size;
}

/* Neither does the frame happen once, nor does its message end with it. */
static int happens_again(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    return may_repeat(fabric, frame) &&
           (frame->type != ASIM_DATA || goes_on(fabric, frame->flow, frame->seq + frame->wire));
}

/* Whether a frame equals the i-th one kept; windows: from then to now. */
static inline int is_same_frame(struct asim_repeat_wire *own, const struct asim_frame *now,
                                uint32_t i, uint64_t windows)
{
    const struct asim_frame *then = &own->frame[i];
    uint64_t by = (now->seq - then->seq) & ASIM_SEQ_MASK;
    struct asim_repeat_step *step = &own->step[own->step_of[i]];

    if (now->flow != then->flow || now->word2 != then->word2 || (now->word1 ^ then->word1) & REST ||
        own->step_of[i] == ASIM_REPEAT_STEPS)
        return 0;
    step->end = now->seq + now->wire;
    if (step->by == ASIM_NEVER && windows == 1)
        step->by = by;
    return step->by != ASIM_NEVER && ((step->by * windows) & ASIM_SEQ_MASK) == by;
}

/* No message ends in this window. */
static int all_go_on(const struct asim_fabric *fabric, const struct asim_repeat_wire *own)
{
    for (uint32_t i = 0; i < own->n_steps; i++) {
        const struct asim_repeat_step *step = &own->step[i];

        if (step->type == ASIM_DATA && !goes_on(fabric, step->flow, step->end))
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
    for (uint32_t i = 0; i < n; i++) {
        const struct asim_frame *frame = &wire->at[(first + i) & wire->mask];

        if (frame->t - begin != own->frame[i].t || !may_repeat(fabric, frame) ||
            !is_same_frame(own, frame, i, repeats->window - own->of))
            return 0;
    }
    return !n || all_go_on(fabric, own);
}

/* Of the last n frames of the ring, so many at the end equal those of the window before. */
static uint32_t same_at_end(const struct asim_fabric *fabric, const struct asim_wire *wire,
                            uint32_t n)
{
    const struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint32_t last = atomic_load_explicit(&wire->tail, memory_order_relaxed) - 1, same;
    uint64_t begin = asim_repeat_time(repeats, repeats->window);

    for (same = 0; same < n && same < own->n; same++) {
        const struct asim_frame *now = &wire->at[(last - same) & wire->mask];
        uint32_t i = own->n - 1 - same;

        if (now->t - begin != own->frame[i].t || !happens_again(fabric, now) ||
            !is_same_frame(own, now, i, repeats->window - own->of))
            break;
    }
    return same;
}

/* The arrival of the last frame that is, or would be, before the `same` frames at the end. */
static uint64_t last_deviation(const struct asim_repeats *repeats, const struct asim_wire *wire,
                               uint32_t n, uint32_t same)
{
    const struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);
    uint64_t begin = asim_repeat_time(repeats, repeats->window);
    uint64_t now = n > same ? wire->at[(tail - 1 - same) & wire->mask].t : 0;
    uint64_t then = own->n > same ? begin + own->frame[own->n - 1 - same].t : 0;

    return now > then ? now : then;
}

/* The index of frames like this one; adds them without growth. ASIM_REPEAT_STEPS: there is no room.
 */
static inline uint32_t step_for(struct asim_repeat_wire *own, const struct asim_frame *frame)
{
    uint32_t i = asim_repeat_step_index(own->step, own->n_steps, frame->flow, frame->type);

    if (i == own->n_steps && i < ASIM_REPEAT_STEPS)
        own->step[own->n_steps++] =
            (struct asim_repeat_step){frame->flow, ASIM_NEVER, 0, frame->type};
    return i;
}

static int grow(struct asim_repeat_wire *own, uint32_t n)
{
    size_t cap = own->cap, arrival_cap = own->cap, step_cap = own->cap;

    if (asim_grow(&own->frame, &cap, n, sizeof *own->frame) ||
        asim_grow(&own->arrival, &arrival_cap, n, sizeof *own->arrival) ||
        asim_grow(&own->step_of, &step_cap, n, sizeof *own->step_of))
        return ASIM_ENOMEM;
    own->cap = (uint32_t)cap; /* of all three */
    return 0;
}

/* Keeps the last n frames of the ring. The growth of the `same` last ones is known. */
static int keep(const struct asim_repeats *repeats, const struct asim_wire *wire, uint32_t n,
                uint32_t same)
{
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    struct asim_repeat_step old[ASIM_REPEAT_STEPS];
    uint32_t first = atomic_load_explicit(&wire->tail, memory_order_relaxed) - n;
    uint32_t n_old = own->n_steps;
    uint64_t begin = asim_repeat_time(repeats, repeats->window);

    if (grow(own, n))
        return ASIM_ENOMEM;
    memcpy(old, own->step, n_old * sizeof *old);
    own->n = n;
    own->n_steps = 0;
    own->bytes = 0;
    own->of = repeats->window;
    for (uint32_t i = 0; i < n; i++) {
        struct asim_frame *frame = &own->frame[i];
        struct asim_repeat_step *step;

        *frame = wire->at[(first + i) & wire->mask];
        frame->t -= begin;
        own->bytes += frame->wire;
        own->step_of[i] = (uint8_t)step_for(own, frame);
        if (own->step_of[i] == ASIM_REPEAT_STEPS)
            continue;
        step = &own->step[own->step_of[i]];
        step->end = frame->seq + frame->wire;
        if (step->by == ASIM_NEVER && i >= n - same) /* then it is one of the old steps */
            step->by = old[asim_repeat_step_index(old, n_old, frame->flow, frame->type)].by;
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

    own->n = own->n_steps = 0;
    own->bytes = own->of = 0;
    own->deviated = own->listed = ASIM_NEVER;
    own->seen = ASIM_NEVER / 2; /* none */
    own->before = wire->frames;
    own->sender_since = own->reader_since = ASIM_NEVER;
}

/* The last n frames of the ring are not those of the window before. */
static int renew(struct asim_fabric *fabric, const struct asim_wire *wire, uint32_t n)
{
    const struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);
    uint32_t same = 0;

    if (own->seen + 1 == repeats->window) {
        same = same_at_end(fabric, wire, n);
        own->deviated = last_deviation(repeats, wire, n, same);
    } else {
        own->deviated = asim_repeat_time(repeats, repeats->window + 1 + own->depth);
    }
    return keep(repeats, wire, n, same);
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
    if (!same && renew(fabric, wire, n))
        fabric->run.failed = ASIM_ENOMEM;
    own->seen = repeats->window;
    if (own->reader_since != ASIM_NEVER)
        clear(wire);
    return same;
}

int asim_repeat_wire_may_leave(const struct asim_fabric *fabric, const struct asim_wire *wire)
{
    struct asim_repeat_wire *own = asim_repeat_wire_of(fabric->repeats, wire);

    if (own->of + 1 != fabric->repeats->window)
        return 1; /* it has been compared with the one before */
    for (uint32_t i = 0; i < own->n; i++) {
        const struct asim_frame *frame = &own->frame[i];

        if (!happens_again(fabric, frame) || own->step_of[i] == ASIM_REPEAT_STEPS)
            return 0;
    }
    return 1;
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
    for (uint32_t i = 0; i < own->n_steps; i++)
        own->step[i].end += own->step[i].by * windows;
    own->sender_since = ASIM_NEVER;
    own->seen = repeats->window - 1;
}

/* Frames of an earlier window arrive before those of a later one. */
static void list_arrivals(const struct asim_repeats *repeats, struct asim_repeat_wire *own)
{
    uint64_t length = repeats->length;
    uint64_t begin = own->n ? own->frame[own->n - 1].t / length * length : 0;
    uint32_t at = 0;

    if (own->listed == own->of)
        return;
    own->listed = own->of;
    for (uint32_t first, end = own->n; end; end = first, begin -= length) {
        for (first = end; first && own->frame[first - 1].t >= begin; first--)
            ;
        for (uint32_t i = first; i < end; i++) {
            own->arrival[at] = own->frame[i];
            own->arrival[at++].t -= begin;
        }
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
