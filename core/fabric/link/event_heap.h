/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a node has to do, soonest first: a binary min-heap ordered by time, tie (tie_key.h), seq and
 * value. Inlined, because a switch pushes and pops one entry per frame.
 *
 * Four words are compared, so no two entries of a node are equal and the order never depends on the
 * heap's shape.
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
static inline int asim_event_heap_push(struct asim_event_heap *agenda,
                                       struct asim_event_entry entry)
{
    size_t i = agenda->n;

    if (i == agenda->cap && asim_grow(&agenda->at, &agenda->cap, i + 1, sizeof *agenda->at))
        return ASIM_ENOMEM;
    agenda->n++;
    while (i && asim_event_entry_before(&entry, &agenda->at[(i - 1) / 2])) {
        agenda->at[i] = agenda->at[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    agenda->at[i] = entry;
    return 0;
}

/* Puts entry in the place of the top: cheaper than pop and push. */
static inline void asim_event_heap_replace(struct asim_event_heap *agenda,
                                           struct asim_event_entry entry)
{
    size_t i = 0, child;

    while ((child = 2 * i + 1) < agenda->n) {
        if (child + 1 < agenda->n &&
            asim_event_entry_before(&agenda->at[child + 1], &agenda->at[child]))
            child++;
        if (!asim_event_entry_before(&agenda->at[child], &entry))
            break;
        agenda->at[i] = agenda->at[child];
        i = child;
    }
    agenda->at[i] = entry;
}

/* Precondition: agenda->n > 0. */
static inline struct asim_event_entry asim_event_heap_pop(struct asim_event_heap *agenda)
{
    struct asim_event_entry top = agenda->at[0];

    if (--agenda->n)
        asim_event_heap_replace(agenda, agenda->at[agenda->n]);
    return top;
}

static inline void asim_event_heap_fini(struct asim_event_heap *agenda)
{
    free(agenda->at);
    *agenda = (struct asim_event_heap){0};
}

#endif
