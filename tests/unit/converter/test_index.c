/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Stable sort, hash index and string table, against the obvious way of doing each.
 */
#include <stdlib.h>
#include "lib/index.h"
#include "check.h"

struct record {
    int64_t key;
    int other;
};

static int by_key(const void *ctx, uint32_t a, uint32_t b)
{
    const struct record *r = ctx;

    return r[a].key < r[b].key;
}

static void test_sort(void)
{
    for (size_t n = 0; n < 70; n++) {
        struct record *r = calloc(n + 1, sizeof *r);
        uint32_t *at = asim_iota_u32(n);

        for (size_t i = 0; i < n; i++)
            r[i].key = (int64_t)(i * 7919 % 11) - 5;
        CHECK_U64(asim_sort_u32(at, n, by_key, r), 0);
        for (size_t i = 1; i < n; i++)
            CHECK(r[at[i - 1]].key < r[at[i]].key ||
                  (r[at[i - 1]].key == r[at[i]].key && at[i - 1] < at[i]));
        free(at);
        free(r);
    }
}

static void test_index(void)
{
    enum { N = 5000 };
    static struct record r[N];
    struct asim_key_index index;

    for (uint32_t i = 0; i < N; i++)
        r[i].key = (int64_t)(i % 4000) * 1000003 - 17;
    CHECK_U64(asim_index_init(&index, &r->key, sizeof *r, N), 0);
    for (uint32_t i = 0; i < N; i++)
        asim_index_put(&index, i);
    for (uint32_t i = 0; i < 4000; i++) /* the record put last */
        CHECK_U64(asim_index_get(&index, r[i].key), i < 1000 ? i + 4000 : i);
    CHECK_U64(asim_index_get(&index, -18), ASIM_NONE);
    asim_index_fini(&index);
    CHECK_U64(asim_index_get(&index, 5), ASIM_NONE);
}

static void test_names(void)
{
    struct asim_names names;
    char text[32];

    asim_names_init(&names, 0);
    for (uint32_t i = 0; i < 3000; i++) {
        int n = snprintf(text, sizeof text, "name %u", (unsigned)(i % 1000));

        CHECK_U64(asim_names_put(&names, text, (size_t)n), i % 1000);
    }
    CHECK_STR(asim_names_get(&names, 999), "name 999");
    CHECK_STR(asim_names_get(&names, ASIM_NONE), "");
    CHECK_U64(asim_names_put(&names, "name 5 and more", 6), 5);
    CHECK_U64(asim_names_put(&names, "name 5\0rest", 11), 5);
    CHECK_U64(asim_names_put(&names, "", 0), 1000);
    asim_names_fini(&names);
}

static void test_ceiling(void)
{
    struct asim_names names;
    uint32_t last = 0;
    char text[100];

    asim_names_init(&names, 10000);
    for (int i = 0; i < 5000 && last != ASIM_NONE; i++) {
        snprintf(text, sizeof text, "%090d", i);
        last = asim_names_put(&names, text, 90);
    }
    CHECK_U64(last, ASIM_NONE);
    asim_names_fini(&names);
}

int main(void)
{
    test_sort();
    test_index();
    test_names();
    test_ceiling();
    return CHECK_DONE();
}
