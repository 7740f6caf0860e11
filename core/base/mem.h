/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory by lifetime. An arena frees all at once; a pool recycles objects of one size and never
 * moves them; a vector grows by doubling. Every one takes a ceiling in bytes (0 = none) and
 * returns NULL (or ASIM_ENOMEM) when it, or the system, has no more. With ASIM_ASAN defined,
 * arena and pool hand every object to malloc so that the sanitizer sees overruns and late uses.
 */
#ifndef ASIM_BASE_MEM_H
#define ASIM_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

struct asim_mem_chunk;

struct asim_arena {
    struct asim_mem_chunk *head;
    /* Counted rounded up to 16 per object, the same in both builds. */
    size_t used_bytes, limit_bytes;
};

void asim_arena_init(struct asim_arena *arena, size_t limit_bytes);
/* Zeroed, aligned to 16. size 0 gives a valid unique pointer. */
void *asim_arena_alloc(struct asim_arena *arena, size_t size);
/* Zeroed array; refuses a product that overflows. */
void *asim_arena_array(struct asim_arena *arena, size_t count, size_t size);
/* Copies that live as long as the arena; NULL when there is no memory. */
char *asim_arena_strdup(struct asim_arena *arena, const char *text);
char *asim_arena_strndup(struct asim_arena *arena, const char *text, size_t length);
/* Frees every object; the arena can be used again. */
void asim_arena_fini(struct asim_arena *arena);

struct asim_pool {
    void *free_list;
    struct asim_mem_chunk *chunks;
    /* live: objects out now; peak: the most there ever were. Of get and put only. */
    size_t object_bytes, live, peak, limit;
};

/* Objects of that size begin on a cache line of their own. */
static inline size_t asim_pool_lines(size_t size)
{
    return (size + 63) & ~(size_t)63;
}
/* limit: objects alive at one time, 0 = none. */
void asim_pool_init(struct asim_pool *pool, size_t object_bytes, size_t limit);
/* Zeroed, aligned to 16; the address stays valid until put back. */
void *asim_pool_get(struct asim_pool *pool);
void asim_pool_put(struct asim_pool *pool, void *object);
/* The same for the hot path, inlined, not zeroed and not counted: for pools without a limit only.
 * pop gives what costs no call, or NULL: then take must be asked. */
static inline void *asim_pool_pop(struct asim_pool *pool)
{
#ifndef ASIM_ASAN
    void *object = pool->free_list;

    if (object)
        pool->free_list = *(void **)object;
    return object;
#else
    return asim_pool_get(pool); /* so that the sanitizer sees the same ways taken */
#endif
}
static inline void *asim_pool_take(struct asim_pool *pool)
{
    void *object = asim_pool_pop(pool);

    return object ? object : asim_pool_get(pool);
}
static inline void asim_pool_give(struct asim_pool *pool, void *object)
{
#ifndef ASIM_ASAN
    *(void **)object = pool->free_list;
    pool->free_list = object;
#else
    asim_pool_put(pool, object);
#endif
}
/* Frees everything, objects still out included. */
void asim_pool_fini(struct asim_pool *pool);

/* n zeroed elements, the first on a cache line of its own; NULL when out of memory. The caller's,
 * to be given to free(). */
void *asim_calloc_lines(size_t n, size_t size);

/* Makes room for `need` elements of `size` bytes in *at (capacity *cap), doubling. New room is
 * not zeroed. Returns 0 or ASIM_ENOMEM, leaving *at as it was. Free *at with free(). */
int asim_grow(void *at, size_t *cap, size_t need, size_t size);

/* ASIM_VEC(type) v = {0}; if (ASIM_VEC_PUSH(v, x)) out of memory; v.at[i], v.n; free(v.at). */
#define ASIM_VEC(type)                                                                             \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, cap;                                                                             \
    }
#define ASIM_VEC_RESERVE(v, need)                                                                  \
    ((need) <= (v).cap ? 0 : asim_grow(&(v).at, &(v).cap, (need), sizeof *(v).at))
#define ASIM_VEC_PUSH(v, x)                                                                        \
    (ASIM_VEC_RESERVE(v, (v).n + 1) ? ASIM_ENOMEM : ((v).at[(v).n++] = (x), 0))

#endif
