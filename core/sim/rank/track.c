/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The division of a rank's time into classes. For each class of op a counter of running ops and the
 * time of its last rise from zero give the length of the union of intervals. The overlap of compute
 * and communication is measured the same way; ASTRA-sim computes GPU + Comm - Wall, which is wrong
 * where the rank idles or does other work.
 *
 * Constant cost per op and no list of intervals: a rank with a million ops takes as much memory as
 * one with ten. Example: GPU [0,10] and Comm [5,20] give totals 10 and 15, overlap 5.
 */
#include "sim/rank/track.h"
#include "sim/sim.h"

/* The classes of ASTRA-sim's statistics (system-layer.md#end-of-a-rank). */
enum asim_span asim_span_of(enum asim_op_type type, int is_cpu)
{
    switch (type) {
    case ASIM_OP_COMP:
        return is_cpu ? ASIM_SPAN_CPU : ASIM_SPAN_GPU;
    case ASIM_OP_STORAGE:
    case ASIM_OP_BATCH:
    case ASIM_OP_CHECKPOINT:
        return ASIM_SPAN_CPU;
    case ASIM_OP_COMM_COLL:
    case ASIM_OP_COMM_SEND:
    case ASIM_OP_COMM_RECV:
        return ASIM_SPAN_COMM;
    case ASIM_OP_MEM_LOAD:
    case ASIM_OP_MEM_STORE:
        return ASIM_SPAN_MEM;
    default:
        return ASIM_SPAN_INVALID;
    }
}

/* Compute and communication run at the same time. */
static int overlaps(const struct asim_track *track)
{
    return track->open[ASIM_SPAN_GPU] && track->open[ASIM_SPAN_COMM];
}

void asim_track_start(struct asim_rank *rank, enum asim_span span)
{
    struct asim_track *track = &rank->track;
    uint64_t now = asim_rank_now(rank);
    int did_overlap = overlaps(track);

    track->seen[span] = 1;
    if (!track->open[span]++)
        track->since[span] = now;
    if (!did_overlap && overlaps(track))
        track->overlap_since = now;
}

/* An interval of a class ends with its last running op; touching intervals merge. */
void asim_track_end(struct asim_rank *rank, enum asim_span span)
{
    struct asim_track *track = &rank->track;
    uint64_t now = asim_rank_now(rank);
    int did_overlap = overlaps(track);

    if (!--track->open[span])
        track->total[span] += now - track->since[span];
    if (did_overlap && !overlaps(track))
        track->overlap += now - track->overlap_since;
    track->last_end = now;
}

/* Values as in ASTRA-sim (system-layer.md#roofline); an op of zero work has none. */
void asim_track_roofline(struct asim_rank *rank, const struct asim_op *op, uint64_t ns)
{
    const struct asim_system *sys = &rank->world->set.system;
    double peak = sys->peak_perf_tflops * 1e12, bw = sys->local_mem_bw_gbps * 1e9;
    struct asim_track *track = &rank->track;
    double intensity, perf, time = (double)ns;

    track->comp_ns += time;
    if (!op || !op->num_ops || !op->tensor_bytes || rank->failed)
        return;
    intensity = (double)op->num_ops / (double)op->tensor_bytes;
    perf = bw * intensity < peak ? bw * intensity : peak;
    track->bound_ns += perf < peak ? 0 : time;
    track->compute_use_ns += perf / peak * time;
    track->memory_use_ns += perf / intensity / bw * time;
    track->intensity_ns += intensity * time;
}
