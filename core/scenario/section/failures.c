/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "failures": what happens at drawn times, to each link, NIC, switch or host of its own: times
 * between failures of a part are exponential, from the end of one to the start of the next.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_failure, __VA_ARGS__)
static const struct asim_option options[] = {
    ASIM_SCENARIO_EFFECT_ROWS(struct asim_scenario_failure),
    ROW("mtbf", TIME, mtbf_fs, "mean time between failures of each part, as \"500h\"", .def = "0ns",
        .max = 1e18),
    ROW("links", CHOICE, links,
        "of link-…: which links fail: all, those to hosts, or those between switches; never "
        "NVLinks",
        .def = "all", .choices = "all|host|switch"),
    ROW("from", TIME, from_fs, "start of the time in which parts may fail", .def = "0ns",
        .max = 1e15),
    ROW("until", TIME, until_fs, "end of that time", .def = "0ns", .max = 1e15),
    ROW("seed", U64, seed, "of the drawn times", .def = "1", .max = 1e18),
    {0}};

static int check_one(const struct asim_scenario *scenario,
                     const struct asim_scenario_failure *failure, struct asim_err *err)
{
    const struct asim_scenario_effect *effect = &failure->effect;

    if (effect->kind == ASIM_SCENARIO_ECN || effect->kind == ASIM_SCENARIO_PFC)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, failure->line),
                           "%s does not fail; give it as an event at a stated time.",
                           asim_scenario_kind_name(effect->kind));
    if (!failure->mtbf_fs || failure->until_fs <= failure->from_fs)
        return asim_err_at(
            err, ASIM_EINVAL, asim_scenario_at(scenario, failure->line),
            "\"failures\" need an \"mtbf\" above 0 and an \"until\" behind \"from\".");
    if (!effect->for_fs && effect->kind != ASIM_SCENARIO_HOST_CRASH)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, failure->line),
                           "\"failures\" of kind %s need a \"for\", the time until the repair.",
                           asim_scenario_kind_name(effect->kind));
    if (failure->links != ASIM_SCENARIO_ALL_LINKS && effect->kind > ASIM_SCENARIO_LINK_LOSS)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, failure->line),
                           "\"links\" has no effect for %s; leave it out.",
                           asim_scenario_kind_name(effect->kind));
    return asim_scenario_check_effect(scenario, "failures", failure->line, effect, err);
}

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    int code = 0;

    for (size_t i = 0; i < scenario->failures.n && !code; i++)
        code = check_one(scenario, &scenario->failures.at[i], err);
    return code;
}

static const char *const required[] = {"kind", "mtbf", "until", NULL};

const struct asim_scenario_section asim_scenario_section_failures = {
    .member = {"failures",
               "what happens at drawn times, by the mean time between failures of each "
               "part",
               options, sizeof(struct asim_scenario_failure)},
    .is_list = 1,
    .offset = offsetof(struct asim_scenario, failures),
    .required = required,
    .check = check,
};
