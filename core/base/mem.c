/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Arena, pool and growing array: the three lifetimes of the simulator. An arena cuts objects from
 * chunks that double from 4 KiB to 1 MiB; a pool threads the free objects of its chunks on one
 * list, so get and put are a pop and a push, and the zeroing is the larger part of a get.
 *
 * Under ASIM_ASAN both take every object from the heap with its exact size instead (mem_asan.c):
 * the sanitizer then sees overruns, uses after put and leaks. Ceilings are counted in the same way
 * in both builds, so a run that fits in one fits in the other.
 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem_chunk.h"
#include "asim/err.h"

#define GROW_FIRST 8

/* Takes no memory yet: an arena that is never used costs nothing. */
void asim_arena_init(struct asim_arena *arena, size_t limit_bytes)
{
    memset(arena, 0, sizeof *arena);
    arena->limit_bytes = limit_bytes;
}

/* The one place where a count from a file meets a size: the product is checked. */
void *asim_arena_array(struct asim_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return asim_arena_alloc(arena, count * size);
}

/* The NUL comes from the arena's zeroing. */
char *asim_arena_strndup(struct asim_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX)
        return NULL;
    char *copy = asim_arena_alloc(arena, length + 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *asim_arena_strdup(struct asim_arena *arena, const char *text)
{
    return asim_arena_strndup(arena, text, strlen(text));
}

/* Does not count the bytes yet, so that a failing malloc leaves the books right; the caller adds
 * them. */
size_t asim_chunk_charge(struct asim_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        return 0;
    size_t bytes = asim_chunk_round(size ? size : 1);
    if (arena->limit_bytes &&
        (arena->used_bytes > arena->limit_bytes || bytes > arena->limit_bytes - arena->used_bytes))
        return 0;
    return bytes;
}

/* Every object's end: pointers into the arena must be gone by now. The ceiling stays. */
void asim_arena_fini(struct asim_arena *arena)
{
    struct asim_mem_chunk *next;
    for (struct asim_mem_chunk *chunk = arena->head; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    asim_arena_init(arena, arena->limit_bytes);
}

/* peak stays readable after the end: reports show it. */
void asim_pool_fini(struct asim_pool *pool)
{
    struct asim_mem_chunk *next;
    for (struct asim_mem_chunk *chunk = pool->chunks; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    pool->chunks = NULL;
    pool->free_list = NULL;
    pool->live = 0;
}

/* Doubling makes n pushes cost O(n) moves; the first step is to eight elements, since most vectors
 * here (steps of a collective, ports of a node) stay small. */
int asim_grow(void *at, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return 0;
    size_t want = *cap > SIZE_MAX / 2 ? need : *cap * 2;
    if (want < GROW_FIRST)
        want = GROW_FIRST;
    if (want < need)
        want = need;
    if (size && want > SIZE_MAX / 2 / size) /* objects beyond PTRDIFF_MAX cannot be indexed */
        return ASIM_ENOMEM;
    void *old, *grown;
    memcpy(&old, at, sizeof old); /* *at is a pointer of the caller's type, not a void * */
    grown = realloc(old, want * size);
    if (!grown)
        return ASIM_ENOMEM;
    memcpy(at, &grown, sizeof grown);
    *cap = want;
    return 0;
}

/* aligned_alloc wants whole lines. */
void *asim_calloc_lines(size_t n, size_t size)
{
    size_t bytes = asim_pool_lines(n * size);
    void *at = size && n > (SIZE_MAX - 63) / size ? NULL : aligned_alloc(64, bytes);

    return at ? memset(at, 0, bytes) : NULL;
}
