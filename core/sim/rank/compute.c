/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Durations of compute ops: the recorded duration, or the roofline model (Williams et al., CACM
 * 2009) where the system configuration asks for it; system-layer.md#roofline and
 * system-layer.md#recorded-durations.
 *
 * All times are whole ns, truncated as in ASTRA-sim. Upper limits keep a damaged trace from
 * wrapping the clock. Compute and communication of one rank do not slow each other down.
 */
#include "sim/rank/compute.h"
#include "sim/sim.h"

#include <math.h>

enum { REDUCE_PASSES = 3 };

/* The readers of trace formats refuse longer ops; this limit holds for other sources of ops. */
static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* Recorded microseconds as ns. */
uint64_t asim_replay_ns(const struct asim_op *op)
{
    if (op->duration_ns)
        return at_most(op->duration_ns, ASIM_DURATION_NS_MAX);
    if (!op->duration_micros)
        return 1; /* parity: nothing takes less than a cycle */
    return at_most(op->duration_micros, ASIM_DURATION_NS_MAX / 1000) * 1000;
}

/* intensity = work / bytes; perf = min(bandwidth x intensity, peak); time = work / perf, truncated
 * to whole ns (system-layer.md#roofline). No work takes no time; ASTRA-sim divides 0 by 0 and waits
 * for 2^63 ns. */
static uint64_t roofline_ns(const struct asim_system *sys, const struct asim_op *op)
{
    double peak = sys->peak_perf_tflops * 1e12, bw = sys->local_mem_bw_gbps * 1e9;
    double intensity = (double)op->num_ops / (double)op->tensor_bytes;
    double perf = fmin(bw * intensity, peak);
    double ns = (double)op->num_ops / perf * 1e9;

    if (!op->num_ops)
        return 0;
    return asim_ns_whole(ns);
}

/* rank-compute-scale 1 keeps the integer, so that default runs do not round. */
uint64_t asim_compute_scaled(const struct asim_rank *rank, uint64_t ns)
{
    return rank->compute_scale == 1 ? ns : asim_ns_whole((double)ns * rank->compute_scale);
}

/* The recorded duration for CPU ops, and for all ops without the roofline. */
uint64_t asim_compute_ns(struct asim_rank *rank, const struct asim_op *op)
{
    const struct asim_system *sys = &rank->world->set.system;
    const unsigned wanted = ASIM_HAS_NUM_OPS | ASIM_HAS_TENSOR_SIZE;

    if (!sys->roofline || op->is_cpu)
        return asim_replay_ns(op);
    if ((op->has & wanted) != wanted) {
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') has no %s attribute, which the roofline model "
                       "needs; set roofline-enabled to 0 to use recorded durations",
                       rank->id, (unsigned long long)op->id, op->name,
                       op->has & ASIM_HAS_NUM_OPS ? "tensor_size" : "num_ops");
        return 0;
    }
    if (sys->peak_perf_tflops <= 0 || sys->local_mem_bw_gbps <= 0) {
        asim_rank_fail(rank, "the roofline model needs peak-perf and local-mem-bw above 0 "
                             "in the system configuration");
        return 0;
    }
    return roofline_ns(sys, op);
}

/* Two reads and a write of local memory, each truncated; bandwidth 0: free
 * (system-layer.md#endpoint-delay-and-reduction). */
uint64_t asim_reduce_ns(const struct asim_rank *rank, uint64_t bytes)
{
    double bw = rank->world->set.system.local_mem_bw_gbps * 1e9;

    return REDUCE_PASSES * (bw > 0 ? asim_ns_whole((double)bytes / bw * 1e9) : 0);
}
