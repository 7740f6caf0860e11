/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory by lifetime. An arena frees all objects at once; a pool recycles objects of one size and
 * never moves them; a vector grows by doubling. Each takes a limit in bytes (0 = none) and returns
 * NULL (or ASIM_ENOMEM) if the limit or the system's memory is reached. With ASIM_ASAN arena and
 * pool get every object from malloc, so that the sanitizer sees overruns and late uses.
 */
#ifndef ASIM_BASE_MEM_H
#define ASIM_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

struct asim_mem_chunk;

struct asim_arena {
    struct asim_mem_chunk *head;
    /* Each object counts rounded up to 16 bytes, in both builds. */
    size_t used_bytes, limit_bytes;
};

void asim_arena_init(struct asim_arena *arena, size_t limit_bytes);
/* Zeroed, aligned to 16 bytes. size 0 gives a valid unique pointer. */
void *asim_arena_alloc(struct asim_arena *arena, size_t size);
/* Zeroed array; NULL if the product overflows. */
void *asim_arena_array(struct asim_arena *arena, size_t count, size_t size);
/* Copies that live as long as the arena; NULL if out of memory. */
char *asim_arena_strdup(struct asim_arena *arena, const char *text);
char *asim_arena_strndup(struct asim_arena *arena, const char *text, size_t length);
/* Frees every object; the arena can be used again. */
void asim_arena_fini(struct asim_arena *arena);
/* The same, but keeps one chunk of at most 64 KiB for the next objects. */
void asim_arena_reset(struct asim_arena *arena);

struct asim_pool {
    void *free_list;
    struct asim_mem_chunk *chunks;
    /* live: objects in use; peak: the most in use at one time. Only get and put count. */
    size_t object_bytes, live, peak, limit;
};

/* Rounds the size up so that each object begins on its own cache line. */
static inline size_t asim_pool_lines(size_t size)
{
    return (size + 63) & ~(size_t)63;
}
/* limit: most objects in use at one time, 0 = none. */
void asim_pool_init(struct asim_pool *pool, size_t object_bytes, size_t limit);
/* Zeroed, aligned to 16 bytes; never moves. */
void *asim_pool_get(struct asim_pool *pool);
void asim_pool_put(struct asim_pool *pool, void *object);
#ifdef ASIM_ASAN
/* Its bytes are no value that anybody means: what is read before it is written gives other results
 * than in other builds. */
void *asim_pool_get_unset(struct asim_pool *pool);
#endif
/* Inlined get for hot paths: not zeroed and not counted, for pools without a limit only. pop
 * returns a free object or NULL; after NULL call take. */
static inline void *asim_pool_pop(struct asim_pool *pool)
{
#ifndef ASIM_ASAN
    void *object = pool->free_list;

    if (object)
        pool->free_list = *(void **)object;
    return object;
#else
    return asim_pool_get_unset(pool); /* the sanitizer sees the same calls */
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
/* Frees all objects, also those in use. */
void asim_pool_fini(struct asim_pool *pool);

enum { ASIM_LINE_BYTES = 64, ASIM_HUGE_BYTES = 1 << 21 }; /* cache lines, huge pages */

/* Bytes that are not set, from the start of a cache line on; NULL if out of memory. From
 * ASIM_HUGE_BYTES on they are of huge pages, where the system has any: a job of ten thousand GPUs
 * looks at some hundred MiB in no order, and each page of 4 KiB would have to be looked up. The
 * caller frees them with free(). */
void *asim_block(size_t bytes);

/* n zeroed elements, the first at the start of a cache line; NULL if out of memory. The caller
 * frees them with free(). */
void *asim_calloc_lines(size_t n, size_t size);

/* Makes room for `need` elements of `size` bytes in *at (capacity *cap), by doubling. New elements
 * are not zeroed. Returns 0 or ASIM_ENOMEM, which leaves *at unchanged. Free *at with free(). */
int asim_grow(void *at, size_t *cap, size_t need, size_t size);

/* ASIM_VEC(type) v = {0}; ASIM_VEC_PUSH(v, x) is not 0 if out of memory; v.at[i], v.n;
 * ASIM_VEC_POP(v) of one that is not empty; free(v.at). */
#define ASIM_VEC(type)                                                                             \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, cap;                                                                             \
    }
#define ASIM_VEC_RESERVE(v, need)                                                                  \
    ((need) <= (v).cap ? 0 : asim_grow(&(v).at, &(v).cap, (need), sizeof *(v).at))
#define ASIM_VEC_PUSH(v, x)                                                                        \
    (ASIM_VEC_RESERVE(v, (v).n + 1) ? ASIM_ENOMEM : ((v).at[(v).n++] = (x), 0))
#define ASIM_VEC_POP(v) ((v).at[--(v).n])

/* Frees each of some pointers; NULL is allowed. */
#define ASIM_FREE(...)                                                                             \
    asim_free_each((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void asim_free_each(void **at, size_t n);

/* A comparison for qsort: by up to four keys, each as it follows the pointer to an element:
 * ASIM_ORDER(by_rank, struct op, ->rank, ->end), ASIM_ORDER(by_value, double, [0]). */
#define ASIM_ORDER(NAME, TYPE, ...)                                                                \
    static int NAME(const void *a, const void *b)                                                  \
    {                                                                                              \
        TYPE const *x = a;                                                                         \
        TYPE const *y = b;                                                                         \
                                                                                                   \
        ASIM_ORDER_PICK(__VA_ARGS__, ASIM_ORDER_4, ASIM_ORDER_3, ASIM_ORDER_2, ASIM_ORDER_1, 0)    \
        (__VA_ARGS__)                                                                              \
    }
#define ASIM_ORDER_PICK(A, B, C, D, NAME, ...) NAME
#define ASIM_ORDER_1(A)                        return (x A > y A) - (x A < y A);
#define ASIM_ORDER_2(A, B)                                                                         \
    if (x A != y A)                                                                                \
        return x A < y A ? -1 : 1;                                                                 \
    ASIM_ORDER_1(B)
#define ASIM_ORDER_3(A, B, C)                                                                      \
    if (x A != y A)                                                                                \
        return x A < y A ? -1 : 1;                                                                 \
    ASIM_ORDER_2(B, C)
#define ASIM_ORDER_4(A, B, C, D)                                                                   \
    if (x A != y A)                                                                                \
        return x A < y A ? -1 : 1;                                                                 \
    ASIM_ORDER_3(B, C, D)

/* Adds the sums of a struct whose first `bytes` are uint64_t sums and nothing else. */
static inline void asim_sums_add(void *into, const void *from, size_t bytes)
{
    uint64_t *sum = into;
    const uint64_t *more = from;

    for (size_t i = 0; i < bytes / sizeof *sum; i++)
        sum[i] += more[i];
}

#endif
