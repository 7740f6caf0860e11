/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "end": the end of the run where it does not come with the end of all jobs. At a stated time every
 * rank stops to begin ops; messages under way arrive, and the run ends when the network is quiet.
 * So the end is the same for any number of threads and processes. The time at which a job has
 * finished is found by a run before (asim_settings.end_ns), for the same reason.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_end, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("time", TIME, time_fs,
        "simulated time from which on no rank begins an op, as \"50ms\"; \"0ns\" = none",
        .def = "0ns", .max = 1e15),
    ROW("job", STRING, job,
        "ranks begin no op after this job has finished, whose end a run before finds; with time: "
        "whichever comes first"),
    {0}};

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    struct asim_scenario_end *end = &scenario->end;

    return end->job
               ? asim_scenario_find_job(scenario, end->job, asim_scenario_at(scenario, end->line),
                                        &end->number, err)
               : 0;
}

const struct asim_scenario_section asim_scenario_section_end = {
    .member = {"end", "when the run ends, if not with the last job", options,
               sizeof(struct asim_scenario_end)},
    .offset = offsetof(struct asim_scenario, end),
    .check = check,
};
