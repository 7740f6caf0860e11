/* SPDX-License-Identifier: GPL-2.0-only
 *
 * QPS_PER_CONNECTION (rdma-network.md#queue-pairs): when messages of one host end that begin
 * together, in closed form; source ports; messages end in the order of their start, with losses,
 * too; nothing waits for a message that was given up. Messages that share a NIC with others.
 */
#include "testbench.h"
#include "conf/netconf.h"
#include "fabric/host/flow.h"
#include "fabric/memo/region/part.h"
#include "net/net_events.h"

enum { HOSTS = 4, PACKETS = 50, MTU = 1000, TX = 21 /* ns of 1036 bytes at 400 Gb/s */ };

static struct testbench *star(uint32_t qps, uint32_t nics)
{
    struct testbench *bench = bench_open(HOSTS, 1);

    for (uint32_t h = 0; h < HOSTS; h++)
        for (uint32_t k = 0; k < nics; k++)
            bench_link(bench, h, HOSTS, (const uint64_t[2]){400, 500});
    bench->net.qps_per_connection = qps;
    return bench;
}

/* Four messages to host 1 from time 0 on, on four, one and two queue pairs: the last one ends when
 * all are sent, and those that share a queue pair end one after another. */
static void to_one_host(void)
{
    static const uint64_t ends[3][4] = {
        {4 * PACKETS - 4, 4 * PACKETS - 3, 4 * PACKETS - 2, 4 * PACKETS - 1},
        {PACKETS - 1, 2 * PACKETS - 1, 3 * PACKETS - 1, 4 * PACKETS - 1},
        {2 * PACKETS - 2, 2 * PACKETS - 1, 4 * PACKETS - 2, 4 * PACKETS - 1}};
    uint64_t first = 0;

    for (uint32_t qps = 0; qps < 3; qps++) {
        struct testbench *bench = star(qps, 1);

        for (uint32_t i = 0; i < 4; i++)
            bench_send(bench, 0, (const uint32_t[2]){0, 1}, PACKETS * MTU);
        bench_run(bench, 0);
        if (!qps)
            first = bench->msg[0].sent - ends[0][0] * TX;
        for (uint32_t i = 0; i < 4; i++)
            CHECK_U64(bench->msg[i].sent, first + ends[qps][i] * TX);
        for (uint32_t i = 0; i < ASIM_FLOW_CHUNK; i++) {
            const struct asim_flow *flow = asim_own_flow(&bench->fabric->host[0], i);

            CHECK(!qps || !flow->generation || flow->sport - 10000u < qps);
        }
        bench_close(bench);
    }
}

/* Two to host 1 and two to host 2: the hosts take turns, so the first ones end one packet apart,
 * and the second ones as much later as two messages take. */
static void to_two_hosts(void)
{
    struct testbench *bench = star(1, 1);

    for (uint32_t i = 0; i < 4; i++)
        bench_send(bench, 0, (const uint32_t[2]){0, 1 + i % 2}, PACKETS * MTU);
    bench_run(bench, 0);
    CHECK_U64(bench->msg[1].sent - bench->msg[0].sent, TX);
    CHECK_U64(bench->msg[2].sent - bench->msg[0].sent, 2 * PACKETS * TX);
    CHECK_U64(bench->msg[3].sent - bench->msg[2].sent, TX);
    bench_close(bench);
}

/* Ten messages at a time, to one host or to two in turn: the ninth and the tenth begin behind eight
 * others or more, and the last one goes to the same host or not. */
static void crowds(void)
{
    for (uint32_t hosts = 1; hosts < 3; hosts++)
        for (uint32_t qps = 0; qps < 2; qps++) {
            struct testbench *bench = star(qps, 1);
            struct asim_fabric_stats stats;

            for (uint32_t i = 0; i < 10; i++)
                bench_send(bench, 0, (const uint32_t[2]){0, 1 + i % hosts}, PACKETS * MTU);
            bench_run(bench, 0);
            asim_fabric_stats(bench->fabric, &stats);
            CHECK_U64(stats.crowded, qps || hosts > 1 ? 0 : 2);
            bench_close(bench);
        }
}

/* A message that begins while the last one waits only for its ACKs is sent at once. */
static void after_the_last(void)
{
    struct testbench *bench = star(1, 1);

    bench_send(bench, 0, (const uint32_t[2]){0, 1}, PACKETS * MTU);
    bench_send(bench, PACKETS * TX + 1, (const uint32_t[2]){0, 1}, PACKETS * MTU);
    bench_run(bench, 0);
    CHECK(bench->msg[0].sent > PACKETS * TX + 1);
    CHECK_U64(bench->msg[1].sent - bench->msg[0].sent, PACKETS * TX + 1);
    bench_close(bench);
}

struct loss_row {
    const char *name;
    double rate;
    int recovery, balance;
    uint32_t nics, cc;
};

/* All messages arrive, in windows and event by event at the same times. Without losses those of one
 * NIC to one host end in the order of their start. */
static void random_losses(const struct loss_row *row)
{
    struct testbench *of[2];

    for (int per_event = 0; per_event < 2; per_event++) {
        struct testbench *bench = of[per_event] = star(1, row->nics);

        bench->net.error_rate = row->rate;
        bench->net.loss_recovery = row->recovery;
        bench->net.load_balance = row->balance;
        bench->net.rto_fs = 50000000000u;
        bench->net.cc_mode = row->cc;
        for (uint32_t i = 0; i < 120; i++)
            bench_send(bench, i / 12 * 1700,
                       (const uint32_t[2]){i % HOSTS, (i + 1 + i / 4 % 3) % HOSTS}, 7000 + 13 * i);
        bench_run(bench, per_event);
    }
    for (uint32_t i = 0; i < of[0]->n; i++) {
        const struct bench_message *m = &of[0]->msg[i];

        CHECK_U64(m->n_arrived, 1);
        CHECK_U64(m->sent, of[1]->msg[i].sent);
        for (uint32_t k = 0; k < i && row->nics == 1 && row->rate == 0; k++)
            if (of[0]->msg[k].src == m->src && of[0]->msg[k].dst == m->dst)
                CHECK(of[0]->msg[k].sent < m->sent);
    }
    bench_close(of[0]);
    bench_close(of[1]);
}

/* The link of host 1 goes down for good amid the first message. All three to host 1 are given up,
 * each after the one before it; the one to host 2 arrives. */
static void given_up(void)
{
    struct testbench *bench = star(1, 1);
    struct asim_unfinished left[4];

    bench->net.rto_fs = 20000000000u;
    bench->net.rto_retries = 2;
    for (uint32_t i = 0; i < 4; i++)
        bench_send(bench, 0, (const uint32_t[2]){0, i == 2 ? 2 : 1}, PACKETS * MTU);
    bench_event(bench, (struct asim_net_event){.at_ns = 1500, .kind = ASIM_NET_LINK_DOWN, .of = 1});
    bench_run(bench, 0);
    CHECK_U64(bench->msg[2].n_arrived, 1);
    CHECK_U64(asim_fabric_unfinished(bench->fabric, left, 4), 3);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(left[i].aborted);
    bench_close(bench);
}

int main(void)
{
    static const struct loss_row rows[] = {
        {"no loss", 0, ASIM_GO_BACK_N, ASIM_PER_FLOW, 1, 12},
        {"no loss, DCQCN", 0, ASIM_GO_BACK_N, ASIM_PER_FLOW, 1, 1},
        {"no loss, TIMELY", 0, ASIM_GO_BACK_N, ASIM_PER_FLOW, 1, 7},
        {"no loss, two NICs", 0, ASIM_GO_BACK_N, ASIM_PER_FLOW, 2, 12},
        {"go-back-N", 0.01, ASIM_GO_BACK_N, ASIM_PER_FLOW, 1, 12},
        {"go-back-N, two NICs", 0.01, ASIM_GO_BACK_N, ASIM_PER_FLOW, 2, 3},
        {"selective repeat", 0.01, ASIM_SELECTIVE_REPEAT, ASIM_PER_FLOW, 1, 12},
        {"spraying", 0.01, ASIM_GO_BACK_N, ASIM_SPRAY, 2, 12},
    };

    to_one_host();
    to_two_hosts();
    crowds();
    after_the_last();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        random_losses(&rows[i]);
    given_up();
    return CHECK_DONE();
}
