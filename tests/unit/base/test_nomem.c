/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation in turn. The sources that allocate are compiled into this
 * test with malloc replaced by a counter that refuses the n-th call; a scenario is repeated with
 * n = 1, 2, 3 … until it succeeds. Each failure must come back as ASIM_ENOMEM (or NULL), leave
 * nothing allocated, and leave what was there usable.
 */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static long calls_left; /* 0 = the next allocation fails */
static long blocks;     /* allocated and not yet freed */

static int refuse_now(void)
{
    if (calls_left == 0)
        return 1;
    calls_left--;
    return 0;
}

static void *count(void *got)
{
    blocks += got != NULL;
    return got;
}

static void *test_malloc(size_t size)
{
    return refuse_now() ? NULL : count(malloc(size));
}

static void *test_calloc(size_t n, size_t size)
{
    return refuse_now() ? NULL : count(calloc(n, size));
}

static void *test_realloc(void *old, size_t size)
{
    if (refuse_now())
        return NULL;
    void *got = realloc(old, size);
    blocks += got && !old;
    return got;
}

static void test_free(void *old)
{
    blocks -= old != NULL;
    free(old);
}

#define malloc  test_malloc
#define calloc  test_calloc
#define realloc test_realloc
#define free    test_free
#include "../../../core/base/heap.c"
#include "../../../core/base/map.c"
#include "../../../core/base/mem.c"
#include "../../../core/base/mem_asan.c"
#include "../../../core/base/mem_fast.c"
#include "../../../core/base/option.c"
#include "../../../core/base/option_fields.c"
#include "../../../core/base/io/out.c"
#include "../../../core/base/io/src.c"

#include "check.h"

static int run_map(struct asim_err *err)
{
    struct asim_map map;
    int code = 0;
    asim_map_init(&map);
    for (uint64_t i = 0; i < 200 && !code; i++) {
        if (!asim_map_put(&map, i, i))
            code = asim_err_nomem(err, "filling a map");
        CHECK_U64(map.n, i + !code);
        CHECK(i == 0 || asim_map_get(&map, i - 1, i - 1) != NULL); /* the old ones are there */
    }
    asim_map_fini(&map);
    return code;
}

static int run_heap(struct asim_err *err)
{
    struct asim_heap heap;
    int code = 0;
    asim_heap_init(&heap);
    for (uint64_t i = 0; i < 200 && !code; i++) {
        if (asim_heap_push(&heap, (struct asim_heap_entry){200 - i, 0, i}))
            code = asim_err_nomem(err, "filling a heap");
    }
    for (uint64_t last = 0; heap.n; last = asim_heap_pop(&heap).key)
        CHECK(heap.at[0].key > last);
    asim_heap_fini(&heap);
    return code;
}

static int run_arena(struct asim_err *err)
{
    struct asim_arena arena;
    int code = 0;
    asim_arena_init(&arena, 0);
    for (size_t i = 0; i < 50 && !code; i++) {
        if (!asim_arena_alloc(&arena, 100 * i) || !asim_arena_strdup(&arena, "text"))
            code = asim_err_nomem(err, "filling an arena");
    }
    asim_arena_fini(&arena);
    return code;
}

static int run_pool(struct asim_err *err)
{
    struct asim_pool pool;
    int code = 0;
    asim_pool_init(&pool, 24, 0);
    for (size_t i = 0; i < 300 && !code; i++) {
        size_t live = pool.live;
        if (!asim_pool_get(&pool))
            code = asim_err_nomem(err, "filling a pool");
        CHECK_U64(pool.live, live + !code);
    }
    asim_pool_fini(&pool);
    return code;
}

struct settings {
    char *a, *b;
};

static int run_option(struct asim_err *err)
{
    static const struct asim_option table[] = {
        {"a", NULL, "A.", "one", ASIM_T_STRING, offsetof(struct settings, a), 0, 0, NULL, 0},
        {"b", NULL, "B.", "two", ASIM_T_STRING, offsetof(struct settings, b), 0, 0, NULL, 0},
        {NULL, NULL, NULL, NULL, ASIM_T_BOOL, 0, 0, 0, NULL, 0},
    };
    static const char *const kv[2] = {"a", "three"};
    struct settings s;
    int code = asim_option_defaults(table, &s, err);
    if (code)
        return code;
    code = asim_option_set(table, &s, kv, (struct asim_where){0}, err);
    CHECK_STR(s.a, code ? "one" : "three"); /* a refused value keeps the old one */
    asim_option_fini(table, &s);
    return code;
}

static int run_src(struct asim_err *err)
{
    struct asim_src src;
    int code = asim_src_open_bytes(&src, "t", "a b", 3, err);
    if (!code)
        asim_src_close(&src);
    return code;
}

/* A text file that is there on every Linux. */
static int run_src_file(struct asim_err *err)
{
    struct asim_src src;
    int code = asim_src_open(&src, "/proc/self/status", err);
    if (!code)
        asim_src_close(&src);
    return code;
}

static int run_out(struct asim_err *err)
{
    struct asim_out out;
    int code = asim_out_open(&out, "test_nomem_out/a/b.txt", err);
    if (!code) {
        asim_out_printf(&out, "text");
        code = asim_out_commit(&out, err);
    }
    remove("test_nomem_out/a/b.txt");
    remove("test_nomem_out/a");
    remove("test_nomem_out");
    return code;
}

int main(void)
{
    static int (*const scenarios[])(struct asim_err *) = {
        run_map, run_heap, run_arena, run_pool, run_option, run_src, run_src_file, run_out,
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        int code = ASIM_ENOMEM;
        long n = 0;
        for (; code == ASIM_ENOMEM && n < 1000; n++) {
            struct asim_err err = {0};
            calls_left = n;
            code = scenarios[i](&err);
            CHECK(code == 0 || code == ASIM_ENOMEM);
            CHECK(err.code == code);
            CHECK(code == 0 || !strncmp(err.text, "out of memory while ", 20));
            CHECK_U64(blocks, 0);
        }
        CHECK_U64(code, 0);
        CHECK(n > 1); /* at least one allocation was refused */
    }
    return CHECK_DONE();
}
