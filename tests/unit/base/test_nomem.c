/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs out of memory at every allocation of containers, options, inputs and outputs. Elements added
 * before a failure stay usable.
 */
#include <stdio.h>
#include "base/heap.h"
#include "base/io/out.h"
#include "base/io/src.h"
#include "base/map.h"
#include "base/mem.h"
#include "asim/ext/option.h"
#include "nomem.h"

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
    static const struct asim_key_value setting = {"a", "three"};
    struct settings s;
    int code = asim_option_defaults(table, &s, err);
    if (code)
        return code;
    code = asim_option_set(table, &s, setting, (struct asim_where){0}, err);
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
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        nomem_run(scenarios[i]);
    return CHECK_DONE();
}
