/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lossy runs as a whole: error rates and link flaps on an exchange of 16 hosts over two leaves,
 * with go-back-N, selective repeat and spraying. Every byte arrives once, the counts of lost,
 * repeated and duplicate packets add up, the audit holds, and windows and single events agree to
 * the byte. Rate 0 changes nothing, and what cannot be delivered is named.
 */
#include "testbench.h"
#include "conf/netconf.h"
#include <string.h>

enum { HOSTS = 16, LEAVES = 2, SPINES = 2 };

struct case_row {
    const char *name;
    double rate;
    int recovery, balance;
    uint64_t down_up[2]; /* ns; of the link between leaf 16 and spine 18; 0 = none */
    uint64_t rto_us;
    uint32_t cc; /* CC_MODE; 0 = none */
};

static struct testbench *leaf_spine(const struct case_row *row)
{
    struct testbench *bench = bench_open(HOSTS, LEAVES + SPINES);

    for (uint32_t h = 0; h < HOSTS; h++)
        bench_link(bench, h, HOSTS + h / (HOSTS / LEAVES), (const uint64_t[2]){100, 500});
    for (uint32_t l = 0; l < LEAVES; l++)
        for (uint32_t s = 0; s < SPINES; s++)
            bench_link(bench, HOSTS + l, HOSTS + LEAVES + s, (const uint64_t[2]){400, 500});
    bench->net.error_rate = row->rate;
    bench->net.loss_recovery = row->recovery;
    bench->net.load_balance = row->balance;
    bench->net.rto_fs = row->rto_us * 1000000000u;
    bench->net.cc_mode = row->cc;
    if (row->rate > 0.1) /* one try in sixteen gets through */
        bench->net.rto_retries = 1000;
    if (row->down_up[0]) {
        bench->net.link_down = calloc(2, sizeof *bench->net.link_down);
        bench->net.link_down[0] = (struct asim_link_down){row->down_up[0], 16, 18, 0};
        bench->net.link_down[1] = (struct asim_link_down){row->down_up[1], 18, 16, 1};
        bench->net.link_downs = 2;
    }
    /* As a ring all-reduce would load it: each host to its neighbour, and to the other leaf. */
    for (uint32_t round = 0; round < 8; round++)
        for (uint32_t h = 0; h < HOSTS; h++)
            bench_send(bench, 1 + 20000 * round,
                       (const uint32_t[2]){h, (h + (round % 2 ? HOSTS / 2 : 1)) % HOSTS},
                       65536 + h);
    return bench;
}

static void check_counts(struct testbench *bench, const struct asim_fabric_stats *stats)
{
    struct asim_err err = {0};
    uint64_t packets = 0, got = 0;

    for (uint32_t i = 0; i < bench->n; i++) {
        packets += (bench->msg[i].bytes - 1) / bench->net.payload_bytes + 1;
        CHECK_U64(bench->msg[i].n_sent, 1);
        CHECK_U64(bench->msg[i].n_arrived, 1);
        CHECK_U64(bench->msg[i].arrived, bench->msg[i].sent);
    }
    for (uint32_t h = 0; h < HOSTS; h++)
        got += bench->fabric->host[h].counts.data_received;
    CHECK_U64(stats->messages, bench->n);
    CHECK_U64(stats->data, packets + stats->retransmits);
    CHECK_U64(got, packets + stats->duplicates + stats->discarded);
    CHECK(stats->data - got <= stats->lost + stats->drops); /* the rest of the lost were ACKs */
    CHECK_U64(asim_fabric_buffered(bench->fabric), 0);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK_U64(asim_fabric_unfinished(bench->fabric, NULL, 0), 0);
}

static void same(const struct testbench *a, const struct testbench *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->msg[i].sent != b->msg[i].sent) {
            CHECK_U64(a->msg[i].sent, b->msg[i].sent);
            return;
        }
}

static void run_case(const struct case_row *row)
{
    struct testbench *windows = leaf_spine(row), *events = leaf_spine(row);
    struct asim_fabric_stats a, b;

    bench_run(windows, 0);
    bench_run(events, 1);
    asim_fabric_stats(windows->fabric, &a);
    asim_fabric_stats(events->fabric, &b);
    check_counts(windows, &a);
    same(windows, events);
    a.windows = b.windows = a.memory_bytes = b.memory_bytes = 0;
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    if (row->rate >= 1e-3)
        CHECK(a.lost > 0 && a.retransmits > 0);
    if (row->rate == 0 && !row->down_up[0])
        CHECK_U64(a.lost + a.retransmits + a.timeouts, 0);
    printf("%-22s lost %5llu dropped %4llu again %5llu twice %5llu discarded %5llu timeouts %llu\n",
           row->name, (unsigned long long)a.lost, (unsigned long long)a.drops,
           (unsigned long long)a.retransmits, (unsigned long long)a.duplicates,
           (unsigned long long)a.discarded, (unsigned long long)a.timeouts);
    bench_close(windows);
    bench_close(events);
}

static void lossy_runs(void)
{
    static const struct case_row rows[] = {
        {"go-back-N 0", 0, 0, 0, {0, 0}, 0, 0},
        {"go-back-N 1e-5", 1e-5, 0, 0, {0, 0}, 0, 0},
        {"go-back-N 1e-4", 1e-4, 0, 0, {0, 0}, 0, 0},
        {"go-back-N 1e-3", 1e-3, 0, 0, {0, 0}, 0, 0},
        {"go-back-N 1e-2", 1e-2, 0, 0, {0, 0}, 0, 0},
        {"go-back-N 1e-2 20us", 1e-2, 0, 0, {0, 0}, 20, 0},
        {"go-back-N 0.3 20us", 0.3, 0, 0, {0, 0}, 20, 0},
        {"selective 0", 0, 1, 0, {0, 0}, 0, 0},
        {"selective 1e-3", 1e-3, 1, 0, {0, 0}, 0, 0},
        {"selective 1e-2", 1e-2, 1, 0, {0, 0}, 0, 0},
        {"selective 1e-2 20us", 1e-2, 1, 0, {0, 0}, 20, 0},
        {"selective 0.3 20us", 0.3, 1, 0, {0, 0}, 20, 0},
        {"spray 0", 0, 0, 1, {0, 0}, 0, 0},
        {"spray 1e-2 20us", 1e-2, 0, 1, {0, 0}, 20, 0},
        {"spray selective 1e-2", 1e-2, 1, 1, {0, 0}, 20, 0},
        {"flap go-back-N", 0, 0, 0, {25000, 60000}, 20, 0},
        {"flap auto rto", 0, 0, 0, {25000, 60000}, 0, 0},
        {"flap selective 1e-3", 1e-3, 1, 0, {25000, 27000}, 20, 0},
        {"flap spray", 1e-3, 0, 1, {22000, 22100}, 20, 0},
        {"DCQCN 1e-2", 1e-2, 0, 0, {0, 0}, 50, 1},
        {"HPCC 1e-2", 1e-2, 0, 0, {0, 0}, 50, 3},
        {"HPCC selective 1e-2", 1e-2, 1, 0, {0, 0}, 50, 3},
        {"TIMELY selective 1e-2", 1e-2, 1, 0, {0, 0}, 50, 7},
        {"DCTCP 1e-2", 1e-2, 0, 0, {0, 0}, 50, 8},
        {"PINT 1e-2", 1e-2, 0, 0, {0, 0}, 50, 10},
        {"HPCC spray 1e-2", 1e-2, 1, 1, {0, 0}, 50, 3},
        {"HPCC flap", 1e-3, 0, 0, {25000, 60000}, 50, 3},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run_case(&rows[i]);
}

/* The only link of host 0 goes down for good while it sends. */
static void undeliverable(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    struct asim_unfinished list[4];
    struct asim_err err = {0};

    bench->net.link_down = calloc(1, sizeof *bench->net.link_down);
    bench->net.link_down[0] = (struct asim_link_down){6000, 0, 3, 0};
    bench->net.link_downs = 1;
    bench_send(bench, 1, (const uint32_t[2]){0, 1}, 1000000); /* waits at its NIC */
    bench_send(bench, 1, (const uint32_t[2]){1, 0}, 1000000); /* has no way: given up */
    bench_send(bench, 1, (const uint32_t[2]){1, 2}, 1000000);
    bench_run(bench, 0);
    CHECK_U64(asim_fabric_unfinished(bench->fabric, list, 4), 2);
    CHECK(list[0].src == 0 && list[0].dst == 1 && !list[0].aborted && list[0].acked > 0);
    CHECK(list[1].src == 1 && list[1].dst == 0 && list[1].aborted && list[1].timeouts == 17);
    CHECK(list[1].acked > 0 && list[1].acked < 1000000);
    CHECK_U64(bench->msg[2].n_arrived, 1);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK_U64(asim_fabric_buffered(bench->fabric), 0);
    bench_close(bench);
}

/* What is unfinished is listed by message, in whatever slots the flows are: which one is free
 * again, and when, may depend on other processes. */
static void listed_by_message(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    struct asim_unfinished list[2];

    bench->net.link_down = calloc(1, sizeof *bench->net.link_down);
    bench->net.link_down[0] = (struct asim_link_down){60000, 0, 3, 0};
    bench->net.link_downs = 1;
    bench_send(bench, 1, (const uint32_t[2]){1, 2}, 100); /* has the first slot, and leaves it */
    bench_send(bench, 1, (const uint32_t[2]){1, 0}, 10000000);
    bench_send(bench, 50000, (const uint32_t[2]){1, 0}, 20000000); /* which then has it */
    bench_run(bench, 0);
    CHECK_U64(asim_fabric_unfinished(bench->fabric, list, 2), 2);
    CHECK(list[0].bytes == 10000000 && list[1].bytes == 20000000);
    CHECK_U64(asim_fabric_unfinished(bench->fabric, list, 1), 2);
    CHECK_U64(list[0].bytes, 10000000);
    bench_close(bench);
}

/* Two links to one switch: the queue pairs of the one that goes down move to the other. */
static void second_nic(void)
{
    struct testbench *bench = bench_open(2, 2);
    struct asim_err err = {0};
    struct asim_fabric_stats stats;

    for (uint32_t h = 0; h < 2; h++)
        for (uint32_t s = 0; s < 2; s++)
            bench_link(bench, h, 2 + s, (const uint64_t[2]){100, 500});
    bench->net.link_down = calloc(2, sizeof *bench->net.link_down);
    bench->net.link_down[0] = (struct asim_link_down){10000, 0, 2, 0};
    bench->net.link_down[1] = (struct asim_link_down){90000, 0, 2, 1};
    bench->net.link_downs = 2;
    for (uint32_t i = 0; i < 16; i++)
        bench_send(bench, 1, (const uint32_t[2]){0, 1}, 200000);
    bench_run(bench, 0);
    asim_fabric_stats(bench->fabric, &stats);
    CHECK_U64(stats.messages, 16);
    CHECK(bench->fabric->host[0].nics[0].port.out->frames > 100);
    CHECK(bench->fabric->host[0].nics[1].port.out->frames >
          bench->fabric->host[0].nics[0].port.out->frames);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
    CHECK_STR(err.text, "");
    bench_close(bench);
}

static void unknown_link(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    struct asim_fabric_config config = {.topo = &bench->topo, .net = &bench->net};
    struct asim_err err = {0};

    bench->net.link_down = calloc(1, sizeof *bench->net.link_down);
    bench->net.link_down[0] = (struct asim_link_down){6000, 0, 1, 0};
    bench->net.link_downs = 1;
    CHECK(asim_topo_finish(&bench->topo, &err) == 0);
    CHECK(asim_route_open(&bench->route, &bench->topo, NULL, &err) == 0);
    config.route = bench->route;
    CHECK(asim_fabric_open(&bench->fabric, &config, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "LINK_DOWN names nodes 0 and 1") != NULL);
    bench_close(bench);
}

int main(void)
{
    lossy_runs();
    undeliverable();
    listed_by_message();
    second_nic();
    unknown_link();
    return CHECK_DONE();
}
