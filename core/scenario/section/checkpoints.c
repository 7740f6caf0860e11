/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "checkpoints": every so many rounds each rank of a job writes its part of a checkpoint to a
 * storage host, all at about the same time: an incast.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_storage, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("job", STRING, job, "the job that is meant; without it: all jobs"),
    ROW("storage", STRING, hosts,
        "storage hosts, as \"60-63\": rank r uses number r modulo their count; no rank runs there",
        .flags = ASIM_F_LIST),
    ROW("size", SIZE, bytes, "bytes that each rank writes", .min = 1, .max = 1e13),
    ROW("every", U32, every,
        "rounds between two checkpoints (\"repeat\" of the job says how many rounds there are)",
        .def = "1", .min = 1, .max = 1e9),
    ROW("wait", BOOL, waits, "whether the next round waits until the write has ended",
        .def = "true"),
    {0}};

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    return asim_scenario_check_storage(scenario, scenario->checkpoints.at, scenario->checkpoints.n,
                                       err);
}

static const char *const required[] = {"storage", "size", NULL};

const struct asim_scenario_section asim_scenario_section_checkpoints = {
    .member = {"checkpoints", "ranks that write to storage hosts every so many rounds", options,
               sizeof(struct asim_scenario_storage)},
    .is_list = 1,
    .offset = offsetof(struct asim_scenario, checkpoints),
    .required = required,
    .check = check,
};
