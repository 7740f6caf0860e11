/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "loading": before each round a rank of a job reads its samples from a storage host: it sends a
 * request, and the host answers with the data.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_storage, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("job", STRING, job, "the job that is meant; without it: all jobs"),
    ROW("storage", STRING, hosts,
        "storage hosts, as \"60-63\": rank r uses number r modulo their count; no rank runs there",
        .flags = ASIM_F_LIST),
    ROW("size", SIZE, bytes, "bytes that each rank reads for a round", .min = 1, .max = 1e13),
    ROW("every", U32, every, "rounds that the bytes of one read serve", .def = "1", .min = 1,
        .max = 1e9),
    ROW("wait", BOOL, waits,
        "true: a round begins when its data are there; false: reads are traffic only, as of a "
        "loader that is always ahead",
        .def = "true"),
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
