/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Plans what hosts that crash do to jobs. All jobs with a rank on the host stop, are started
 * again after the restart time, load their last checkpoint, and do the work since that
 * checkpoint once more. asim does not carry the messages of that work a second time: the job's
 * hosts are held for the restart time and for as long as that work has taken, and go on in the
 * state of the crash (rdma-network.md#host-crashes). Checkpoints are made at multiples of their
 * interval in the job's own time, which stands still while the job does; they cost nothing here.
 */
#include "base/text.h"
#include "scenario/scenario.h"
#include "sim/scenario/plan.h"
#include "sim/world.h"

#include <stdlib.h>

/* The own time of a job. */
struct progress {
    uint64_t held_ns;           /* all holds that have ended, and the one under way */
    uint64_t from_ns, until_ns; /* the hold under way, or the last one */
};

/* Work done at t, which is not inside a hold. */
static uint64_t work_at(const struct progress *progress, const struct asim_world_job *job,
                        uint64_t t)
{
    uint64_t off = job->start_ns + progress->held_ns;

    return t > off ? t - off : 0;
}

static uint64_t rest_of(uint64_t work, uint64_t interval)
{
    return interval ? work % interval : work;
}

/* Ends the hold under way: all hosts of the job go on at its end. */
static int close_hold(struct asim_world *world, const struct asim_world_job *job,
                      const struct progress *progress, struct asim_err *err)
{
    int code = 0;

    for (uint32_t r = job->first; r < job->first + job->n && !code; r++) {
        struct asim_net_event change = {.at_ns = progress->from_ns, .kind = ASIM_NET_HOLD, .of = r};

        code = asim_plan_change(world, &change, err);
        change.kind = ASIM_NET_RELEASE;
        change.at_ns = progress->until_ns;
        code = code ? code : asim_plan_change(world, &change, err);
    }
    return code;
}

/* A crash while the job stands still begins the restart again. Returns the lost work. */
static int crash(struct asim_world *world, const struct asim_world_job *job,
                 struct progress *progress, struct asim_occurrence *row, struct asim_err *err)
{
    uint64_t at = row->at_ns, until, work;

    if (at < progress->until_ns) {
        progress->held_ns -= progress->until_ns - progress->from_ns;
        work = work_at(progress, job, progress->from_ns);
    } else {
        if (progress->until_ns && close_hold(world, job, progress, err))
            return ASIM_EINVAL;
        work = work_at(progress, job, at);
        progress->from_ns = at;
    }
    work = rest_of(work, row->effect->checkpoint_fs / ASIM_FS_PER_NS);
    until = at + row->effect->restart_fs / ASIM_FS_PER_NS + work;
    progress->until_ns = until > progress->until_ns ? until : progress->until_ns;
    progress->held_ns += progress->until_ns - progress->from_ns;
    row->lost_work_ns = work > row->lost_work_ns ? work : row->lost_work_ns;
    row->until_ns = progress->until_ns;
    return 0;
}

static int crash_jobs(struct asim_world *world, struct progress *progress,
                      struct asim_occurrence *row, struct asim_err *err)
{
    uint32_t node = row->part.node;
    int code = 0, found = 0;

    for (uint32_t j = 0; j < world->set.n_jobs && !code; j++) {
        const struct asim_world_job *job = &world->set.jobs[j];

        if (node < job->first || node >= job->first + job->n)
            continue;
        found = 1;
        code = crash(world, job, &progress[j], row, err);
    }
    if (!found && !row->is_drawn)
        asim_world_diagnose(world, "%s:%u: host-crash has no effect: no rank runs on %s",
                            world->set.scenario->path, row->line, row->of);
    return code;
}

int asim_plan_crashes(struct asim_world *world, struct asim_err *err)
{
    struct asim_network_plan *plan = world->set.plan;
    struct progress *progress = calloc(world->set.n_jobs + (size_t)1, sizeof *progress);
    int code = progress ? 0 : asim_err_nomem(err, "planning crashes");

    for (size_t i = 0; i < plan->occurrences.n && !code; i++)
        if (plan->occurrences.at[i].kind == ASIM_SCENARIO_HOST_CRASH)
            code = crash_jobs(world, progress, &plan->occurrences.at[i], err);
    for (uint32_t j = 0; j < world->set.n_jobs && !code; j++)
        if (progress[j].until_ns)
            code = close_hold(world, &world->set.jobs[j], &progress[j], err);
    free(progress);
    return code;
}
