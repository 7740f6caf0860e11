/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Several benches as the processes of one network: windows of a common grid, and the buffers that
 * processes exchange after each (core/fabric/grid.h, core/fabric/parallel/exchange.h).
 */
#ifndef ASIM_TESTS_TESTBENCH_PROCESSES_H
#define ASIM_TESTS_TESTBENCH_PROCESSES_H

#include "fabric/grid.h"
#include "fabric/parallel/exchange.h"
#include "testbench.h"

/* The end of a window: each process takes the buffers of all others. */
static inline void bench_exchange(struct testbench **benches, uint32_t n)
{
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++) {
            struct asim_buffer buffer;

            if (p == q)
                continue;
            CHECK(!asim_exchange_pack(benches[p]->fabric, q, &buffer, NULL));
            CHECK(!asim_exchange_unpack(benches[q]->fabric, &buffer, NULL));
        }
}

/* As ns-3's processes: windows of a common grid, without the empty ones. */
static inline void bench_run_grid(struct testbench **benches, uint32_t n)
{
    uint64_t window = asim_exchange_lookahead(benches[0]->fabric);

    for (;;) {
        uint64_t next = ASIM_NEVER;

        for (uint32_t p = 0; p < n; p++) {
            uint64_t one = asim_grid_next(benches[p]->fabric);

            next = one < next ? one : next;
        }
        if (next == ASIM_NEVER)
            return;
        for (uint32_t p = 0; p < n; p++)
            CHECK(!asim_grid_advance(benches[p]->fabric, next + window, NULL));
        bench_exchange(benches, n);
    }
}

#endif
