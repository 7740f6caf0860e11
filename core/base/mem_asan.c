/* SPDX-License-Identifier: GPL-2.0-only
 *
 * mem_fast.c for sanitizer builds: one malloc per object, of the exact size, so that
 * AddressSanitizer sees a write behind an object, a use after put and a second put. Slow on
 * purpose; limits and results are those of mem_fast.c.
 */
#include "base/mem_chunk.h"

#include <stdlib.h>
#include <string.h>

/* ISO C needs a declaration in every file, also in a normal build. */
enum { HEADER_BYTES = sizeof(struct asim_mem_chunk) };

#ifdef ASIM_ASAN

void *asim_arena_alloc(struct asim_arena *arena, size_t size)
{
    size_t bytes = asim_chunk_charge(arena, size);
    struct asim_mem_chunk *chunk = bytes ? calloc(1, HEADER_BYTES + size) : NULL;
    if (!chunk)
        return NULL;
    chunk->next = arena->head;
    arena->head = chunk;
    arena->used_bytes += bytes;
    return chunk + 1;
}

void asim_pool_init(struct asim_pool *pool, size_t object_bytes, size_t limit)
{
    memset(pool, 0, sizeof *pool);
    pool->object_bytes = object_bytes;
    pool->limit = limit;
}

/* Doubly linked: objects come back in any order, and fini frees the others. */
void *asim_pool_get(struct asim_pool *pool)
{
    if (pool->object_bytes > SIZE_MAX / 4 || (pool->limit && pool->live >= pool->limit))
        return NULL;
    struct asim_mem_chunk *chunk = calloc(1, HEADER_BYTES + pool->object_bytes);
    if (!chunk)
        return NULL;
    chunk->next = pool->chunks;
    if (chunk->next)
        chunk->next->prev = chunk;
    pool->chunks = chunk;
    if (++pool->live > pool->peak)
        pool->peak = pool->live;
    return chunk + 1;
}

void *asim_pool_get_unset(struct asim_pool *pool)
{
    enum { UNSET = 0xa5 };
    void *object = asim_pool_get(pool);

    return object ? memset(object, UNSET, pool->object_bytes) : NULL;
}

void asim_pool_put(struct asim_pool *pool, void *object)
{
    struct asim_mem_chunk *chunk = (struct asim_mem_chunk *)object - 1;
    if (chunk->next)
        chunk->next->prev = chunk->prev;
    if (chunk->prev)
        chunk->prev->next = chunk->next;
    else
        pool->chunks = chunk->next;
    pool->live--;
    free(chunk);
}

#endif
