/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Several benches as the processes of one network: windows of a common grid, and the buffers that
 * processes exchange after each (core/fabric/processes/grid.h, core/fabric/processes/exchange.h).
 */
#ifndef ASIM_TESTS_TESTBENCH_PROCESSES_H
#define ASIM_TESTS_TESTBENCH_PROCESSES_H

#include "fabric/processes/grid.h"
#include "fabric/processes/exchange.h"
#include "testbench_links.h"
#include "fabric/host/traffic.h"

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

/* All processes take half-steps or none. Whether they do. */
static inline int bench_use_half_steps(struct testbench **benches, uint32_t n)
{
    uint32_t may = 0;

    for (uint32_t p = 0; p < n; p++)
        may += asim_grid_may_use_half_steps(benches[p]->fabric) != 0;
    for (uint32_t p = 0; may == n && p < n; p++)
        asim_grid_use_half_steps(benches[p]->fabric);
    return may == n;
}

/* The start of the window behind `end`, which all processes agree on. */
static inline uint64_t bench_next_window(struct testbench **benches, uint32_t n, uint64_t end)
{
    uint64_t next = ASIM_NEVER, begin;

    for (uint32_t p = 0; p < n; p++) {
        uint64_t one = asim_grid_next(benches[p]->fabric);

        next = one < next ? one : next;
    }
    begin = asim_grid_window_begin(benches[0]->fabric, end, next);
    for (uint32_t p = 1; p < n; p++)
        CHECK_U64(asim_grid_window_begin(benches[p]->fabric, end, next), begin);
    return begin;
}

/* As ns-3's processes: windows of a common grid, without the empty ones. */
static inline void bench_run_grid(struct testbench **benches, uint32_t n)
{
    uint64_t now, end = 0;

    while ((now = bench_next_window(benches, n, end)) != ASIM_NEVER) {
        for (uint32_t p = 0; p < n; p++) {
            end = asim_grid_window_end(benches[p]->fabric, now);
            CHECK(!asim_grid_advance(benches[p]->fabric, end, NULL));
        }
        bench_exchange(benches, n);
    }
}

/* A wire's counts, from the process of the node that sends on it. */
static inline void bench_check_wires(const struct testbench *one, struct testbench *const *benches,
                                     const uint32_t *part_of)
{
    for (uint32_t w = 0; w < one->topo.n_links * 2 && check_failures < 10; w++) {
        uint32_t from = one->topo.links[w / 2].a;

        if (w % 2)
            from = one->topo.links[w / 2].b;
        bench_check_link(one, benches[part_of ? part_of[from] : 0], w);
    }
}

/* What all processes have done is what one has done. */
static inline void bench_check_processes(const struct testbench *one,
                                         struct testbench *const *benches, uint32_t n,
                                         const uint32_t *part_of)
{
    struct asim_fabric_stats x, y, sum = {0};

    asim_fabric_stats(one->fabric, &x);
    for (uint32_t p = 0; p < n; p++) {
        asim_fabric_stats(benches[p]->fabric, &y);
        sum.messages += y.messages;
        sum.lost += y.lost;
        sum.retransmits += y.retransmits;
        sum.duplicates += y.duplicates;
        sum.timeouts += y.timeouts;
        CHECK(asim_fabric_audit(benches[p]->fabric, NULL) == 0);
    }
    CHECK_U64(sum.messages, x.messages);
    CHECK_U64(sum.lost, x.lost);
    CHECK_U64(sum.retransmits, x.retransmits);
    CHECK_U64(sum.duplicates, x.duplicates);
    CHECK_U64(sum.timeouts, x.timeouts);
    for (uint32_t i = 0; i < one->traffics.n; i++) {
        struct asim_traffic_use want, got;
        uint64_t started = 0, finished = 0;

        asim_fabric_traffic_use(one->fabric, i, &want);
        for (uint32_t p = 0; p < n; p++) {
            asim_fabric_traffic_use(benches[p]->fabric, i, &got);
            started += got.started_bytes;
            finished += got.finished_bytes;
        }
        CHECK_U64(started, want.started_bytes);
        CHECK_U64(finished, want.finished_bytes);
    }
    for (uint32_t i = 0; i < one->n && check_failures < 10; i++) {
        const struct bench_message *m = &one->msg[i];

        CHECK_U64(benches[part_of ? part_of[m->src] : 0]->msg[i].sent, m->sent);
        CHECK_U64(benches[part_of ? part_of[m->dst] : 0]->msg[i].arrived, m->arrived);
        CHECK_U64(benches[part_of ? part_of[m->dst] : 0]->msg[i].n_arrived, m->n_arrived);
    }
    bench_check_wires(one, benches, part_of);
}

#endif
