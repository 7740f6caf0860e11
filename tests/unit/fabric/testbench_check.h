/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The star, and what must hold on every bench after a run without losses. Part of testbench.h.
 */
#ifndef ASIM_TESTS_TESTBENCH_CHECK_H
#define ASIM_TESTS_TESTBENCH_CHECK_H

#include "testbench.h"

/* Every message came once, both ends were told at the same time, nothing is left in a switch. */
static inline void bench_check_conserved(const struct testbench *bench)
{
    struct asim_fabric_stats stats;
    uint32_t before = (uint32_t)check_failures;

    asim_fabric_stats(bench->fabric, &stats);
    CHECK_U64(stats.messages, bench->n);
    CHECK_U64(bench->n_fct, bench->n);
    CHECK_U64(stats.drops, 0);
    CHECK_U64(asim_fabric_buffered(bench->fabric), 0);
    CHECK(asim_fabric_audit(bench->fabric, NULL) == 0);
    for (uint32_t i = 0; i < bench->n && before + 5 > (uint32_t)check_failures; i++) {
        CHECK_U64(bench->msg[i].n_sent, 1);
        CHECK_U64(bench->msg[i].n_arrived, 1);
        CHECK_U64(bench->msg[i].arrived, bench->msg[i].sent);
        CHECK(bench->msg[i].sent > bench->msg[i].at);
    }
}

/* hosts around one switch. */
static inline struct testbench *bench_star(uint32_t hosts, const uint64_t gbps_ns[2])
{
    struct testbench *bench = bench_open(hosts, 1);

    for (uint32_t h = 0; h < hosts; h++)
        bench_link(bench, h, hosts, gbps_ns);
    return bench;
}

#endif
