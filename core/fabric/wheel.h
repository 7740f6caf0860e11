/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a switch has to do inside one window, soonest first: a calendar (R. Brown, CACM 1988) of
 * short spans, each a list in the order of time, tie (order.h), seq and value. Every port has two
 * places, one for its next arrival and one for the end of its transmission, so nothing is allocated
 * and an entry costs the same however many ports are busy: ports in lockstep are put in already in
 * order, at the end of their list.
 *
 * Times lie in [begin, begin + SPANS << shift); the order never depends on the shape of the lists.
 */
#ifndef ASIM_FABRIC_WHEEL_H
#define ASIM_FABRIC_WHEEL_H

#include <stdint.h>
#include <string.h>

/* In `next`: the end of a list; not in any. */
enum { ASIM_WHEEL_SPANS = 512, ASIM_WHEEL_END = -1, ASIM_WHEEL_OUT = -2 };

struct asim_wheel_entry {
    uint64_t t, tie, seq;
    int32_t next; /* value of the next in its list; or see above */
};

struct asim_wheel {
    uint64_t begin;
    uint32_t shift, first;                  /* no span before `first` holds anything */
    uint64_t filled[ASIM_WHEEL_SPANS / 64]; /* bit per span */
    int32_t head[ASIM_WHEEL_SPANS], tail[ASIM_WHEEL_SPANS];
    struct asim_wheel_entry *at; /* [value]; the switch's */
};

/* The wheel must be empty. */
static inline void asim_wheel_begin(struct asim_wheel *wheel, uint64_t begin, uint64_t until)
{
    wheel->begin = begin;
    wheel->first = 0;
    while ((until - begin - 1) >> wheel->shift >= ASIM_WHEEL_SPANS)
        wheel->shift++;
    while (wheel->shift && (until - begin - 1) >> (wheel->shift - 1) < ASIM_WHEEL_SPANS)
        wheel->shift--;
}

static inline int asim_wheel_before(const struct asim_wheel *wheel, int32_t a, int32_t b)
{
    const struct asim_wheel_entry *x = &wheel->at[a], *y = &wheel->at[b];

    if (x->t != y->t)
        return x->t < y->t;
    if (x->tie != y->tie)
        return x->tie < y->tie;
    return x->seq != y->seq ? x->seq < y->seq : a < b;
}

/* The entry's t, tie and seq are set, and t is within the window. */
static inline void asim_wheel_put(struct asim_wheel *wheel, int32_t value)
{
    uint32_t span = (uint32_t)((wheel->at[value].t - wheel->begin) >> wheel->shift);
    int32_t *link = &wheel->head[span];

    if (span < wheel->first)
        wheel->first = span;
    if (!(wheel->filled[span / 64] >> span % 64 & 1)) {
        wheel->filled[span / 64] |= 1ull << span % 64;
        wheel->at[value].next = ASIM_WHEEL_END;
        wheel->head[span] = wheel->tail[span] = value;
        return;
    }
    if (asim_wheel_before(wheel, wheel->tail[span], value)) {
        wheel->at[wheel->tail[span]].next = value;
        wheel->at[value].next = ASIM_WHEEL_END;
        wheel->tail[span] = value;
        return;
    }
    while (asim_wheel_before(wheel, *link, value))
        link = &wheel->at[*link].next;
    wheel->at[value].next = *link;
    *link = value;
}

/* Takes out the first; ASIM_WHEEL_END when empty. */
static inline int32_t asim_wheel_take(struct asim_wheel *wheel)
{
    uint32_t word = wheel->first / 64;
    uint32_t span;
    int32_t value;

    while (word < ASIM_WHEEL_SPANS / 64 && !wheel->filled[word])
        word++;
    if (word == ASIM_WHEEL_SPANS / 64)
        return ASIM_WHEEL_END;
    span = word * 64 + (uint32_t)__builtin_ctzll(wheel->filled[word]);
    wheel->first = span;
    value = wheel->head[span];
    wheel->head[span] = wheel->at[value].next;
    if (wheel->head[span] == ASIM_WHEEL_END)
        wheel->filled[word] &= ~(1ull << span % 64);
    wheel->at[value].next = ASIM_WHEEL_OUT;
    return value;
}

#endif
