/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "events": what happens to links, switches, NICs and hosts at stated times. Whether the topology
 * has them shows when a run opens.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_event, __VA_ARGS__)
static const struct asim_option options[] = {
    ASIM_SCENARIO_EFFECT_ROWS(struct asim_scenario_event),
    ROW("at", TIME, at_fs, "simulated time at which it happens, as \"5ms\"", .def = "0ns",
        .max = 1e15),
    ROW("times", U32, times, "how often it happens: a flapping link goes down several times",
        .def = "1", .min = 1, .max = 100000),
    ROW("every", TIME, every_fs, "with times: from one time to the next", .def = "0ns",
        .max = 1e15),
    ROW("link", STRING, link,
        "of link-…: the two nodes that it joins, as [4, 6] or \"4-6\"; all links between them",
        .flags = ASIM_F_LIST),
    ROW("switch", STRING, switches,
        "of switch-down, ecn, pfc: switches, as [8] or \"8-11\"; without it ecn and pfc concern "
        "all",
        .flags = ASIM_F_LIST),
    ROW("host", STRING, host, "of nic-down, host-crash: hosts, as [3] or \"0-3\"",
        .flags = ASIM_F_LIST),
    ROW("nic", U32, nic,
        "of nic-down: which NIC of the host, from 0 in the order of the topology's links",
        .def = "0", .max = 1024),
    ROW("kmin", SIZE, kmin, "of ecn: queue length from which on frames may be marked, as \"100KB\"",
        .def = "0B"),
    ROW("kmax", SIZE, kmax, "of ecn: queue length from which on all frames are marked",
        .def = "0B"),
    ROW("pmax", DOUBLE, pmax, "of ecn: probability of a mark just below kmax", .def = "1",
        .max = 1),
    ROW("enabled", BOOL, enabled, "of pfc: whether the switches send pauses from then on",
        .def = "false"),
    {0}};

static int refuse(const struct asim_scenario *scenario, const struct asim_scenario_event *event,
                  const char *key, int is_missing, struct asim_err *err)
{
    return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, event->line),
                       is_missing ? "an event of kind %s needs \"%s\"."
                                  : "an event of kind %s takes no \"%s\"; leave it out.",
                       asim_scenario_kind_name(event->effect.kind), key);
}

static int check_parts(const struct asim_scenario *scenario,
                       const struct asim_scenario_event *event, struct asim_err *err)
{
    int kind = event->effect.kind;
    int is_link = kind <= ASIM_SCENARIO_LINK_LOSS, is_ecn = kind == ASIM_SCENARIO_ECN;
    int is_host = kind == ASIM_SCENARIO_NIC_DOWN || kind == ASIM_SCENARIO_HOST_CRASH;
    int is_switch = kind == ASIM_SCENARIO_SWITCH_DOWN || is_ecn || kind == ASIM_SCENARIO_PFC;

    if (!event->link != !is_link)
        return refuse(scenario, event, "link", is_link, err);
    if (!event->host != !is_host)
        return refuse(scenario, event, "host", is_host, err);
    if (event->switches ? !is_switch : kind == ASIM_SCENARIO_SWITCH_DOWN)
        return refuse(scenario, event, "switch", is_switch, err);
    if (event->nic && kind != ASIM_SCENARIO_NIC_DOWN)
        return refuse(scenario, event, "nic", 0, err);
    if (is_ecn && (!event->kmax || event->kmin > event->kmax))
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, event->line),
                           "an event of kind ecn needs \"kmax\", and a \"kmin\" that is not above "
                           "it.");
    if ((event->kmin || event->kmax) && !is_ecn)
        return refuse(scenario, event, "kmin\" and \"kmax", 0, err);
    return event->enabled && kind != ASIM_SCENARIO_PFC ? refuse(scenario, event, "enabled", 0, err)
                                                       : 0;
}

/* A repeated event ends before it comes again, or it would have no effect. */
static int check_times(const struct asim_scenario *scenario,
                       const struct asim_scenario_event *event, struct asim_err *err)
{
    int is_crash = event->effect.kind == ASIM_SCENARIO_HOST_CRASH;

    if (event->times == 1 && event->every_fs)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, event->line),
                           "\"every\" without \"times\" has no effect; how often does the event "
                           "happen?");
    if (event->times > 1 &&
        (!event->every_fs ||
         (!is_crash && (!event->effect.for_fs || event->effect.for_fs >= event->every_fs))))
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, event->line),
                           "an event that happens %u times needs \"every\", and a \"for\" that is "
                           "shorter.",
                           event->times);
    if (event->effect.for_fs &&
        (event->effect.kind == ASIM_SCENARIO_ECN || event->effect.kind == ASIM_SCENARIO_PFC))
        return asim_err_at(
            err, ASIM_EINVAL, asim_scenario_at(scenario, event->line),
            "\"for\" has no effect for ecn and pfc, which are settings; add a second "
            "event for the time when they change back.");
    return 0;
}

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    int code = 0;

    for (size_t i = 0; i < scenario->events.n && !code; i++) {
        const struct asim_scenario_event *event = &scenario->events.at[i];

        code = asim_scenario_check_effect(scenario, "events", event->line, &event->effect, err);
        code = code ? code : check_parts(scenario, event, err);
        code = code ? code : check_times(scenario, event, err);
        code =
            code ? code : asim_scenario_check_list(scenario, event->line, "host", event->host, err);
        code =
            code ? code
                 : asim_scenario_check_list(scenario, event->line, "switch", event->switches, err);
    }
    return code;
}

static const char *const required[] = {"kind", "at", NULL};

const struct asim_scenario_section asim_scenario_section_events = {
    .member = {"events",
               "what happens at stated times: links, NICs and switches that fail or "
               "change, hosts that crash, ECN and PFC",
               options, sizeof(struct asim_scenario_event)},
    .is_list = 1,
    .offset = offsetof(struct asim_scenario, events),
    .required = required,
    .check = check,
};
