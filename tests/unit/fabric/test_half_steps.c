/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which networks have two halves, and that these alternate: over a leaf and spine network all
 * windows but the last ones are half-steps, and no node sees an event late. All other tests of
 * windows check that results do not change.
 */
#include "fabric/clock/half_steps.h"
#include "testbench.h"

static const uint64_t LINK[2] = {400, 500};

/* Two hosts under each of two leaves, a spine above, and a further link of `a` and `b`. */
static struct testbench *leaf_spine(uint32_t a, uint32_t b)
{
    struct testbench *bench = bench_open(4, 3);

    for (uint32_t h = 0; h < 4; h++)
        bench_link(bench, h, 4 + h / 2, LINK);
    bench_link(bench, 4, 6, LINK);
    bench_link(bench, 5, 6, LINK);
    if (a != b)
        bench_link(bench, a, b, LINK);
    return bench;
}

static void check_halves(uint32_t a, uint32_t b, const char *want)
{
    struct testbench *bench = leaf_spine(a, b);

    bench_prepare(bench, 0);
    CHECK((bench->fabric->set.half_of != NULL) == (want != NULL));
    for (uint32_t v = 0; bench->fabric->set.half_of && want && v < 7; v++)
        CHECK_U64(bench->fabric->set.half_of[v], (uint64_t)(want[v] - '0'));
    bench_close(bench);
}

static void check_alternation(void)
{
    struct testbench *bench = leaf_spine(0, 0);
    struct asim_err err = {0};
    uint64_t alone = 0, next;

    for (uint32_t h = 0; h < 4; h++)
        bench_send(bench, 0, (const uint32_t[2]){h, (h + 1) % 4}, 200000);
    bench_prepare(bench, 0);
    bench_start(bench);
    while ((next = asim_fabric_next(bench->fabric)) != ASIM_NEVER) {
        CHECK(next >= bench->settled);
        asim_fabric_step(bench->fabric, &err);
        alone += asim_engine_of(bench->fabric)->run.half != ASIM_BOTH_HALVES;
    }
    for (uint32_t i = 0; i < bench->n; i++)
        CHECK_U64(bench->msg[i].n_arrived, 1);
    CHECK(alone + 4 > asim_engine_of(bench->fabric)->run.windows);
    CHECK(alone > 10);
    bench_close(bench);
}

int main(void)
{
    check_halves(0, 0, "0000110"); /* no further link */
    check_halves(0, 4, "0000110"); /* a second NIC */
    check_halves(0, 6, NULL);      /* a host at the spine: a circle of three links */
    check_halves(4, 5, NULL);      /* leaf with leaf */
    check_halves(0, 1, NULL);      /* host with host */
    check_alternation();
    return CHECK_DONE();
}
