/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What mem.c and its two twins mem_fast.c and mem_asan.c share: the header in front of every piece
 * of memory that arena and pool take from malloc. 32 bytes, so that what follows is aligned to 16
 * as malloc's own memory is. Private to core/base.
 *
 * An arena uses next, used and size; a pool of the normal build next and size; a pool of the
 * sanitizer build next and prev, one chunk per object. Freed by the _fini of their owner only.
 */
#ifndef ASIM_BASE_MEM_CHUNK_H
#define ASIM_BASE_MEM_CHUNK_H

#include "base/mem.h"

struct asim_mem_chunk {
    struct asim_mem_chunk *next, *prev; /* prev: only in the sanitizer's pool */
    size_t used, size;                  /* bytes of room behind the header */
};

_Static_assert(sizeof(struct asim_mem_chunk) % 16 == 0, "objects behind it must be aligned to 16");

static inline size_t asim_chunk_round(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

/* Bytes an arena object of that size counts for, or 0 when the ceiling does not allow it. */
size_t asim_chunk_charge(struct asim_arena *arena, size_t size);

#endif
