/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Random benches: star, leaf-spine and parallel-link networks with different rates and delays,
 * random messages with several flows a host, incasts among them. The same seed is the same bench.
 */
#ifndef ASIM_TESTS_TESTBENCH_RANDOM_H
#define ASIM_TESTS_TESTBENCH_RANDOM_H

#include "testbench.h"
#include "asim/err.h"
#include "asim/net.h"
#include "base/mem.h"
#include "fabric/host/flow.h"
#include "net/net_events.h"
#include "asim/topology.h"

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

/* One event of a random kind, and mostly another one that ends it. Every switch that goes down
 * comes up again, so that all messages have a chance. */
static inline void random_event(struct testbench *bench, uint64_t *state)
{
    uint32_t link = draw(state, (uint32_t)bench->topo.n_links), kind = draw(state, 8);
    uint64_t at = draw(state, 3) ? draw(state, 60000) : 500 * draw(state, 60);
    uint64_t end = at + 1 + draw(state, 40000);
    uint32_t node = bench->topo.links[link].b; /* a switch */
    struct asim_net_event what = {.at_ns = at, .of = link};

    what.rate_bps = rates[draw(state, 5)] * 1000000000u;
    what.loss = 0.05;
    what.on = draw(state, 2) != 0;
    what.kmin = draw(state, 30000);
    what.kmax = what.kmin + draw(state, 30000);
    what.pmax = 0.1 * draw(state, 11);
    if (kind == 0) { /* a switch goes down */
        for (uint32_t l = 0; l < bench->topo.n_links; l++) {
            if (bench->topo.links[l].b != node)
                continue;
            what.of = l;
            for (uint32_t up = 0; up < 2; up++) {
                what.kind = up ? ASIM_NET_LINK_UP : ASIM_NET_LINK_DOWN;
                what.at_ns = up ? end : at;
                bench_event(bench, what);
            }
        }
        return;
    }
    what.kind = (enum asim_net_event_kind)(kind == 7 ? ASIM_NET_HOLD : kind);
    if (kind == ASIM_NET_ECN || kind == ASIM_NET_PFC)
        what.of = draw(state, 2) ? node : ASIM_NET_ALL;
    if (kind == ASIM_NET_NICS_FIXED || kind == 7)
        what.of = bench->topo.links[link].a < node ? bench->topo.links[link].a % 2 : 0;
    if (kind == ASIM_NET_LINK_UP)
        what.kind = ASIM_NET_LINK_DOWN;
    bench_event(bench, what);
    what.at_ns = end;
    what.rate_bps = 0;
    what.loss = 0;
    what.on = 1 - what.on;
    if (what.kind == ASIM_NET_LINK_DOWN)
        what.kind = ASIM_NET_LINK_UP;
    if (what.kind == ASIM_NET_HOLD)
        what.kind = ASIM_NET_RELEASE;
    bench_event(bench, what);
}

static inline void random_events(struct testbench *bench, uint64_t *state)
{
    static const uint64_t reconverge[] = {0, 1, 700, 20000};

    for (uint32_t i = 1 + draw(state, 6); i--;)
        random_event(bench, state);
    bench->events.reconverge_ns = reconverge[draw(state, 4)];
}

extern const struct asim_flow_sizes asim_flow_sizes_storage;

static inline void random_traffic(struct testbench *bench, uint64_t *state)
{
    for (uint32_t i = 1 + draw(state, 2); i--;) {
        struct asim_net_traffic what = {.pattern = (enum asim_traffic_pattern)draw(state, 3),
                                        .bytes = 1 + draw(state, 30000),
                                        .gap_ns = 5000 + draw(state, 20000),
                                        .from_ns = draw(state, 20000),
                                        .until_ns = 60000,
                                        .fan_in = 1,
                                        .seed = *state};

        if (draw(state, 3) == 0)
            what.sizes = &asim_flow_sizes_storage;
        if (draw(state, 2))
            what.on_ns = what.off_ns = 10000;
        bench_traffic(bench, what);
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
    bench->net.qps_per_connection = seed % 3 ? 0 : 1 + seed % 2;
    return bench;
}

#endif
