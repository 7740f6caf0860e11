/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event list of ns-3's order: growth, search and removal.
 */
#include "fabric/link/insertion.h"
#include "asim/err.h"
#include "asim/msg.h"
#include "base/heap.h"

#include <stdlib.h>

enum { FIRST_CAP = 1024, WORDS = ASIM_INSERTION_SPAN / 64 };

int asim_insertion_grow(struct asim_insertion *insertion)
{
    uint32_t cap = insertion->cap ? 2 * insertion->cap : FIRST_CAP;
    struct asim_inserted *at = cap ? realloc(insertion->at, cap * sizeof *at) : NULL;

    if (!at) {
        insertion->failed = 1;
        return ASIM_ENOMEM;
    }
    insertion->at = at;
    insertion->free = insertion->cap ? insertion->cap : 1;
    for (uint32_t i = insertion->free; i < cap; i++)
        at[i].next = i + 1 < cap ? i + 1 : 0;
    insertion->cap = cap;
    return 0;
}

void asim_insertion_put_far(struct asim_insertion *insertion, uint64_t t, uint32_t what)
{
    if (asim_heap_push(insertion->far, (struct asim_heap_entry){t, insertion->next, what}))
        insertion->failed = 1;
}

uint64_t asim_insertion_first(const struct asim_insertion *insertion)
{
    uint32_t b = insertion->now % ASIM_INSERTION_SPAN;

    for (uint32_t i = 0; i <= WORDS; i++) {
        uint64_t word = insertion->bitmap[(b / 64 + i) % WORDS];

        if (!i)
            word &= ~0ull << b % 64;
        if (word) {
            uint32_t at = (b / 64 + i) % WORDS * 64 + (uint32_t)__builtin_ctzll(word);

            return insertion->now + (at - b) % ASIM_INSERTION_SPAN;
        }
    }
    return insertion->far->n ? insertion->far->at->key : ASIM_NEVER;
}

/* The buckets begin with t from now on. */
static void begin_at(struct asim_insertion *insertion, uint64_t t)
{
    insertion->now = t;
    while (insertion->far->n && insertion->far->at->key - t < ASIM_INSERTION_SPAN) {
        struct asim_heap_entry entry = asim_heap_pop(insertion->far);

        asim_insertion_append(insertion, entry.key, entry.tie, (uint32_t)entry.value);
    }
}

int asim_insertion_take(struct asim_insertion *insertion, uint64_t t, struct asim_inserted *event)
{
    uint32_t b = t % ASIM_INSERTION_SPAN, i;
    struct asim_insertion_bucket *bucket = &insertion->bucket[b];

    if (t != insertion->now)
        begin_at(insertion, t);
    i = bucket->first;
    if (!i)
        return 0;
    *event = insertion->at[i];
    bucket->first = event->next;
    if (!event->next)
        insertion->bitmap[b / 64] &= ~(1ull << b % 64);
    insertion->at[i].next = insertion->free;
    insertion->free = i;
    return 1;
}
