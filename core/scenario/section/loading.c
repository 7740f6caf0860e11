/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "loading": before each round a rank of a job reads its samples from a storage host: it sends a
 * request, and the host answers with the data.
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
     .help = "bytes that each rank reads for a round"},
    {.key = "every",
     .type = ASIM_T_U32,
     .offset = AT(every),
     .def = "1",
     .min = 1,
     .max = 1e9,
     .help = "rounds that the bytes of one read serve"},
    {.key = "wait",
     .type = ASIM_T_BOOL,
     .offset = AT(waits),
     .def = "true",
     .help = "true: a round begins when its data are there; false: reads are traffic only, as of a "
             "loader that is always ahead"},
    {0}};

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    return asim_scenario_check_storage(scenario, scenario->loading.at, scenario->loading.n, err);
}

static const char *const required[] = {"storage", "size", NULL};

const struct asim_scenario_section asim_scenario_section_loading = {
    .member = {"loading", "ranks that read from storage hosts before a round", options,
               sizeof(struct asim_scenario_storage)},
    .is_list = 1,
    .offset = offsetof(struct asim_scenario, loading),
    .required = required,
    .check = check,
};
