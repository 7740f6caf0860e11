/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Arena, pool and growing array: alignment, zeroing, recycling, ceilings, overflowing sizes. The
 * same checks must hold in the sanitizer build, where objects come from malloc one by one.
 */
#include "check.h"
#include "base/mem.h"

#include <stdlib.h>
#include "asim/err.h"

static int is_zero(const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (at[i])
            return 0;
    }
    return 1;
}

static void test_arena(void)
{
    struct asim_arena arena;
    unsigned char *last = NULL;
    asim_arena_init(&arena, 0);
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *at = asim_arena_alloc(&arena, size);
        CHECK(at && at != last && (uintptr_t)at % 16 == 0 && is_zero(at, size));
        if (!at)
            return;
        memset(at, 0xA5, size); /* a later object that overlaps is not zero */
        last = at;
    }
    unsigned char *big = asim_arena_alloc(&arena, (size_t)5 << 20);
    CHECK(big && is_zero(big, (size_t)5 << 20));
    CHECK(!asim_arena_alloc(&arena, SIZE_MAX) && !asim_arena_alloc(&arena, SIZE_MAX - 15));
    CHECK(!asim_arena_array(&arena, SIZE_MAX / 2, 3) && !asim_arena_array(&arena, 3, SIZE_MAX / 2));
    CHECK(asim_arena_array(&arena, 0, 8) != NULL && asim_arena_array(&arena, 8, 0) != NULL);
    CHECK_STR(asim_arena_strdup(&arena, "ring"), "ring");
    CHECK_STR(asim_arena_strndup(&arena, "rings", 4), "ring");
    CHECK_STR(asim_arena_strndup(&arena, "", 0), "");
    CHECK(!asim_arena_strndup(&arena, "x", SIZE_MAX));
    asim_arena_fini(&arena);
    CHECK(asim_arena_alloc(&arena, 8) != NULL); /* usable again */
    CHECK_U64(arena.used_bytes, 16);
    asim_arena_fini(&arena);
}

static void test_arena_limit(void)
{
    struct asim_arena arena;
    asim_arena_init(&arena, 100); /* room for six objects of up to 16 bytes */
    for (int i = 0; i < 6; i++)
        CHECK(asim_arena_alloc(&arena, 10) != NULL);
    CHECK(!asim_arena_alloc(&arena, 1));
    CHECK_U64(arena.used_bytes, 96);
    asim_arena_fini(&arena);
    CHECK_U64(arena.limit_bytes, 100);
    CHECK(!asim_arena_alloc(&arena, 101) && asim_arena_alloc(&arena, 96) != NULL);
    asim_arena_fini(&arena);
}

enum { OBJECTS = 1000, OBJECT_BYTES = 40 };

static void test_pool(void)
{
    struct asim_pool pool;
    unsigned char *out[OBJECTS];
    asim_pool_init(&pool, OBJECT_BYTES, 0);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < OBJECTS; i++) {
            out[i] = asim_pool_get(&pool);
            CHECK(out[i] && (uintptr_t)out[i] % 16 == 0 && is_zero(out[i], OBJECT_BYTES));
            if (out[i])
                memset(out[i], (int)(i % 251) + 1, OBJECT_BYTES);
        }
        CHECK_U64(pool.live, OBJECTS);
        for (size_t i = 0; i < OBJECTS; i++) {
            /* No other object wrote into this one. */
            CHECK(out[i][0] == i % 251 + 1 && out[i][OBJECT_BYTES - 1] == i % 251 + 1);
            asim_pool_put(&pool, out[i]);
        }
        CHECK_U64(pool.live, 0);
    }
    CHECK_U64(pool.peak, OBJECTS);
    CHECK(asim_pool_get(&pool) != NULL); /* still out when the pool ends: freed with it */
    asim_pool_fini(&pool);
}

static void test_pool_limit(void)
{
    struct asim_pool pool;
    asim_pool_init(&pool, 1, 3);
    void *a = asim_pool_get(&pool), *b = asim_pool_get(&pool), *c = asim_pool_get(&pool);
    CHECK(a && b && c && a != b && b != c && a != c);
    CHECK(!asim_pool_get(&pool));
    asim_pool_put(&pool, b);
    CHECK(asim_pool_get(&pool) != NULL && !asim_pool_get(&pool));
    asim_pool_fini(&pool);
    asim_pool_init(&pool, SIZE_MAX - 3, 0);
    CHECK(!asim_pool_get(&pool));
    asim_pool_fini(&pool);
    asim_pool_init(&pool, 0, 0);
    CHECK(asim_pool_get(&pool) != asim_pool_get(&pool));
    asim_pool_fini(&pool);
}

static void test_grow(void)
{
    ASIM_VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 10000; i++)
        CHECK(ASIM_VEC_PUSH(v, i * 3) == 0);
    for (uint32_t i = 0; i < 10000; i++)
        CHECK_U64(v.at[i], i * 3);
    CHECK(v.n == 10000 && v.cap >= v.n && v.cap < 2 * v.n);
    uint32_t *before = v.at;
    size_t cap = v.cap;
    CHECK(asim_grow(&v.at, &v.cap, SIZE_MAX, sizeof *v.at) == ASIM_ENOMEM);
    CHECK(asim_grow(&v.at, &v.cap, SIZE_MAX / 4 + 2, sizeof *v.at) == ASIM_ENOMEM);
    CHECK(v.at == before && v.cap == cap); /* left as it was */
    CHECK(ASIM_VEC_RESERVE(v, 5) == 0 && v.cap == cap);
    CHECK(ASIM_VEC_RESERVE(v, 50000) == 0 && v.cap >= 50000 && v.at[9999] == 29997);
    free(v.at);
}

int main(void)
{
    test_arena();
    test_arena_limit();
    test_pool();
    test_pool_limit();
    test_grow();
    return CHECK_DONE();
}
