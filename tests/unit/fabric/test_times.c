/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How long a message takes: the closed forms F1, F2 and F3 of rdma-network.md#closed-forms,
 * over rates, delays, sizes and path lengths, and the message times measured on ASTRA-sim
 * (rdma-network.md#recorded-numbers), among them the two that windows stall. Serialization times
 * against their definition.
 */
#include "testbench.h"

enum { MTU = 1000 };

struct path {
    uint64_t gbps, delay;
    uint32_t hops;
};

/* Nearest ns of 8 bytes / rate, exact halves down, in integers. */
static uint64_t tx(uint64_t bytes, uint64_t gbps)
{
    uint64_t doubled = 16 * bytes, whole = doubled / gbps; /* half nanoseconds, floored */

    return doubled % gbps == 0 && whole % 2 ? (whole - 1) / 2 : (whole + 1) / 2;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* F1 and F2: a message alone on equal links. */
static uint64_t one_way(const struct path *p, uint64_t bytes)
{
    uint64_t n = (bytes + MTU - 1) / MTU, h = p->hops;
    uint64_t last = tx(bytes - (n - 1) * MTU + 36, p->gbps), ack = tx(48, p->gbps);

    if (n == 1)
        return h * (last + ack + 2 * p->delay);
    return (n + h - 2) * tx(MTU + 36, p->gbps) + most(last, ack) + h * ack + 2 * h * p->delay;
}

/* F3: two hosts on one switch send each other as much at the same time. */
static uint64_t exchange(const struct path *p, uint64_t bytes)
{
    uint64_t n = (bytes + MTU - 1) / MTU, full = tx(MTU + 36, p->gbps), acked = 0, before = 0;
    uint64_t last = tx(bytes - (n - 1) * MTU + 36, p->gbps), ack = tx(48, p->gbps);
    uint64_t *start = calloc(n + 1, sizeof *start), end;

    if (!start)
        abort();
    for (uint64_t k = 0; k + 1 < n; k++) {
        uint64_t t = start[k] + full;

        for (; acked <= k && start[acked] + 2 * full + 2 * p->delay <= t; acked++)
            t += ack;
        start[k + 1] = t;
        before = start[k];
    }
    end = start[n - 1] + full + last;
    if (n > 1)
        end = most(end, before + 2 * full + ack);
    free(start);
    return end + 2 * ack + 4 * p->delay;
}

static struct testbench *chain(const struct path *p)
{
    struct testbench *bench = bench_open(2, p->hops - 1);
    const uint64_t link[2] = {p->gbps, p->delay};

    bench_link(bench, 0, 2, link);
    for (uint32_t s = 0; s + 2 < p->hops; s++)
        bench_link(bench, 2 + s, 3 + s, link);
    bench_link(bench, 2 + p->hops - 2, 1, link);
    return bench;
}

static void try_one_way(const struct path *p, uint64_t bytes)
{
    struct testbench *bench = chain(p);

    bench->net.has_win = 0;
    bench_send(bench, 3, (const uint32_t[2]){0, 1}, bytes);
    bench_run(bench, 0);
    bench_check_conserved(bench);
    CHECK_U64(bench->msg[0].sent - 3, one_way(p, bytes));
    bench_close(bench);
}

static void try_exchange(const struct path *p, uint64_t bytes)
{
    struct testbench *bench = chain(p);

    bench->net.has_win = 0;
    bench_send(bench, 0, (const uint32_t[2]){0, 1}, bytes);
    bench_send(bench, 0, (const uint32_t[2]){1, 0}, bytes);
    bench_run(bench, 0);
    bench_check_conserved(bench);
    CHECK_U64(bench->msg[1].sent, bench->msg[0].sent);
    if (bytes > MTU)
        CHECK_U64(bench->msg[0].sent, exchange(p, bytes));
    bench_close(bench);
}

static void closed_forms(void)
{
    static const uint64_t rates[] = {25, 40, 65, 100, 200, 400, 800, 1200, 2400};
    static const uint64_t delays[] = {25, 100, 500, 1000, 5000};
    static const uint64_t sizes[] = {1, 12, 500, 1000, 1001, 1012, 2000, 9999, 32768, 131072};

    for (int i = 0; i < 9 * 5 * 10 && check_failures < 20; i++) {
        struct path p = {rates[i % 9], delays[i / 9 % 5], 2};

        try_exchange(&p, sizes[i / 45]);
        for (; p.hops < 6; p.hops++)
            try_one_way(&p, sizes[i / 45]);
        if (check_failures)
            fprintf(stderr, "  up to %dG, %d ns, %d bytes\n", (int)p.gbps, (int)p.delay,
                    (int)sizes[i / 45]);
    }
}

/* hosts in a ring around one switch, each sending `bytes` to the next, windows on. */
static const struct golden {
    uint64_t gbps, bytes, want;
    uint32_t hosts;
} goldens[] = {
    {200, 131072, 7632, 2},  {200, 524288, 24540, 2}, {25, 131072, 48055, 2},
    {25, 524288, 184495, 2}, {100, 131072, 13476, 2}, {100, 524288, 47684, 2},
    {400, 131072, 4860, 2},  {400, 524288, 13510, 2}, {400, 32768, 2711, 8},
    {400, 131072, 4860, 8},
};

static void golden_times(int per_event)
{
    for (size_t g = 0; g < sizeof goldens / sizeof goldens[0]; g++) {
        const struct golden *golden = &goldens[g];
        struct testbench *bench = bench_star(golden->hosts, (const uint64_t[2]){golden->gbps, 500});

        for (uint32_t h = 0; h < golden->hosts; h++)
            bench_send(bench, 10, (const uint32_t[2]){h, (h + 1) % golden->hosts}, golden->bytes);
        bench_run(bench, per_event);
        bench_check_conserved(bench);
        for (uint32_t h = 0; h < golden->hosts; h++)
            CHECK_U64(bench->msg[h].arrived - 10, golden->want);
        CHECK_U64(bench->fct_ns, golden->want * golden->hosts);
        bench_close(bench);
    }
}

/* 2400G links run 15 % fast by rounding, so the window of 602 packets is sent before the first ACK
 * is back: 602 packets a round trip (rdma-network.md#closed-forms). */
static void window_stall(void)
{
    static const struct path p = {2400, 500, 2};
    enum { WINDOW = 602, ROUND = 2 * 3 + 4 * 500 };

    for (uint32_t rounds = 1; rounds < 5; rounds++) {
        struct testbench *bench = chain(&p);

        bench_send(bench, 0, (const uint32_t[2]){0, 1}, (uint64_t)rounds * WINDOW * MTU);
        bench_run(bench, 0);
        bench_check_conserved(bench);
        CHECK_U64(bench->msg[0].sent, (rounds - 1) * ROUND + WINDOW * 3 + 3 + 4 * 500);
        bench_close(bench);
    }
}

static void serialization(void)
{
    static const uint64_t rates[] = {25, 40, 65, 100, 200, 400, 800, 1200, 2400, 2880};

    for (uint64_t bytes = 0; bytes <= 9100; bytes++)
        for (int r = 0; r < 10 && check_failures < 20; r++) {
            uint64_t bps = rates[r] * 1000000000u, ns = asim_tx_ns(bytes, bps);

            CHECK_U64(ns, tx(bytes, rates[r]));
            CHECK(16000000000u * bytes <= (2 * ns + 1) * bps);
            CHECK(!ns || 16000000000u * bytes > (2 * ns - 1) * bps);
        }
    CHECK_U64(asim_tx_ns(25, 400000000000u), 0); /* 0.5 ns: down */
    CHECK_U64(asim_tx_ns(48, 2400000000000u), 0);
    CHECK_U64(asim_tx_ns(1036, 2400000000000u), 3);
    CHECK_U64(asim_tx_ns(1036, 200000000000u), 41);
}

int main(void)
{
    serialization();
    closed_forms();
    golden_times(0);
    golden_times(1);
    window_stall();
    return CHECK_DONE();
}
