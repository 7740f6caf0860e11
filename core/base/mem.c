/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Arena, pool and growing array. An arena cuts objects from chunks that double from 4 KiB to 1 MiB.
 * A pool links the free objects of its chunks in a list, so get and put are a pop and a push, and
 * zeroing takes most of the time of a get.
 *
 * With ASIM_ASAN (mem_asan.c) each object is a malloc of its exact size. Limits count in the same
 * way in both builds: a run that fits in one fits in the other.
 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem_chunk.h"
#include "asim/err.h"

#define GROW_FIRST 8
#define KEPT_BYTES 65536

/* Allocates nothing yet. */
void asim_arena_init(struct asim_arena *arena, size_t limit_bytes)
{
    memset(arena, 0, sizeof *arena);
    arena->limit_bytes = limit_bytes;
}

/* Checks the product: counts come from files. */
void *asim_arena_array(struct asim_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return asim_arena_alloc(arena, count * size);
}

/* The arena's zeroing gives the NUL. */
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

/* Keeps the limit. */
void asim_arena_fini(struct asim_arena *arena)
{
    struct asim_mem_chunk *next;
    for (struct asim_mem_chunk *chunk = arena->head; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    asim_arena_init(arena, arena->limit_bytes);
}

/* So one huge record does not take its memory for the rest of a run with thousands of ranks. The
 * sanitizer's chunks have no size, and all go. */
void asim_arena_reset(struct asim_arena *arena)
{
    struct asim_mem_chunk *kept = arena->head;
    if (kept && (!kept->size || kept->size > KEPT_BYTES))
        kept = NULL;
    if (kept)
        arena->head = kept->next;
    asim_arena_fini(arena);
    if (!kept)
        return;
    memset(kept + 1, 0, kept->used);
    kept->used = 0;
    kept->next = NULL;
    arena->head = kept;
}

/* peak stays readable for reports. */
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

/* Doubling makes n pushes cost O(n) moves. Starts with eight elements, because most vectors (steps
 * of a collective, ports of a node) stay small. */
int asim_grow(void *at, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return 0;
    size_t want = *cap > SIZE_MAX / 2 ? need : *cap * 2;
    if (want < GROW_FIRST)
        want = GROW_FIRST;
    if (want < need)
        want = need;
    if (size && want > SIZE_MAX / 2 / size) /* objects above PTRDIFF_MAX cannot be indexed */
        return ASIM_ENOMEM;
    void *old, *grown;
    memcpy(&old, at, sizeof old); /* *at has the caller's pointer type */
    grown = realloc(old, want * size);
    if (!grown)
        return ASIM_ENOMEM;
    memcpy(at, &grown, sizeof grown);
    *cap = want;
    return 0;
}

void asim_free_each(void **at, size_t n)
{
    while (n--)
        free(*at++);
}
