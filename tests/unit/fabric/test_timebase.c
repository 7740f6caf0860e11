/* SPDX-License-Identifier: GPL-2.0-only
 *
 * TIME_BASE ps: links run at their rate, where whole nanoseconds make 2400 Gb/s 15 % fast; the
 * closed form F2 holds in picoseconds; both bases agree where every time is a whole ns; windows
 * and single events agree under contention, losses and a flap, too.
 */
#include "testbench.h"
#include "asim/ext/option.h"
#include "base/map.h"
#include "conf/netconf.h"

static uint64_t one_way(uint64_t gbps, uint64_t bytes, int base)
{
    struct testbench *bench = bench_star(2, (const uint64_t[2]){gbps, 500});
    uint64_t took;

    bench->net.time_base = base;
    bench->net.has_win = 0;
    bench_send(bench, 1000, (const uint32_t[2]){0, 1}, bytes);
    bench_run(bench, 0);
    bench_check_conserved(bench);
    took = bench->msg[0].sent - 1000;
    bench_close(bench);
    return took;
}

/* N x D + max(d, a) + 2 a + 4 P (rdma-network.md#closed-forms), times rounded to ps each, the sum
 * up to ns. */
static uint64_t expected(uint64_t gbps, uint64_t packets)
{
    uint64_t d = (1036 * 8000 + gbps / 2) / gbps, a = (48 * 8000 + gbps / 2) / gbps;

    return ((packets + 1) * d + 2 * a + 4 * 500000 + 999) / 1000;
}

static void exact_rates(void)
{
    static const uint64_t gbps[] = {25, 100, 200, 400, 800, 1600, 2400};

    for (size_t i = 0; i < sizeof gbps / sizeof *gbps; i++)
        for (uint64_t packets = 2; packets < 3000; packets = packets * 3 + 1)
            CHECK_U64(one_way(gbps[i], packets * 1000, ASIM_BASE_PS), expected(gbps[i], packets));
    /* 10 MB at 2400 Gb/s: 34.5 us of wire time, of which whole ns make 30. */
    CHECK(one_way(2400, 10000000, ASIM_BASE_PS) > 34533 + 2000);
    CHECK(one_way(2400, 10000000, ASIM_BASE_NS) < 30000 + 2100);
    /* 1036 B and 48 B at 8 Gb/s are 1036 and 48 ns. */
    CHECK_U64(one_way(8, 500000, ASIM_BASE_PS), one_way(8, 500000, ASIM_BASE_NS));
}

static struct testbench *crowd(void)
{
    struct testbench *bench = bench_star(8, (const uint64_t[2]){400, 25});

    bench->net.time_base = ASIM_BASE_PS;
    bench->net.error_rate = 1e-3;
    bench->net.buffer_bytes = 1 << 20;
    bench->net.link_down = calloc(2, sizeof *bench->net.link_down);
    bench->net.link_down[0] = (struct asim_link_down){9000, 3, 8, 0};
    bench->net.link_down[1] = (struct asim_link_down){11000, 3, 8, 1};
    bench->net.link_downs = 2;
    for (uint32_t i = 0; i < 56; i++)
        bench_send(bench, 1 + i % 5, (const uint32_t[2]){i / 7, (i / 7 + 1 + i % 7) % 8},
                   150000 + i);
    return bench;
}

static void windows_and_events(void)
{
    struct testbench *a = crowd(), *b = crowd();
    struct asim_err err = {0};

    bench_run(a, 0);
    bench_run(b, 1);
    for (uint32_t i = 0; i < a->n; i++) {
        CHECK_U64(a->msg[i].n_arrived, 1);
        CHECK_U64(a->msg[i].sent, b->msg[i].sent);
        CHECK_U64(a->msg[i].arrived, a->msg[i].sent);
    }
    CHECK(asim_fabric_audit(a->fabric, &err) == 0 && asim_fabric_audit(b->fabric, &err) == 0);
    CHECK_STR(err.text, "");
    bench_close(a);
    bench_close(b);
}

int main(void)
{
    exact_rates();
    windows_and_events();
    return CHECK_DONE();
}
