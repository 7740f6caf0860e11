/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Random benches: star, leaf-spine and parallel-link networks with different rates and delays,
 * random messages with several flows a host, incasts among them. The same seed is the same bench.
 */
#ifndef ASIM_TESTS_TESTBENCH_RANDOM_H
#define ASIM_TESTS_TESTBENCH_RANDOM_H

#include "testbench.h"

static inline uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33) % below;
}

static const uint64_t rates[] = {25, 100, 200, 400, 2400};
static const uint32_t modes[] = {12, 1, 3, 7, 8, 10};
enum { PLAIN = 200, SEEDS = 500 };
static const uint64_t delays[] = {25, 300, 500, 1000, 5000};

static inline void random_link(struct testbench *bench, uint64_t *state, uint32_t a, uint32_t b)
{
    uint32_t same = draw(state, 3); /* mostly equal links, so that events coincide */

    bench_link(bench, a, b,
               (const uint64_t[2]){same ? 400 : rates[draw(state, 5)],
                                   same ? 500 : delays[draw(state, 5)]});
}

static inline struct testbench *random_network(uint64_t *state)
{
    uint32_t shape = draw(state, 3), hosts = 2 + draw(state, 9);
    uint32_t leaves = shape ? 1 + draw(state, 3) : 1, spines = shape ? 1 + draw(state, 3) : 0;
    struct testbench *bench = bench_open(hosts, leaves + spines);

    for (uint32_t h = 0; h < hosts; h++)
        for (uint32_t leg = 0; leg <= (shape == 2 && draw(state, 2)); leg++)
            random_link(bench, state, h, hosts + h % leaves);
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t s = 0; s < spines; s++)
            for (uint32_t leg = 0; leg <= draw(state, 2) * (shape == 2); leg++)
                random_link(bench, state, hosts + l, hosts + leaves + s);
    return bench;
}

static inline void random_messages(struct testbench *bench, uint64_t *state)
{
    static const uint32_t sizes[] = {1, 999, 1000, 1001, 20000, 100000};
    uint32_t hosts = bench->topo.nodes, n = 3 + draw(state, 100), incast = draw(state, 3) == 0;

    while (hosts && bench->topo.node_type[hosts - 1] != ASIM_HOST)
        hosts--;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pair[2] = {draw(state, hosts), draw(state, hosts)};
        uint64_t at =
            draw(state, 2) ? 0 : draw(state, 4) * 500 + draw(state, 2) * draw(state, 20000);

        if (incast)
            pair[1] = 0;
        if (pair[0] == pair[1])
            pair[0] = (pair[1] + 1) % hosts;
        bench_send(bench, at, pair, sizes[draw(state, 6)]);
    }
}

/* The settings that matter are drawn, too; from seed PLAIN + 1 on also the congestion control. */
static inline struct testbench *random_bench(uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    struct testbench *bench = random_network(&state);

    random_messages(bench, &state);
    bench->net.has_win = draw(&state, 3) != 0;
    bench->net.global_t = draw(&state, 2) != 0;
    bench->net.enable_qcn = draw(&state, 2) != 0;
    bench->net.ack_high_prio = draw(&state, 4) == 0;
    if (seed > PLAIN) /* and all congestion controls, which live on ACKs, marks and timers */
        bench->net.cc_mode = modes[draw(&state, sizeof modes / sizeof modes[0])];
    if (draw(&state, 2))
        bench->net.buffer_bytes = 2u << 20;
    return bench;
}

#endif
