/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "checkpoints": every so many rounds each rank of a job writes its part of a checkpoint to a
 * storage host, all at about the same time: an incast.
 */
#include "scenario/scenario.h"

#define AT(field) offsetof(struct asim_scenario_storage, field)
static const struct asim_option options[] = {
    {.key = "job",
     .type = ASIM_T_STRING,
     .offset = AT(job),
     .help = "the job that is meant; without it: all jobs"},
    {.key = "storage",
     .type = ASIM_T_STRING,
     .offset = AT(hosts),
     .flags = ASIM_F_LIST,
     .help = "storage hosts, as \"60-63\": rank r uses number r modulo their count; no rank runs "
             "there"},
    {.key = "size",
     .type = ASIM_T_SIZE,
     .offset = AT(bytes),
     .min = 1,
     .max = 1e13,
     .help = "bytes that each rank writes"},
    {.key = "every",
     .type = ASIM_T_U32,
     .offset = AT(every),
     .def = "1",
     .min = 1,
     .max = 1e9,
     .help =
         "rounds between two checkpoints (\"repeat\" of the job says how many rounds there are)"},
    {.key = "wait",
     .type = ASIM_T_BOOL,
     .offset = AT(waits),
     .def = "true",
     .help = "whether the next round waits until the write has ended"},
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
