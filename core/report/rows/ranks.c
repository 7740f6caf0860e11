/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ranks.csv: one row a rank, written as ranks finish. Times in ns of simulated time.
 *
 * Columns: finish = when the rank's last op ended; gpu, comm, cpu, remote_mem = time in which at
 * least one op of that class ran; overlap = GPU and comm at once, waiting included; ops = nodes of
 * its trace. The others divide the time (sim/rank/breakdown.h): finish = compute + hidden_comm +
 * exposed_comm + memory_bound + cpu_bound + waiting + idle. New columns go at the end.
 */
#include "report/report.h"
#include "sim/rank/breakdown.h"
#include "sim/rank/event.h"

/* Rows come in the order in which ranks finish, ties by rank. */
static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    static const enum asim_time_class last[] = {ASIM_TIME_COMPUTE, ASIM_TIME_HIDDEN,
                                                ASIM_TIME_MEMORY,  ASIM_TIME_CPU,
                                                ASIM_TIME_WAITING, ASIM_TIME_IDLE};
    const uint64_t *ns = asim_breakdown_of(world, event->rank)->ns;
    struct asim_out *file = asim_report_out(self);
    struct asim_rank_facts facts;
    const struct asim_track *track = &facts.track;

    asim_event_rank(world, event, &facts);
    asim_out_printf(file, "%u,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu", event->rank,
                    (unsigned long long)event->t, (unsigned long long)ns[ASIM_TIME_EXPOSED],
                    (unsigned long long)track->total[ASIM_SPAN_GPU],
                    (unsigned long long)track->total[ASIM_SPAN_COMM],
                    (unsigned long long)track->total[ASIM_SPAN_CPU],
                    (unsigned long long)track->total[ASIM_SPAN_MEM],
                    (unsigned long long)track->overlap, (unsigned long long)facts.ops);
    for (size_t c = 0; c < sizeof last / sizeof *last; c++)
        asim_out_printf(file, ",%llu", (unsigned long long)ns[last[c]]);
    asim_report_job(file, world, event->rank);
    asim_out_printf(file, "\n");
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    (void)self;
    return asim_breakdown_open(world, err);
}

const struct asim_report asim_report_ranks = {
    .member = {.name = "ranks", .about = "ranks.csv: a row a rank"},
    .in_out = ASIM_OUT_ALWAYS,
    .file = "ranks.csv",
    .head = "rank,finish_ns,exposed_comm_ns,gpu_ns,comm_ns,cpu_ns,remote_mem_ns,overlap_ns,ops,"
            "compute_ns,hidden_comm_ns,memory_bound_ns,cpu_bound_ns,waiting_ns,idle_ns",
    .has_jobs = 1,
    .wants = 1u << ASIM_EV_RANK_DONE,
    .see = see,
    .begin = begin,
};
