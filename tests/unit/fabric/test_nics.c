/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts with two to eight NICs: what comes in at one and leaves by another goes its short way in
 * windows (frame_loop.c), and the long one in per-event mode, where all events of a host are compared at
 * once. Links are mostly equal, so that frames meet at the same ns at several NICs; every message
 * and every link must be the same both ways.
 */
#include "testbench_links.h"
#include "testbench_random.h"

enum { NETWORKS = 150 };

/* Leaves with each other, so that there is a way between any two hosts. */
static struct testbench *many_nics(uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    uint32_t hosts = 2 + draw(&state, 6), leaves = 1 + draw(&state, 3);
    struct testbench *bench = bench_open(hosts, leaves);

    for (uint32_t h = 0; h < hosts; h++)
        for (uint32_t n = 2 + draw(&state, 7), nic = 0; nic < n; nic++)
            random_link(bench, &state, h, hosts + (h + nic) % leaves);
    for (uint32_t l = 1; l < leaves; l++)
        random_link(bench, &state, hosts + l - 1, hosts + l);
    random_messages(bench, &state);
    bench->net.has_win = draw(&state, 2) != 0;
    bench->net.global_t = draw(&state, 2) != 0;
    return bench;
}

static uint64_t both_ways(uint64_t seed)
{
    struct testbench *windows = many_nics(seed), *events = many_nics(seed);
    struct asim_fabric_stats stats;
    int before = check_failures;

    bench_run(windows, 0);
    bench_run(events, 1);
    for (uint32_t i = 0; i < windows->n && check_failures < 10; i++) {
        CHECK_U64(windows->msg[i].sent, events->msg[i].sent);
        CHECK_U64(windows->msg[i].arrived, events->msg[i].arrived);
    }
    for (uint32_t w = 0; w < windows->topo.n_links * 2; w++)
        bench_check_link(windows, events, w);
    CHECK_U64(windows->fct_ns, events->fct_ns);
    asim_fabric_stats(windows->fabric, &stats);
    if (check_failures > before)
        fprintf(stderr, "  so with seed %llu\n", (unsigned long long)seed);
    bench_close(windows);
    bench_close(events);
    return stats.hops;
}

int main(void)
{
    uint64_t hops = 0;

    for (uint64_t seed = 1; seed <= NETWORKS && check_failures < 20; seed++)
        hops += both_ways(seed);
    CHECK(hops > 100000); /* else the above says little */
    return CHECK_DONE();
}
