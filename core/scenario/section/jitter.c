/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "jitter": computations that never take the same time twice. Each draw depends on seed, job, rank,
 * round and op alone, so a job has the same jitter alone and beside others.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_jitter, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("job", STRING, job, "the job that is meant; without it: all jobs"),
    ROW("distribution", CHOICE, distribution,
        "normal, lognormal, uniform: a factor of mean 1 for each computation; exponential: time "
        "added to it",
        .choices = ASIM_SCENARIO_JITTER_WORDS),
    ROW("spread", DOUBLE, spread,
        "normal: standard deviation of the factor, which is at least 0; lognormal: that of its "
        "logarithm; uniform: the factor is from 1 - spread to 1 + spread, at most 1",
        .def = "0", .max = 10),
    ROW("mean", TIME, mean_fs, "exponential: mean of the added time, as \"20us\"", .def = "0ns",
        .max = 1e12),
    ROW("seed", U64, seed, "seed of the draws", .def = "1"),
    {0}};

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    for (size_t i = 0; i < scenario->jitters.n; i++) {
        struct asim_scenario_jitter *one = &scenario->jitters.at[i];
        struct asim_where at = asim_scenario_at(scenario, one->line);
        int is_added = one->distribution == ASIM_SCENARIO_EXPONENTIAL;

        if (asim_scenario_find_job(scenario, one->job, at, &one->number, err))
            return ASIM_EINVAL;
        if (is_added ? !one->mean_fs || one->spread > 0 : one->spread <= 0 || one->mean_fs)
            return asim_err_at(err, ASIM_EINVAL, at, "this jitter needs a %s above 0, and no %s.",
                               is_added ? "\"mean\"" : "\"spread\"",
                               is_added ? "\"spread\"" : "\"mean\"");
        if (one->distribution == ASIM_SCENARIO_UNIFORM && one->spread > 1)
            return asim_err_at(err, ASIM_EINVAL, at,
                               "a uniform jitter with \"spread\" %g would take negative times; at "
                               "most 1 is possible.",
                               one->spread);
    }
    return 0;
}

static const char *const required[] = {"distribution", NULL};

const struct asim_scenario_section asim_scenario_section_jitter = {
    .member = {"jitter", "random times of computations", options,
               sizeof(struct asim_scenario_jitter)},
    .is_list = 1,
    .offset = offsetof(struct asim_scenario, jitters),
    .required = required,
    .check = check,
};
