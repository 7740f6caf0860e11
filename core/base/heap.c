/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Binary heap with a moving hole: an entry moves once per level instead of being swapped. The
 * comparison of both words has no branch, because its result is as good as random.
 *
 * Equal entries come out in the same order for the same sequence of calls. fini frees the memory.
 */
#include "base/heap.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

/* Order by (key, tie). */
static inline int heap_before(const struct asim_heap_entry *a, const struct asim_heap_entry *b)
{
    return (a->key < b->key) | ((a->key == b->key) & (a->tie < b->tie));
}

void asim_heap_init(struct asim_heap *heap)
{
    memset(heap, 0, sizeof *heap);
}

/* The hole starts behind the last entry and moves up while its parent comes later. */
int asim_heap_push(struct asim_heap *heap, struct asim_heap_entry entry)
{
    if (heap->n == heap->cap) {
        int code = asim_grow(&heap->at, &heap->cap, heap->n + 1, sizeof *heap->at);
        if (code)
            return code;
    }
    size_t i = heap->n++;
    while (i && heap_before(&entry, &heap->at[(i - 1) >> 1])) {
        heap->at[i] = heap->at[(i - 1) >> 1];
        i = (i - 1) >> 1;
    }
    heap->at[i] = entry;
    return 0;
}

/* Moves the entry down from a hole at the top: the hole goes down to the last level first, and the
 * entry, which comes from there, mostly stays near it (Wegener, Bottom-up heapsort, Theoretical
 * Computer Science 118(1), 1993). */
static void heap_sink(struct asim_heap *heap, struct asim_heap_entry entry)
{
    struct asim_heap_entry *at = heap->at;
    size_t i = 0, child = 1, n = heap->n;
    while (child + 1 < n) {
        child += (size_t)heap_before(&at[child + 1], &at[child]);
        at[i] = at[child];
        i = child;
        child = 2 * i + 1;
    }
    if (child < n) {
        at[i] = at[child];
        i = child;
    }
    while (i && !heap_before(&at[(i - 1) >> 1], &entry)) {
        at[i] = at[(i - 1) >> 1];
        i = (i - 1) >> 1;
    }
    at[i] = entry;
}

/* The array never shrinks: an event queue soon needs it again. */
struct asim_heap_entry asim_heap_pop(struct asim_heap *heap)
{
    struct asim_heap_entry top = heap->at[0];
    struct asim_heap_entry last = heap->at[--heap->n];
    if (heap->n)
        heap_sink(heap, last);
    return top;
}

void asim_heap_fini(struct asim_heap *heap)
{
    free(heap->at);
    asim_heap_init(heap);
}
