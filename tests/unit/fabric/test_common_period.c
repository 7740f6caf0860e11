/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Periods that several processes skip together (core/fabric/memo/period/common_period.c): random
 * networks of leaves and spines with long messages, in 2 to 4 processes, against one process frame
 * by frame.
 */
#include "fabric/memo/memo.h"
#include "testbench_processes.h"
#include "testbench_random.h"

#include "topo/partition.h"
#include "base/map.h"
#include "conf/netconf.h"
#include "fabric/processes/peers.h"

enum { MOST = 4, NETWORKS = 800 };
/* Sends again and again in 15 million windows, a third of the whole time: with --slow only. */
enum { LOSSY = 179 };

static uint32_t cut, skips, in_half_steps, with_parts, of_two;

/* With servers, two hosts have an NVSwitch beside their leaf. */
static struct testbench *open_network(uint64_t *state, uint32_t servers)
{
    uint32_t leaves = 2 + draw(state, 3), spines = 1 + draw(state, 3), a_leaf = 1 + draw(state, 3);
    uint32_t hosts = leaves * a_leaf * (servers ? 2 : 1);
    struct testbench *bench = bench_open(hosts, leaves + spines + (servers ? leaves * a_leaf : 0));
    uint64_t gbps = rates[draw(state, 4)], delay = delays[draw(state, 4)];
    uint32_t equal = draw(state, 8);

    for (uint32_t s = hosts + leaves + spines; s < bench->topo.nodes; s++)
        bench->topo.node_type[s] = ASIM_NVSWITCH;
    for (uint32_t h = 0; h < hosts; h++) {
        bench_link(
            bench, h, hosts + h / (servers ? 2 : 1) % leaves,
            (const uint64_t[2]){equal || draw(state, 4) ? gbps : rates[draw(state, 4)], delay});
        if (servers)
            bench_link(bench, h, hosts + leaves + spines + h / 2, (const uint64_t[2]){2400, 25});
    }
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t s = 0; s < spines; s++)
            bench_link(bench, hosts + l, hosts + leaves + s,
                       (const uint64_t[2]){draw(state, 2) ? gbps : 2 * gbps,
                                           draw(state, 4) ? delay : delays[draw(state, 4) + 1]});
    return bench;
}

static void send_messages(struct testbench *bench, uint64_t *state, uint32_t hosts)
{
    uint32_t kind = draw(state, 3), n = 1 + draw(state, hosts);
    uint64_t bytes = 100000 + draw(state, 4000000) * (draw(state, 8) ? 1ull : 4ull);

    for (uint32_t i = 0; i < (kind ? n : hosts); i++) {
        uint32_t from = kind ? draw(state, hosts) : i, to = (i + 1) % hosts;

        if (kind)
            to = (from + 1 + draw(state, hosts - 1)) % hosts;
        if (kind == 2 && i % 2)
            to = (from + 1) % hosts;
        bench_send(bench, 1000 + draw(state, 4) / 3 * draw(state, 20000),
                   (const uint32_t[2]){from, to},
                   draw(state, 4) ? bytes : 100000 + draw(state, 4000000));
    }
    if (draw(state, 3) == 0) /* a wake in the middle */
        bench_send(bench, 30000 + draw(state, 60000), (const uint32_t[2]){0, hosts - 1}, 1);
}

static struct testbench *network(uint64_t seed)
{
    static const uint32_t controls[] = {12, 12, 1, 8, 3};
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    uint32_t servers = draw(&state, 4) == 0;
    struct testbench *bench = open_network(&state, servers);
    uint32_t hosts = 0;

    while (bench->topo.node_type[hosts] == ASIM_HOST)
        hosts++;
    send_messages(bench, &state, hosts);
    bench->net.cc_mode = controls[draw(&state, 5)];
    bench->net.has_win = draw(&state, 3) != 0;
    bench->net.var_win = draw(&state, 2) != 0;
    bench->net.ack_high_prio = draw(&state, 4) == 0;
    if (draw(&state, 4) == 0)
        bench->net.buffer_bytes = 1 << 20;
    if (draw(&state, 3) == 0)
        bench->net.no_progress_fs = 1000000; /* looks as often as the network allows */
    if (draw(&state, 8) == 0)
        bench->net.time_base = ASIM_BASE_PS;
    return bench;
}

static uint64_t saved_by(const struct testbench *bench)
{
    return bench->fabric->memo ? bench->fabric->memo->steady.saved : 0;
}

static struct testbench *open_process(uint64_t seed, const struct asim_partition *part, uint32_t p,
                                      struct asim_err *err)
{
    struct testbench *bench = network(seed);

    bench->part_of = part->of;
    bench->self = p;
    bench_prepare(bench, 0);
    bench->fabric->watch->pfc = NULL;
    if (asim_exchange_open(bench->fabric, part, p, err) == 0)
        CHECK(!asim_fabric_use_memo(bench->fabric));
    return bench;
}

/* Counts what the test must have met. */
static void count(struct testbench *const *benches, uint32_t n)
{
    const struct asim_fabric *fabric = benches[0]->fabric;
    uint64_t saved = 0;

    for (uint32_t p = 0; p < n; p++)
        saved += saved_by(benches[p]);
    cut++;
    skips += saved != 0;
    in_half_steps += saved && asim_engine_of(fabric)->exchange->wants_half_steps;
    with_parts += saved && fabric->memo && fabric->memo->parts;
    of_two += saved && n == 2;
}

static void in_processes(uint64_t seed, const struct testbench *one, uint32_t n)
{
    struct testbench *benches[MOST];
    struct asim_partition part;
    struct asim_err err = {0};

    CHECK(!asim_partition_make(&part, &one->topo, n, 0, NULL));
    for (uint32_t p = 0; p < n; p++)
        benches[p] = open_process(seed, &part, p, &err);
    if (!err.code && part.cut_links) {
        for (uint32_t p = 0; p < n; p++)
            bench_start(benches[p]);
        if (seed % 4)
            bench_use_half_steps(benches, n);
        bench_run_grid(benches, n);
        bench_check_processes(one, benches, n, part.of);
        count(benches, n);
    }
    for (uint32_t p = 0; p < n; p++)
        bench_close(benches[p]);
    asim_partition_fini(&part);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        if ((seed == LOSSY && !check_is_slow()) || !check_takes(seed))
            continue;
        struct testbench *one = network(seed);
        int before = check_failures;

        bench_run(one, 0);
        in_processes(seed, one, 2 + (uint32_t)(seed % 3));
        if (check_failures != before)
            fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
        bench_close(one);
    }
    printf("%u networks in several processes: %u skip periods, %u of them in half-steps, %u with "
           "parts, %u in two processes\n",
           cut, skips, in_half_steps, with_parts, of_two);
    CHECK(!check_sums() || (skips > check_share(NETWORKS) / 12 && in_half_steps));
    CHECK(!check_sums() || (with_parts && of_two));
    return CHECK_DONE();
}
