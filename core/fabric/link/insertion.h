/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event list of ns-3's order (rdma-network.md#order-of-simultaneous-events). While it is kept,
 * the network runs event by event (clock/insertion_order.c): simultaneous events run in the order
 * in which they were added.
 *
 * A calendar queue with one bucket a tick: an event is appended to the bucket of its tick, so the
 * order costs nothing. Events behind the last bucket wait in a heap. They move to their bucket as
 * soon as there is one, before any event can be appended in front of them.
 * A network without the list pays one test a frame on its slow path.
 */
#ifndef ASIM_FABRIC_LINK_INSERTION_H
#define ASIM_FABRIC_LINK_INSERTION_H

#include <stdint.h>

struct asim_heap;

/* Buckets, a power of two. */
enum { ASIM_INSERTION_SPAN = 8192 };

/* What happens: a frame arrives over a wire; a transmission on it ends; a NIC, named by its wire,
 * wakes; the first timer of a host is due. */
enum asim_insertion_kind {
    ASIM_INSERTED_ARRIVAL,
    ASIM_INSERTED_END,
    ASIM_INSERTED_WAKE,
    ASIM_INSERTED_TIMER
};

struct asim_insertion {
    uint64_t now;    /* of the last event; buckets hold [now, now + span) */
    uint64_t next;   /* the number of the event added last */
    uint64_t last;   /* the list is kept up to the tick in which this one is added, */
    uint64_t end_at; /* which ends before this time; ASIM_NEVER: it has not come */
    int failed;      /* out of memory */
    /* Events in buckets; 0 is none. `free` is the first unused one. */
    struct asim_inserted {
        uint64_t number;
        uint32_t what, next; /* what: wire or host << 2 | kind */
    } * at;
    uint32_t free, cap;
    struct asim_insertion_bucket {
        uint32_t first, last;
    } bucket[ASIM_INSERTION_SPAN];
    uint64_t bitmap[ASIM_INSERTION_SPAN / 64]; /* bit per bucket: it holds an event */
    struct asim_heap *far;                     /* by time and number; value: `what` */
};

/* Puts an event behind the last bucket. */
void asim_insertion_put_far(struct asim_insertion *insertion, uint64_t t, uint32_t what);
/* Makes room for events in buckets; 0, or the failure is recorded. */
int asim_insertion_grow(struct asim_insertion *insertion);

/* Appends an event to the bucket of its tick. */
static inline void asim_insertion_append(struct asim_insertion *insertion, uint64_t t,
                                         uint64_t number, uint32_t what)
{
    uint32_t b = t % ASIM_INSERTION_SPAN, i = insertion->free;
    struct asim_insertion_bucket *bucket = &insertion->bucket[b];

    if (!i && asim_insertion_grow(insertion))
        return;
    i = insertion->free;
    insertion->free = insertion->at[i].next;
    insertion->at[i] = (struct asim_inserted){number, what, 0};
    if (bucket->first)
        insertion->at[bucket->last].next = i;
    else
        bucket->first = i;
    bucket->last = i;
    insertion->bitmap[b / 64] |= 1ull << b % 64;
}

/* Adds an event at `t`; returns its number. */
static inline uint64_t asim_insertion_add(struct asim_insertion *insertion, uint64_t t,
                                          enum asim_insertion_kind kind, uint32_t index)
{
    uint32_t what = index << 2 | kind;

    insertion->next++;
    if (t < insertion->now) /* the caller's clock is behind */
        t = insertion->now;
    if (t - insertion->now < ASIM_INSERTION_SPAN)
        asim_insertion_append(insertion, t, insertion->next, what);
    else
        asim_insertion_put_far(insertion, t, what);
    return insertion->next;
}

/* Time of the first event; ASIM_NEVER: there is none. */
uint64_t asim_insertion_first(const struct asim_insertion *insertion);
/* Takes the first event of time t, which is the first of all; 0: none is left. */
int asim_insertion_take(struct asim_insertion *insertion, uint64_t t, struct asim_inserted *event);

#endif
