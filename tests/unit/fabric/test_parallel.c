/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A network on several threads, and on several processes, against the same network on one of each:
 * random networks and messages, every congestion control, losses, links that go down and up,
 * spraying. The processes are several fabrics in this one process, which exchange their buffers by
 * hand, so everything but the transport is tested. Each message's times and each wire's counts must
 * be equal.
 */
#include "testbench_processes.h"
#include "testbench_random.h"

#include "topo/partition.h"
#include "conf/netconf.h"
#include "fabric/memo/memo.h"

enum { MAX_PARTS = 4 };

static uint32_t half_steps; /* networks in several processes that took half-steps */

/* Losses of all kinds, beside what random_bench draws. */
static struct testbench *lossy_bench(uint64_t seed)
{
    struct testbench *bench = random_bench(seed);
    const struct asim_link *link = &bench->topo.links[seed % bench->topo.n_links];

    if (seed % 3 == 1)
        bench->net.error_rate = 0.01;
    if (seed % 5 == 1)
        bench->net.loss_recovery = ASIM_SELECTIVE_REPEAT;
    if (seed % 7 == 1)
        bench->net.load_balance = ASIM_SPRAY;
    if (seed % 4 == 2) {
        bench->net.link_down = calloc(2, sizeof *bench->net.link_down);
        bench->net.link_down[0] = (struct asim_link_down){3000 + seed, link->a, link->b, 0};
        bench->net.link_down[1] = (struct asim_link_down){40000 + seed, link->a, link->b, 1};
        bench->net.link_downs = 2;
    }
    if (seed % 3 == 0)
        random_traffic(bench, &(uint64_t){seed});
    if (seed % 4 == 3)
        random_events(bench, &(uint64_t){seed});
    return bench;
}

/* Returns whether the workers went on alone for longer than the smallest link delay. */
static int on_threads(uint64_t seed, const struct testbench *one, uint32_t n, int use_memo)
{
    int longer_lookahead;

    struct testbench *bench = lossy_bench(seed);
    struct asim_partition part;

    bench_prepare(bench, 0);
    CHECK(!asim_partition_make(&part, &bench->topo, n, 0, NULL));
    CHECK(!asim_fabric_threads(bench->fabric, n, part.of, NULL));
    CHECK(!use_memo || !asim_fabric_use_memo(bench->fabric));
    asim_engine_of(bench->fabric)->workers.parallel_threshold = 0;
    bench_go(bench);
    bench_check_processes(one, &bench, 1, NULL);
    longer_lookahead =
        asim_engine_of(bench->fabric)->workers.lookahead > bench->fabric->set.lookahead;
    asim_partition_fini(&part);
    bench_close(bench);
    return longer_lookahead;
}

/* A switch of hosts that belong to n threads in no order, each of which has a shard there. Returns
 * how many windows were bulk. */
static uint32_t on_shards(uint64_t seed, const struct testbench *one, uint32_t n)
{
    struct testbench *bench = lossy_bench(seed);
    uint32_t *of = calloc(bench->topo.nodes, sizeof *of), bulk = 0;
    uint64_t state = seed;

    for (uint32_t v = 0; v < bench->topo.nodes; v++)
        of[v] = draw(&state, n);
    bench_prepare(bench, 0);
    asim_engine_of(bench->fabric)->workers.min_ports = 2;
    CHECK(!asim_fabric_threads(bench->fabric, n, of, NULL));
    asim_engine_of(bench->fabric)->workers.parallel_threshold = 0;
    bench_start(bench);
    while (asim_fabric_next(bench->fabric) != ASIM_NEVER && !bench->fabric->failed) {
        asim_fabric_step(bench->fabric, NULL);
        bulk += asim_engine_of(bench->fabric)->workers.n_sharded &&
                asim_engine_of(bench->fabric)->workers.sharded[0]->due &&
                asim_engine_of(bench->fabric)->workers.sharded[0]->bulk;
    }
    bench_check_processes(one, &bench, 1, NULL);
    free(of);
    bench_close(bench);
    return bulk;
}

/* Returns whether the network could be cut. threads 0: one thread in per-event mode. */
static int on_processes(uint64_t seed, const struct testbench *one, uint32_t n, uint32_t threads)
{
    int per_event = !threads;
    struct testbench *benches[MAX_PARTS] = {NULL};
    struct asim_partition workers, part;
    struct asim_err err = {0};

    threads += !threads;
    CHECK(!asim_partition_make(&workers, &one->topo, n * threads, 0, NULL));
    CHECK(!asim_partition_merge(&part, &workers, &one->topo, threads, NULL));
    for (uint32_t p = 0; p < n; p++) {
        benches[p] = lossy_bench(seed);
        benches[p]->part_of = part.of;
        benches[p]->self = p;
        bench_prepare(benches[p], per_event);
        if (!asim_exchange_open(benches[p]->fabric, &part, p, &err))
            CHECK(!asim_fabric_threads(benches[p]->fabric, threads, workers.of, NULL));
        asim_engine_of(benches[p]->fabric)->workers.parallel_threshold = 0;
    }
    if (!err.code && part.cut_links) {
        for (uint32_t p = 0; p < n; p++)
            bench_start(benches[p]);
        if (seed % 4) /* some networks that could do not */
            half_steps += (uint32_t)bench_use_half_steps(benches, n);
        bench_run_grid(benches, n);
        bench_check_processes(one, benches, n, part.of);
    }
    for (uint32_t p = 0; p < n; p++)
        bench_close(benches[p]);
    asim_partition_fini(&workers);
    n = !err.code && part.cut_links;
    asim_partition_fini(&part);
    return (int)n;
}

static void check_all(const char *slow)
{
    uint32_t cut = 0, longer_lookahead = 0, bulk = 0;

    for (uint64_t seed = 1; seed <= (slow ? 2 * SEEDS : SEEDS) && check_failures < 20; seed++) {
        if (!check_takes(seed))
            continue;
        struct testbench *one = lossy_bench(seed);

        bench_run(one, 0);
        if (seed % 16 == 1)
            longer_lookahead += (uint32_t)on_threads(seed, one, 2 + seed / 16 % 2, 0);
        if (seed % 16 == 9)
            on_threads(seed, one, 2 + seed / 16 % 2, 1);
        if (seed % 4 < 2 && asim_topo_is_star(&one->topo, one->topo.hosts, 2))
            bulk += on_shards(seed, one, 2 + seed % 2);
        cut += (uint32_t)on_processes(seed, one, 2 + seed % 3, 1);
        if (seed % 4 == 0)
            on_processes(seed, one, 2 + seed / 4 % 3, 0);
        if (seed % 32 == 0)
            cut += (uint32_t)on_processes(seed, one, 2, 2);
        if (check_failures) {
            fprintf(stderr, "  so with seed %llu\n", (unsigned long long)seed);
            bench_close(one);
            return;
        }
        bench_close(one);
    }
    fprintf(
        stderr,
        "%u networks in several processes, %u of them in half-steps, %u with longer lookahead of "
        "workers, %u bulk windows of sharded switches\n",
        cut, half_steps, longer_lookahead, bulk);
    if (!check_sums())
        return;
    CHECK(cut > check_share(200) && half_steps > check_share(40));
    CHECK(longer_lookahead > check_share(1) &&
          bulk > check_share(1000)); /* else the test covers too little */
}

int main(void)
{
    check_all(getenv("ASIM_SLOW"));
    return CHECK_DONE();
}
