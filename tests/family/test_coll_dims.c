/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of every dimension order: a permutation of the dimensions for every chunk, chunks
 * that add up to the collective, the same answer whenever it is asked the same (ranks decide each
 * on their own), and plain order for an all-to-all. Themis must level the loads better than the
 * plain order where the outer dimension is slow.
 */
#include "coll/dims.h"
#include "coll/themis.h"
#include "check.h"

static const struct asim_dims_view views[] = {
    {.kind = ASIM_ALL_REDUCE, .n = 1, .size = {8}, .bw = {1}, .active = 1},
    {.kind = ASIM_ALL_REDUCE, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.kind = ASIM_REDUCE_SCATTER, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.kind = ASIM_ALL_GATHER, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.kind = ASIM_ALL_GATHER, .n = 4, .size = {2, 1, 4, 2}, .bw = {1, 1, 2, 1}, .active = 13},
    {.kind = ASIM_ALL_TO_ALL, .n = 3, .size = {2, 4, 2}, .bw = {1, .5, .25}, .active = 7},
    {.kind = ASIM_BARRIER, .n = 2, .size = {3, 5}, .bw = {1, 1}, .active = 2},
    {.kind = ASIM_ALL_REDUCE, .n = 2, .size = {4, 4}, .bw = {1, 1}, .active = 0},
};

enum { CHUNK = 1 << 20, TOTAL = 64 * CHUNK + 12345, CHUNKS_MOST = 80 };

static int is_permutation(const struct asim_dims_pick *pick, uint32_t n)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < n; i++)
        if (pick->order[i] < n)
            seen |= 1u << pick->order[i];
    return seen == (1u << n) - 1;
}

/* All chunks of one collective; returns how many. picks may be NULL. */
static uint32_t walk(const struct asim_coll_dims *row, const struct asim_dims_view *view,
                     struct asim_dims_pick *picks)
{
    struct asim_dims_state state = {.left = TOTAL};
    uint32_t n = 0;

    while (state.left && n < CHUNKS_MOST) {
        struct asim_dims_pick pick = {.bytes = CHUNK};

        row->order(view, &state, &pick);
        CHECK(is_permutation(&pick, view->n));
        CHECK(pick.bytes > 0);
        CHECK(pick.bytes <= state.left || pick.bytes == CHUNK);
        picks[n++] = pick;
        state.chunk++;
        state.left -= pick.bytes < state.left ? pick.bytes : state.left;
    }
    CHECK_U64(state.left, 0);
    return n;
}

static void check_row(const struct asim_coll_dims *row, const struct asim_dims_view *view)
{
    static struct asim_dims_pick first[CHUNKS_MOST], again[CHUNKS_MOST];
    uint32_t n = walk(row, view, first);

    memset(again, 0, sizeof again);
    CHECK_U64(walk(row, view, again), n);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_U64(first[i].bytes, again[i].bytes);
        for (uint32_t d = 0; d < view->n; d++)
            CHECK_U64(first[i].order[d], again[i].order[d]);
    }
}

/* Time of the busiest dimension over all chunks, by the orders a row gives. */
static double busiest(const struct asim_coll_dims *row, const struct asim_dims_view *view)
{
    static struct asim_dims_pick picks[CHUNKS_MOST];
    struct asim_dims_state loads = {.left = TOTAL};
    uint32_t n = walk(row, view, picks);
    double most = 0;

    for (uint32_t i = 0; i < n; i++)
        asim_themis_charge(view, &loads, &picks[i]);
    for (uint32_t d = 0; d < view->n; d++)
        most = loads.load[d] > most ? loads.load[d] : most;
    return most;
}

static const struct asim_coll_dims *row_of(int inter_dim)
{
    struct asim_err err = {0};
    const struct asim_coll_dims *row = asim_coll_dims_find(inter_dim, &err);

    CHECK(row != NULL);
    return row;
}

static void check_themis(void)
{
    const struct asim_dims_view equal = {
        .kind = ASIM_REDUCE_SCATTER, .n = 2, .size = {4, 4}, .bw = {1, 1}, .active = 3};
    double plain = busiest(row_of(ASIM_INTER_ASCENDING), &equal);

    /* Plain order sends 3/4 of the data over the first and 3/16 over the second dimension. */
    CHECK(plain > 45 && plain < 49);
    CHECK(busiest(row_of(ASIM_INTER_OFFLINE_GREEDY), &equal) < plain * 0.7);
    CHECK(busiest(row_of(ASIM_INTER_OFFLINE_GREEDY_FLEX), &equal) < plain * 0.75);
}

int main(void)
{
    struct asim_err err = {0};
    struct asim_dims_pick pick = {.bytes = CHUNK};
    struct asim_dims_state state = {.chunk = 4, .left = TOTAL};

    CHECK_U64(asim_family_check(asim_coll_dims_table, "inter-dimension scheduling", &err), 0);
    for (const struct asim_member *const *row = asim_coll_dims_table; *row; row++)
        for (size_t v = 0; v < sizeof views / sizeof *views; v++)
            check_row((const struct asim_coll_dims *)*row, &views[v]);
    row_of(ASIM_INTER_ROUND_ROBIN)->order(&views[1], &state, &pick);
    CHECK_U64(pick.order[0], 1); /* chunk 4 of 3 dimensions */
    row_of(ASIM_INTER_OFFLINE_GREEDY)->order(&views[5], &state, &pick);
    CHECK_U64(pick.order[0], 0);
    check_themis();
    return CHECK_DONE();
}
