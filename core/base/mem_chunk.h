/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Common part of mem.c, mem_fast.c and mem_asan.c: the header in front of each piece of memory that
 * arena and pool take from malloc. It has 32 bytes, so that the memory behind it is aligned to 16
 * bytes. Private to core/base.
 *
 * An arena uses next, used and size; a pool of the normal build next and size; a pool of the
 * sanitizer build next and prev, one chunk per object.
 */
#ifndef ASIM_BASE_MEM_CHUNK_H
#define ASIM_BASE_MEM_CHUNK_H

#include "base/mem.h"

struct asim_mem_chunk {
    struct asim_mem_chunk *next, *prev; /* prev: only in the sanitizer's pool */
    size_t used, size;                  /* bytes behind the header */
};

_Static_assert(sizeof(struct asim_mem_chunk) % 16 == 0, "objects behind it must be aligned to 16");

static inline size_t asim_chunk_round(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

/* Returns the bytes that an object of this size takes from the limit, or 0 if the limit does not
 * allow it. The caller adds them to used_bytes after a successful malloc. */
static inline size_t asim_chunk_charge(struct asim_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        return 0;
    size_t bytes = asim_chunk_round(size ? size : 1);
    if (arena->limit_bytes &&
        (arena->used_bytes > arena->limit_bytes || bytes > arena->limit_bytes - arena->used_bytes))
        return 0;
    return bytes;
}

#endif
