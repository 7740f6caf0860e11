/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Random networks with the host fast path and without it: the same times at both ends, the same
 * counters. The seeds cover hosts with several NICs, incasts and all congestion controls.
 */
#include "testbench_random.h"
#include "fabric/clock/ways.h"
#include "net/ways.h"
#include "net/packets.h"

static struct testbench *run_bench(uint64_t seed, uint32_t without)
{
    struct testbench *bench = random_bench(seed);

    bench_prepare(bench, 0);
    bench->fabric->set.without = without;
    asim_ways_find(bench->fabric);
    bench_go(bench);
    return bench;
}

static void compare(const struct testbench *a, const struct testbench *b)
{
    struct asim_fabric_stats x, y;

    asim_fabric_stats(a->fabric, &x);
    asim_fabric_stats(b->fabric, &y);
    x.memory_bytes = y.memory_bytes = 0; /* rings may grow at other moments */
    x.windows = y.windows = 0;           /* on the slow path each end of a frame is an event */
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    for (uint32_t i = 0; i < a->n; i++) {
        CHECK_U64(a->msg[i].sent, b->msg[i].sent);
        CHECK_U64(a->msg[i].arrived, b->msg[i].arrived);
    }
    CHECK_U64(a->fct_ns, b->fct_ns);
    CHECK_U64(a->n_pfc, b->n_pfc);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct testbench *with = run_bench(seed, 0), *without = run_bench(seed, ASIM_WAY_HOST_FAST);

        CHECK(!(without->fabric->ways & ASIM_WAY_HOST_FAST));
        compare(with, without);
        bench_close(with);
        bench_close(without);
    }
    return CHECK_DONE();
}
