/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "background": traffic between hosts that no job sends. The names of distributions are checked
 * when a run opens.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_background, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("pattern", CHOICE, pattern,
        "uniform = to any host; across = to a host below another leaf switch; incast = from fan-in "
        "hosts at once to one",
        .def = "uniform", .choices = "uniform|across|incast"),
    ROW("load", DOUBLE, load, "mean load of the tier as a share of its rate, as 0.3", .def = "0",
        .max = 1),
    ROW("tier", CHOICE, tier,
        "of which links the load is told: of the hosts, or (across) of the leaf switches to other "
        "switches, where it is highest",
        .def = "hosts", .choices = "hosts|uplinks"),
    ROW("sizes", STRING, sizes,
        "of the flows: web-search, data-mining, storage (published distributions), or one size as "
        "\"64KiB\"",
        .def = "web-search"),
    ROW("fan-in", U32, fan_in, "of incast: number of hosts that send at once", .def = "0",
        .max = 1 << 20),
    ROW("on", TIME, on_fs, "with off: mean time in which a host begins flows (exponential)",
        .def = "0ns", .max = 1e15),
    ROW("off", TIME, off_fs, "mean time in which it begins none; \"0ns\" = it always does",
        .def = "0ns", .max = 1e15),
    ROW("hosts", STRING, hosts, "that take part, as \"0-15,20\" or [0, 1]; without it all",
        .flags = ASIM_F_LIST),
    ROW("from", TIME, from_fs, "when it begins", .def = "0ns", .max = 1e15),
    ROW("until", TIME, until_fs,
        "when it ends; \"0ns\" = when all ranks have finished (one process only)", .def = "0ns",
        .max = 1e15),
    ROW("seed", U64, seed, "of what is drawn", .def = "1", .max = 1e18),
    {0}};

/* Beyond it a burst is more than any run carries: every host sends for a thousand times as long as
 * it begins flows. */
static const double most_burst = 1000;

static int check_one(const struct asim_scenario *scenario,
                     const struct asim_scenario_background *traffic, struct asim_err *err)
{
    struct asim_where at = asim_scenario_at(scenario, traffic->line);
    double burst;

    if (!(traffic->load > 0))
        return asim_err_at(err, ASIM_EINVAL, at, "\"background\" needs a \"load\" above 0.");
    if (!traffic->fan_in != (traffic->pattern != ASIM_SCENARIO_INCAST))
        return asim_err_at(err, ASIM_EINVAL, at,
                           traffic->fan_in ? "\"fan-in\" has no effect without the pattern incast."
                                           : "the pattern incast needs \"fan-in\".");
    if (!traffic->on_fs != !traffic->off_fs)
        return asim_err_at(err, ASIM_EINVAL, at, "\"on\" and \"off\" go together, each above 0.");
    burst = traffic->on_fs ? traffic->load * ((double)traffic->on_fs + (double)traffic->off_fs) /
                                 (double)traffic->on_fs
                           : 0;
    if (burst > most_burst)
        return asim_err_at(
            err, ASIM_EINVAL, at,
            "with this \"on\" and \"off\" a load of %g takes bursts of %.3g times a "
            "link's rate, and at most %g are carried: raise \"on\", or lower \"off\" "
            "or \"load\".",
            traffic->load, burst, most_burst);
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
