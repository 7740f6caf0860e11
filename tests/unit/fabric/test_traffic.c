/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Background traffic: distributions of sizes against their published means, the load of each
 * pattern, its end, and random generators in windows against event by event. test_parallel.c has
 * them on threads and in processes.
 */
#include "testbench_links.h"
#include "testbench_random.h"
#include "fabric/host/traffic.h"

#include <math.h>

static void test_sizes(void)
{
    for (size_t i = 0; asim_flow_sizes_table[i]; i++) {
        const struct asim_flow_sizes *sizes =
            (const struct asim_flow_sizes *)(const void *)asim_flow_sizes_table[i];
        double mean = asim_flow_sizes_mean(sizes), sum = 0;
        enum { N = 400000 };

        CHECK(sizes->at[sizes->n - 1].share == 1);
        for (size_t k = 1; k < sizes->n; k++)
            CHECK(sizes->at[k].share >= sizes->at[k - 1].share &&
                  sizes->at[k].bytes >= sizes->at[k - 1].bytes);
        for (uint32_t k = 0; k < N; k++)
            sum += (double)asim_flow_sizes_at(sizes, (k + 0.5) / N);
        CHECK(fabs(sum / N / mean - 1) < 0.01);
        CHECK_U64(asim_flow_sizes_at(sizes, 0), 1);
    }
    /* as their sources state them, in bytes */
    CHECK_U64((uint64_t)asim_flow_sizes_mean(
                  (const struct asim_flow_sizes *)(const void *)asim_flow_sizes_table[2]),
              1711250);
    CHECK_U64((uint64_t)asim_flow_sizes_mean(
                  (const struct asim_flow_sizes *)(const void *)asim_flow_sizes_table[0]),
              12658198);
}

/* 16 hosts begin a flow of 5000 bytes each 10 us in the mean, for 10 ms: 16000 flows, give or take
 * four standard deviations. On/off sources vary more. */
static void test_load(enum asim_traffic_pattern pattern, double off_ns, uint64_t expected)
{
    struct testbench *bench = bench_star(16, (const uint64_t[2]){400, 500});
    struct asim_traffic_use use;
    double most = 4 * sqrt((double)expected) * (off_ns > 0 ? 5 : 1);

    bench_traffic(bench, (struct asim_net_traffic){.pattern = pattern,
                                                   .bytes = 5000,
                                                   .gap_ns = 10000,
                                                   .on_ns = 100000,
                                                   .off_ns = off_ns,
                                                   .fan_in = 8,
                                                   .until_ns = 10000000,
                                                   .seed = 7});
    bench_prepare(bench, 0);
    bench_go(bench);
    asim_fabric_traffic_use(bench->fabric, 0, &use);
    CHECK(fabs((double)use.started - (double)expected) < most);
    CHECK_U64(use.finished, use.started);
    CHECK_U64(use.finished_bytes, 5000 * use.started);
    CHECK(asim_traffic_quantile(&use, 0, 0.5) >= 1 && asim_traffic_quantile(&use, 2, 0.5) == 0);
    CHECK(asim_traffic_quantile(&use, ASIM_TRAFFIC_CLASSES, 0.99) >=
          asim_traffic_quantile(&use, ASIM_TRAFFIC_CLASSES, 0.5));
    CHECK(asim_fabric_audit(bench->fabric, NULL) == 0);
    bench_close(bench);
}

/* Traffic without an end stops at the first look behind the last message, at 100 us. */
static void test_end(void)
{
    struct testbench *bench = bench_star(4, (const uint64_t[2]){400, 500});
    struct asim_traffic_use use;

    bench_send(bench, 30000, (const uint32_t[2]){0, 1}, 100000);
    bench_traffic(bench,
                  (struct asim_net_traffic){.bytes = 1000, .gap_ns = 1000, .until_ns = ASIM_NEVER});
    bench_prepare(bench, 0);
    bench_go(bench);
    asim_fabric_traffic_use(bench->fabric, 0, &use);
    CHECK(use.started > 300 && use.started < 500);
    CHECK_U64(use.finished, use.started);
    CHECK(bench->settled > 99000 && bench->settled < 110000);
    CHECK_U64(bench->n_fct, 1 + use.finished); /* observers see the message and each flow */
    bench_close(bench);
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= SEEDS && check_failures < 20; seed++) {
        if (!check_takes(seed))
            continue;
        struct testbench *a = random_bench(seed), *b = random_bench(seed);

        random_traffic(a, &(uint64_t){seed});
        random_traffic(b, &(uint64_t){seed});
        bench_run(a, 0);
        bench_run(b, 1);
        for (uint32_t i = 0; i < a->n; i++) {
            CHECK_U64(a->msg[i].sent, b->msg[i].sent);
            CHECK_U64(a->msg[i].arrived, b->msg[i].arrived);
        }
        for (uint32_t w = 0; w < a->topo.n_links * 2 && check_failures < 10; w++)
            bench_check_link(a, b, w);
        for (uint32_t i = 0; i < a->traffics.n; i++) {
            struct asim_traffic_use x, y;

            asim_fabric_traffic_use(a->fabric, i, &x);
            asim_fabric_traffic_use(b->fabric, i, &y);
            CHECK(!memcmp(&x, &y, sizeof x));
            CHECK_U64(x.finished, x.started);
        }
        CHECK(asim_fabric_audit(a->fabric, NULL) == 0);
        if (check_failures)
            fprintf(stderr, "  so with seed %llu\n", (unsigned long long)seed);
        bench_close(a);
        bench_close(b);
    }
}

int main(void)
{
    test_sizes();
    test_load(ASIM_TRAFFIC_UNIFORM, 0, 16000);
    test_load(ASIM_TRAFFIC_ACROSS, 0, 16000);
    test_load(ASIM_TRAFFIC_UNIFORM, 300000, 16000);
    test_load(ASIM_TRAFFIC_INCAST, 0, 8000);
    test_end();
    test_random();
    return CHECK_DONE();
}
