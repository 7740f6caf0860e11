/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "stragglers": ranks that compute slower or faster than their traces say, by a constant factor.
 */
#include <string.h>

#include "scenario/scenario.h"

#define AT(field) offsetof(struct asim_scenario_straggler, field)
static const struct asim_option options[] = {
    {.key = "hosts",
     .type = ASIM_T_STRING,
     .offset = AT(hosts),
     .flags = ASIM_F_LIST,
     .help = "hosts whose ranks are meant, as \"0-3,7\"; numbers of the topology"},
    {.key = "job",
     .type = ASIM_T_STRING,
     .offset = AT(job),
     .help = "in place of hosts: a job, all of its ranks or those of ranks"},
    {.key = "ranks",
     .type = ASIM_T_STRING,
     .offset = AT(ranks),
     .flags = ASIM_F_LIST,
     .help = "with job: ranks of the job, as \"0-3,7\""},
    {.key = "factor",
     .type = ASIM_T_DOUBLE,
     .offset = AT(factor),
     .min = 0.01,
     .max = 1000,
     .help = "multiplies the time of each computation: 1.3 is 30 % slower"},
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
