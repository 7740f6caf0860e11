/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Binary min-heap of small entries ordered by (key, tie). Entries with equal key and tie come out
 * in no stated order: give every entry its own tie where the order matters.
 *
 * Push and pop cost O(log n) moves of 24 bytes; only growth allocates. Free with _fini.
 */
#ifndef ASIM_BASE_HEAP_H
#define ASIM_BASE_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* 24 bytes, copied by value. The owner chooses the meaning of value, often an index. */
struct asim_heap_entry {
    uint64_t key, tie, value;
};

struct asim_heap {
    struct asim_heap_entry *at;
    size_t n, cap;
};

void asim_heap_init(struct asim_heap *heap);
/* Returns 0 or ASIM_ENOMEM. */
int asim_heap_push(struct asim_heap *heap, struct asim_heap_entry entry);
/* Precondition: heap->n > 0. The top is heap->at[0]. */
struct asim_heap_entry asim_heap_pop(struct asim_heap *heap);
void asim_heap_fini(struct asim_heap *heap);

#endif
