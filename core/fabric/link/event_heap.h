/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A binary min-heap of events, ordered by time, tie key (tie_key.h), seq and value. Hosts keep
 * their timers in it. The functions are inline because a host pushes and pops for each message.
 *
 * The order compares four words, so no two entries of a node are equal, and the order never depends
 * on the shape of the heap.
 */
#ifndef ASIM_FABRIC_LINK_EVENT_HEAP_H
#define ASIM_FABRIC_LINK_EVENT_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/mem.h"

struct asim_event_entry {
    uint64_t t, tie, seq, value;
};

struct asim_event_heap {
    struct asim_event_entry *at;
    size_t n, cap;
};

static inline int asim_event_entry_before(const struct asim_event_entry *a,
                                          const struct asim_event_entry *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    if (a->tie != b->tie)
        return a->tie < b->tie;
    return a->seq != b->seq ? a->seq < b->seq : a->value < b->value;
}

/* 0 or ASIM_ENOMEM. */
static inline int asim_event_heap_push(struct asim_event_heap *heap, struct asim_event_entry entry)
{
    size_t i = heap->n;

    if (i == heap->cap && asim_grow(&heap->at, &heap->cap, i + 1, sizeof *heap->at))
        return ASIM_ENOMEM;
    heap->n++;
    while (i && asim_event_entry_before(&entry, &heap->at[(i - 1) / 2])) {
        heap->at[i] = heap->at[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->at[i] = entry;
    return 0;
}

/* Replaces the top by entry: cheaper than pop and push. */
static inline void asim_event_heap_replace(struct asim_event_heap *heap,
                                           struct asim_event_entry entry)
{
    size_t i = 0, child;

    while ((child = 2 * i + 1) < heap->n) {
        if (child + 1 < heap->n && asim_event_entry_before(&heap->at[child + 1], &heap->at[child]))
            child++;
        if (!asim_event_entry_before(&heap->at[child], &entry))
            break;
        heap->at[i] = heap->at[child];
        i = child;
    }
    heap->at[i] = entry;
}

/* Precondition: heap->n > 0. */
static inline struct asim_event_entry asim_event_heap_pop(struct asim_event_heap *heap)
{
    struct asim_event_entry top = heap->at[0];

    if (--heap->n)
        asim_event_heap_replace(heap, heap->at[heap->n]);
    return top;
}

static inline void asim_event_heap_fini(struct asim_event_heap *heap)
{
    free(heap->at);
    *heap = (struct asim_event_heap){0};
}

#endif
