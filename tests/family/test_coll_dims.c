/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of every dimension order: a permutation of the dimensions for every chunk, chunks
 * that add up to the collective, the same answer whenever it is asked the same (ranks decide each
 * on their own), and natural order for an all-to-all. Themis must level the loads better than the
 * natural order where the outer dimension is slow.
 */
#include "coll/dims.h"
#include "coll/coll.h"
#include "coll/themis.h"
#include "check.h"

static const struct asim_dims_context views[] = {
    {.coll_type = ASIM_ALL_REDUCE, .n = 1, .size = {8}, .bw = {1}, .active = 1},
    {.coll_type = ASIM_ALL_REDUCE, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.coll_type = ASIM_REDUCE_SCATTER, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.coll_type = ASIM_ALL_GATHER, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.coll_type = ASIM_ALL_GATHER, .n = 4, .size = {2, 1, 4, 2}, .bw = {1, 1, 2, 1}, .active = 13},
    {.coll_type = ASIM_ALL_TO_ALL, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.coll_type = ASIM_BARRIER, .n = 2, .size = {3, 5}, .bw = {1, 1}, .active = 2},
    {.coll_type = ASIM_ALL_REDUCE, .n = 2, .size = {4, 4}, .bw = {1, 1}, .active = 0},
};

enum { CHUNK = 1 << 20, TOTAL = 64 * CHUNK + 12345, CHUNKS_MOST = 80 };

static int is_permutation(const struct asim_dims_choice *choice, uint32_t n)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < n; i++)
        if (choice->order[i] < n)
            seen |= 1u << choice->order[i];
    return seen == (1u << n) - 1;
}

/* All chunks of one collective; returns how many. picks may be NULL. */
static uint32_t walk(const struct asim_coll_dims *row, const struct asim_dims_context *context,
                     struct asim_dims_choice *picks)
{
    struct asim_dims_cursor cursor = {.left = TOTAL};
    uint32_t n = 0;

    while (cursor.left && n < CHUNKS_MOST) {
        struct asim_dims_choice choice = {.bytes = CHUNK};

        row->order(context, &cursor, &choice);
        CHECK(is_permutation(&choice, context->n));
        CHECK(choice.bytes > 0);
        CHECK(choice.bytes <= cursor.left || choice.bytes == CHUNK);
        picks[n++] = choice;
        cursor.chunk++;
        cursor.left -= choice.bytes < cursor.left ? choice.bytes : cursor.left;
    }
    CHECK_U64(cursor.left, 0);
    return n;
}

static void check_row(const struct asim_coll_dims *row, const struct asim_dims_context *context)
{
    static struct asim_dims_choice first[CHUNKS_MOST], again[CHUNKS_MOST];
    uint32_t n = walk(row, context, first);

    memset(again, 0, sizeof again);
    CHECK_U64(walk(row, context, again), n);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_U64(first[i].bytes, again[i].bytes);
        for (uint32_t d = 0; d < context->n; d++)
            CHECK_U64(first[i].order[d], again[i].order[d]);
    }
}

/* Time of the busiest dimension over all chunks, by the orders a row gives. */
static double busiest(const struct asim_coll_dims *row, const struct asim_dims_context *context)
{
    static struct asim_dims_choice picks[CHUNKS_MOST];
    struct asim_dims_cursor loads = {.left = TOTAL};
    uint32_t n = walk(row, context, picks);
    double most = 0;

    for (uint32_t i = 0; i < n; i++)
        asim_themis_charge(context, &loads, &picks[i]);
    for (uint32_t d = 0; d < context->n; d++)
        most = loads.load[d] > most ? loads.load[d] : most;
    return most;
}

static const struct asim_coll_dims *row_of(const char *name)
{
    struct asim_dims_order order = {0};
    struct asim_err err = {0};

    CHECK(asim_dims_order_open(&order, name, &err) == 0);
    CHECK(order.row != NULL && order.options == NULL);
    asim_dims_order_close(&order);
    return order.row;
}

static void check_themis(void)
{
    const struct asim_dims_context equal = {
        .coll_type = ASIM_REDUCE_SCATTER, .n = 2, .size = {4, 4}, .bw = {1, 1}, .active = 3};
    double natural = busiest(row_of("baseline"), &equal);

    /* Plain order sends 3/4 of the data over the first and 3/16 over the second dimension. */
    CHECK(natural > 45 && natural < 49);
    CHECK(busiest(row_of("offlineGreedy"), &equal) < natural * 0.7);
    CHECK(busiest(row_of("offlineGreedyFlex"), &equal) < natural * 0.75);
}

int main(void)
{
    struct asim_dims_order order = {0};
    struct asim_err err = {0};
    struct asim_dims_choice choice = {.bytes = CHUNK};
    struct asim_dims_cursor cursor = {.chunk = 4, .left = TOTAL};

    CHECK_U64(asim_coll_check(&err), 0);
    CHECK(asim_dims_order_open(&order, "scending", &err) != 0);
    CHECK(strstr(err.text, "Did you mean 'ascending'") != NULL);
    for (const struct asim_member *const *row = asim_coll_dims_table; *row; row++)
        for (size_t v = 0; v < sizeof views / sizeof *views; v++)
            check_row((const struct asim_coll_dims *)*row, &views[v]);
    row_of("roundRobin")->order(&views[1], &cursor, &choice);
    CHECK_U64(choice.order[0], 1); /* chunk 4 of 3 dimensions */
    row_of("themis")->order(&views[5], &cursor, &choice);
    CHECK_U64(choice.order[0], 0);
    check_themis();
    return CHECK_DONE();
}
