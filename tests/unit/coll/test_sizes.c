/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Large numbers in collectives: an all-gather whose result passes 64 bits is refused, not wrapped,
 * and the reduce pattern of `direct` in a sub-group, (n-1)^2 long, holds from 65,537 members on.
 */
#include "check.h"
#include <string.h>
#include "coll/coll.h"

static const struct asim_coll_algo *algo_of(const char *word)
{
    struct asim_coll_choice choice = {0};
    struct asim_err err = {0};

    CHECK(asim_coll_choose(&choice, word, &err) == 0);
    return choice.algo;
}

static void gathers(void)
{
    static const char *const words[] = {"ring", "direct", "halvingDoubling"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct asim_coll coll = {
            .coll_type = ASIM_ALL_GATHER, .n = 8, .step = 1, .bytes = 1ull << 61};
        struct asim_plan plan;
        struct asim_err err = {0};

        CHECK(asim_coll_plan(&plan, algo_of(words[i]), &coll, &err) == ASIM_EINVAL);
        CHECK(strstr(err.text, "64 bits"));
        coll.bytes = (1ull << 61) - 1;
        err.code = 0;
        CHECK(asim_coll_plan(&plan, algo_of(words[i]), &coll, &err) == 0);
        CHECK_U64(plan.out_bytes, UINT64_MAX - 7);
    }
}

/* All arrivals of the first half reduce, and in a sub-group those of the second half, too. */
static void wide_groups(void)
{
    const uint64_t n = 65537;
    struct asim_coll coll = {
        .coll_type = ASIM_ALL_REDUCE, .n = (uint32_t)n, .step = 1, .subgroup = 1, .bytes = n};
    struct asim_plan plan;
    struct asim_err err = {0};

    CHECK(asim_coll_plan(&plan, algo_of("direct"), &coll, &err) == 0);
    CHECK_U64(plan.arrivals, 2 * (n - 1));
    CHECK_U64(plan.algo->arrival(&plan, 0), 1);
    CHECK_U64(plan.algo->arrival(&plan, n - 2), 1);
    CHECK_U64(plan.algo->arrival(&plan, n - 1), 1);
    CHECK_U64(plan.algo->arrival(&plan, 2 * (n - 1) - 1), 1);
}

/* All-to-all-v: over all shares every member sends to each other one the size it has for it, once a
 * share, in the window's order, and receives one message of unknown size from each. */
static void sized(void)
{
    enum { N = 7, SHARES = 3 };
    const uint64_t sizes[N] = {0, 1, 2, 3, 1000003, UINT64_MAX, 7};
    uint64_t sent[N] = {0};
    const struct asim_coll_algo *algo = algo_of("direct");

    for (uint64_t share = 0; share < SHARES; share++) {
        struct asim_coll coll = {.coll_type = ASIM_ALL_TO_ALL,
                                 .n = N,
                                 .index = 2,
                                 .step = 1,
                                 .window = 2,
                                 .sizes = sizes,
                                 .share = share,
                                 .shares = SHARES};
        unsigned to = 0, from = 0;
        struct asim_plan plan;
        struct asim_err err = {0};

        CHECK(asim_coll_plan(&plan, algo, &coll, &err) == 0);
        CHECK_U64(plan.steps, N - 1);
        CHECK_U64(plan.start_credits, 2);
        for (uint64_t k = 0; k < plan.steps; k++) {
            struct asim_coll_step step;

            plan.algo->step(&plan, k, &step);
            CHECK_U64(step.recv_bytes, ASIM_ANY_BYTES);
            CHECK_U64(plan.algo->arrival(&plan, k), 0);
            sent[step.to] += step.send_bytes;
            to |= 1u << step.to;
            from |= 1u << step.from;
        }
        CHECK_U64(to, ((1u << N) - 1) & ~(1u << 2));
        CHECK_U64(from, to);
    }
    for (uint32_t i = 0; i < N; i++)
        CHECK_U64(sent[i], i == 2 ? 0 : sizes[i]);
}

/* halvingDoubling loses a remainder on the way back, as ASTRA-sim (and the independent model)
 * does. */
static void halved(void)
{
    const uint64_t want[] = {7142, 3571, 3570, 7140};
    struct asim_coll coll = {.coll_type = ASIM_ALL_REDUCE, .n = 4, .step = 1, .bytes = 14285};
    struct asim_plan plan;
    struct asim_err err = {0};

    CHECK(asim_coll_plan(&plan, algo_of("halvingDoubling"), &coll, &err) == 0);
    CHECK_U64(plan.steps, 4);
    for (uint64_t k = 0; k < 4; k++) {
        struct asim_coll_step step;

        plan.algo->step(&plan, k, &step);
        CHECK_U64(step.send_bytes, want[k]);
        CHECK_U64(step.recv_bytes, want[k]);
    }
}

int main(void)
{
    halved();
    gathers();
    wide_groups();
    sized();
    return CHECK_DONE();
}
