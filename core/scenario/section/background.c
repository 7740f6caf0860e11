/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "background": traffic between hosts that no job sends. The names of distributions are checked
 * when a run opens.
 */
#include "scenario/scenario.h"

#define AT(field) offsetof(struct asim_scenario_background, field)
static const struct asim_option options[] = {
    {.key = "pattern",
     .type = ASIM_T_CHOICE,
     .offset = AT(pattern),
     .def = "uniform",
     .choices = "uniform|across|incast",
     .help = "uniform = to any host; across = to a host below another leaf switch; incast = from "
             "fan-in hosts at once to one"},
    {.key = "load",
     .type = ASIM_T_DOUBLE,
     .offset = AT(load),
     .def = "0",
     .max = 1,
     .help = "mean load of the tier as a share of its rate, as 0.3"},
    {.key = "tier",
     .type = ASIM_T_CHOICE,
     .offset = AT(tier),
     .def = "hosts",
     .choices = "hosts|uplinks",
     .help = "of which links the load is told: of the hosts, or (across) of the leaf switches to "
             "other switches, where it is highest"},
    {.key = "sizes",
     .type = ASIM_T_STRING,
     .offset = AT(sizes),
     .def = "web-search",
     .help = "of the flows: web-search, data-mining, storage (published distributions), or one "
             "size as \"64KiB\""},
    {.key = "fan-in",
     .type = ASIM_T_U32,
     .offset = AT(fan_in),
     .def = "0",
     .max = 1 << 20,
     .help = "of incast: number of hosts that send at once"},
    {.key = "on",
     .type = ASIM_T_TIME,
     .offset = AT(on_fs),
     .def = "0ns",
     .max = 1e15,
     .help = "with off: mean time in which a host begins flows (exponential)"},
    {.key = "off",
     .type = ASIM_T_TIME,
     .offset = AT(off_fs),
     .def = "0ns",
     .max = 1e15,
     .help = "mean time in which it begins none; \"0ns\" = it always does"},
    {.key = "hosts",
     .type = ASIM_T_STRING,
     .offset = AT(hosts),
     .flags = ASIM_F_LIST,
     .help = "that take part, as \"0-15,20\" or [0, 1]; without it all"},
    {.key = "from",
     .type = ASIM_T_TIME,
     .offset = AT(from_fs),
     .def = "0ns",
     .max = 1e15,
     .help = "when it begins"},
    {.key = "until",
     .type = ASIM_T_TIME,
     .offset = AT(until_fs),
     .def = "0ns",
     .max = 1e15,
     .help = "when it ends; \"0ns\" = when all ranks have finished (one process only)"},
    {.key = "seed",
     .type = ASIM_T_U64,
     .offset = AT(seed),
     .def = "1",
     .max = 1e18,
     .help = "of what is drawn"},
    {0}};

static int check_one(const struct asim_scenario *scenario,
                     const struct asim_scenario_background *traffic, struct asim_err *err)
{
    struct asim_where at = asim_scenario_at(scenario, traffic->line);

    if (!(traffic->load > 0))
        return asim_err_at(err, ASIM_EINVAL, at, "\"background\" needs a \"load\" above 0.");
    if (!traffic->fan_in != (traffic->pattern != ASIM_SCENARIO_INCAST))
        return asim_err_at(err, ASIM_EINVAL, at,
                           traffic->fan_in ? "\"fan-in\" has no effect without the pattern incast."
                                           : "the pattern incast needs \"fan-in\".");
    if (!traffic->on_fs != !traffic->off_fs)
        return asim_err_at(err, ASIM_EINVAL, at, "\"on\" and \"off\" go together.");
    if (traffic->on_fs && traffic->pattern == ASIM_SCENARIO_INCAST)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "\"on\" and \"off\" have no effect for the pattern incast.");
    if (traffic->tier == ASIM_SCENARIO_TIER_UPLINKS && traffic->pattern != ASIM_SCENARIO_ACROSS)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "a load of the uplinks needs the pattern across, whose flows all take "
                           "them.");
    if (traffic->until_fs && traffic->until_fs <= traffic->from_fs)
        return asim_err_at(err, ASIM_EINVAL, at, "\"until\" is not behind \"from\".");
    return asim_scenario_check_list(scenario, traffic->line, "hosts", traffic->hosts, err);
}

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    enum { MOST = 64 };
    int code = 0;

    if (scenario->background.n > MOST)
        return asim_err_at(err, ASIM_EINVAL,
                           asim_scenario_at(scenario, scenario->background.at[MOST].line),
                           "there are more than %d objects in \"background\".", MOST);
    for (size_t i = 0; i < scenario->background.n && !code; i++)
        code = check_one(scenario, &scenario->background.at[i], err);
    return code;
}

static const char *const required[] = {"load", NULL};

const struct asim_scenario_section asim_scenario_section_background = {
    .member = {"background", "traffic between hosts that no job sends", options,
               sizeof(struct asim_scenario_background)},
    .is_list = 1,
    .offset = offsetof(struct asim_scenario, background),
    .required = required,
    .check = check,
};
