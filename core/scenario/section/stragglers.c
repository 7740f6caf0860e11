/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "stragglers": ranks that compute slower or faster than their traces say, by a constant factor.
 */
#include <string.h>

#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_straggler, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("hosts", STRING, hosts,
        "hosts whose ranks are meant, as \"0-3,7\"; numbers of the topology", .flags = ASIM_F_LIST),
    ROW("job", STRING, job, "in place of hosts: a job, all of its ranks or those of ranks"),
    ROW("ranks", STRING, ranks, "with job: ranks of the job, as \"0-3,7\"", .flags = ASIM_F_LIST),
    ROW("factor", DOUBLE, factor, "multiplies the time of each computation: 1.3 is 30 % slower",
        .min = 0.01, .max = 1000),
    {0}};

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    for (size_t i = 0; i < scenario->stragglers.n; i++) {
        struct asim_scenario_straggler *one = &scenario->stragglers.at[i];
        struct asim_where at = asim_scenario_at(scenario, one->line);

        if (!one->hosts == !one->job)
            return asim_err_at(err, ASIM_EINVAL, at,
                               "a straggler needs one of \"hosts\" and \"job\".");
        if (one->ranks && !one->job)
            return asim_err_at(
                err, ASIM_EINVAL, at,
                "\"ranks\" of a straggler are those of a \"job\", which is missing.");
        if (asim_scenario_find_job(scenario, one->job, at, &one->number, err) ||
            asim_scenario_check_list(scenario, one->line, "hosts", one->hosts, err) ||
            asim_scenario_check_list(scenario, one->line, "ranks", one->ranks, err))
            return ASIM_EINVAL;
    }
    return 0;
}

static const char *const required[] = {"factor", NULL};

const struct asim_scenario_section asim_scenario_section_stragglers = {
    .member = {"stragglers", "ranks that compute slower", options,
               sizeof(struct asim_scenario_straggler)},
    .is_list = 1,
    .offset = offsetof(struct asim_scenario, stragglers),
    .required = required,
    .check = check,
};
