/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a switch has to do inside one window, soonest first: a calendar (R. Brown, CACM 1988) of
 * short spans, each a list in the order of time, tie (tie_key.h), seq and value. Every port has two
 * places, one for its next arrival and one for the end of its transmission, so nothing is allocated
 * and an entry costs the same however many ports are busy: ports in lockstep are put in already in
 * order, at the end of their list.
 *
 * Times lie in [begin, begin + SPANS << shift); the order never depends on the shape of the lists.
 */
#ifndef ASIM_FABRIC_LINK_CALENDAR_QUEUE_H
#define ASIM_FABRIC_LINK_CALENDAR_QUEUE_H

#include <stdint.h>
#include <string.h>

/* In `next`: the end of a list; not in any. */
enum { ASIM_WHEEL_SPANS = 512, ASIM_WHEEL_END = -1, ASIM_WHEEL_OUT = -2 };

struct asim_wheel_entry {
    uint64_t t, tie, seq;
    int32_t next; /* value of the next in its list; or see above */
};

/* A span has two lists, of even values (arrivals) and of odd ones (ends of transmissions), because
 * two kinds that alternate would make every entry walk past those of the other. */
struct asim_wheel {
    uint64_t begin;
    uint32_t shift, first;                  /* no span before `first` holds anything */
    uint64_t filled[ASIM_WHEEL_SPANS / 64]; /* bit per span */
    struct asim_wheel_span {
        int32_t head[2], tail[2]; /* head ASIM_WHEEL_END: an empty list */
        int32_t near[2];          /* what was put in last that was not the last of its list */
    } span[ASIM_WHEEL_SPANS];
    struct asim_wheel_entry *at; /* [value]; the switch's */
};

/* Makes an empty wheel of one that holds zeros. */
static inline void asim_wheel_init(struct asim_wheel *wheel, uint32_t values)
{
    for (uint32_t i = 0; i < ASIM_WHEEL_SPANS; i++)
        wheel->span[i].head[0] = wheel->span[i].head[1] = ASIM_WHEEL_END;
    for (uint32_t i = 0; i < values; i++)
        wheel->at[i].next = ASIM_WHEEL_OUT;
}

/* The wheel must be empty. Spans are one tick long where the window is short enough for that (500
 * ns links at ns resolution), so that a list holds one time; else the next power of two. */
static inline void asim_wheel_begin(struct asim_wheel *wheel, uint64_t begin, uint64_t until)
{
    wheel->begin = begin;
    wheel->first = 0;
    while ((until - begin - 1) >> wheel->shift >= ASIM_WHEEL_SPANS)
        wheel->shift++;
    while (wheel->shift && (until - begin - 1) >> (wheel->shift - 1) < ASIM_WHEEL_SPANS)
        wheel->shift--;
}

/* The order of the agenda: four words, the last of which no two entries share. */
static inline int asim_wheel_before(const struct asim_wheel *wheel, int32_t a, int32_t b)
{
    const struct asim_wheel_entry *x = &wheel->at[a], *y = &wheel->at[b];

    if (x->t != y->t)
        return x->t < y->t;
    if (x->tie != y->tie)
        return x->tie < y->tie;
    return x->seq != y->seq ? x->seq < y->seq : a < b;
}

/* The span of an entry's time, whether or not it lies there now. */
static inline struct asim_wheel_span *asim_wheel_span_of(struct asim_wheel *wheel, int32_t value)
{
    return &wheel->span[(wheel->at[value].t - wheel->begin) >> wheel->shift];
}

/* Puts a value that is not after the last of its list where it belongs. Neighbours come one after
 * the other, so the search begins at the place found last, if it is still there. */
static inline void asim_wheel_sort_in(struct asim_wheel *wheel, struct asim_wheel_span *span,
                                      int32_t value)
{
    int32_t *link = &span->head[value & 1], near = span->near[value & 1];

    if (wheel->at[near].next != ASIM_WHEEL_OUT && asim_wheel_span_of(wheel, near) == span &&
        asim_wheel_before(wheel, near, value))
        link = &wheel->at[near].next;
    while (*link != ASIM_WHEEL_END && asim_wheel_before(wheel, *link, value))
        link = &wheel->at[*link].next;
    wheel->at[value].next = *link;
    *link = value;
    span->near[value & 1] = value;
}

/* The entry's t, tie and seq are set, and t is within the window. */
static inline void asim_wheel_put(struct asim_wheel *wheel, int32_t value)
{
    struct asim_wheel_span *span = asim_wheel_span_of(wheel, value);
    uint32_t at = (uint32_t)(span - wheel->span), odd = value & 1;
    int32_t tail = span->tail[odd];

    wheel->filled[at / 64] |= 1ull << at % 64;
    if (at < wheel->first)
        wheel->first = at;
    if (span->head[odd] == ASIM_WHEEL_END)
        span->head[odd] = span->near[odd] = value;
    else if (asim_wheel_before(wheel, tail, value))
        wheel->at[tail].next = value;
    else {
        asim_wheel_sort_in(wheel, span, value);
        return;
    }
    wheel->at[value].next = ASIM_WHEEL_END;
    span->tail[odd] = value;
}

/* Takes out the first; ASIM_WHEEL_END when empty. */
static inline int32_t asim_wheel_take(struct asim_wheel *wheel)
{
    uint32_t word = wheel->first / 64, odd;
    struct asim_wheel_span *span;
    int32_t value;

    while (word < ASIM_WHEEL_SPANS / 64 && !wheel->filled[word])
        word++;
    if (word == ASIM_WHEEL_SPANS / 64)
        return ASIM_WHEEL_END;
    wheel->first = word * 64 + (uint32_t)__builtin_ctzll(wheel->filled[word]);
    span = &wheel->span[wheel->first];
    if (span->head[0] == ASIM_WHEEL_END || span->head[1] == ASIM_WHEEL_END)
        odd = span->head[0] == ASIM_WHEEL_END;
    else
        odd = (uint32_t)asim_wheel_before(wheel, span->head[1], span->head[0]);
    value = span->head[odd];
    span->head[odd] = wheel->at[value].next;
    if (span->head[0] == ASIM_WHEEL_END && span->head[1] == ASIM_WHEEL_END)
        wheel->filled[word] &= wheel->filled[word] - 1;
    wheel->at[value].next = ASIM_WHEEL_OUT;
    return value;
}

#endif
