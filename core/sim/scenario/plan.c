/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Plans the events of a scenario at stated times, and what each effect changes in the network.
 */
#include "sim/scenario/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/override.h"
#include "base/text.h"
#include "scenario/number_list.h"
#include "scenario/scenario.h"
#include "sim/world.h"

/* The change, and its end where it has one. */
static int plan_pair(struct asim_world *world, struct asim_net_event begin,
                     struct asim_net_event end, const struct asim_occurrence *when,
                     struct asim_err *err)
{
    begin.at_ns = when->at_ns;
    end.at_ns = when->until_ns;
    end.of = begin.of;
    if (asim_plan_change(world, &begin, err))
        return ASIM_EINVAL;
    return when->until_ns == ASIM_NEVER ? 0 : asim_plan_change(world, &end, err);
}

static int plan_link(struct asim_world *world, uint32_t link, const struct asim_occurrence *when,
                     struct asim_err *err)
{
    return plan_pair(world, (struct asim_net_event){.kind = ASIM_NET_LINK_DOWN, .of = link},
                     (struct asim_net_event){.kind = ASIM_NET_LINK_UP}, when, err);
}

static int plan_switch(struct asim_world *world, uint32_t node, const struct asim_occurrence *when,
                       struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    int code = 0;

    for (uint32_t p = topo->first_port[node]; p < topo->first_port[node + 1] && !code; p++)
        if (!asim_topo_is_virtual(topo, topo->ports[p].link))
            code = plan_link(world, topo->ports[p].link, when, err);
    return code;
}

static int plan_rate(struct asim_world *world, const char *rate, uint32_t link,
                     const struct asim_occurrence *when, struct asim_err *err)
{
    struct asim_override override;
    struct asim_err why = {0};
    uint64_t bps = 0;

    if (!asim_override_parse(&override, "rate", ASIM_T_RATE, rate, &why))
        bps = asim_override_apply(&override, world->set.topo.links[link].rate_bps);
    if (bps < 1000000)
        return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, when->line),
                           "found the rate \"%s\"; expected a rate from 1Mbps on, as \"50Gbps\", "
                           "or a factor as \"0.5x\". For no rate at all use the kind link-down.",
                           rate);
    return plan_pair(
        world, (struct asim_net_event){.kind = ASIM_NET_LINK_RATE, .of = link, .rate_bps = bps},
        (struct asim_net_event){.kind = ASIM_NET_LINK_RATE}, when, err);
}

static int plan_nic(struct asim_world *world, const struct asim_occurrence *row,
                    struct asim_err *err)
{
    const struct asim_net_event fixed = {
        .kind = ASIM_NET_NICS_FIXED, .of = row->part.node, .on = 1};

    if (row->effect->traffic == ASIM_SCENARIO_STOP &&
        plan_pair(world, fixed, (struct asim_net_event){.kind = ASIM_NET_NICS_FIXED}, row, err))
        return ASIM_EINVAL;
    return plan_link(world, row->part.link, row, err);
}

/* ECN and PFC of one switch, or of all. */
static int plan_setting(struct asim_world *world, const struct asim_occurrence *row,
                        struct asim_err *err)
{
    const struct asim_scenario_event *event = row->event;

    return asim_plan_change(world,
                            &(struct asim_net_event){.at_ns = row->at_ns,
                                                     .kind = row->kind == ASIM_SCENARIO_ECN
                                                                 ? ASIM_NET_ECN
                                                                 : ASIM_NET_PFC,
                                                     .of = row->part.node,
                                                     .on = event->enabled,
                                                     .kmin = event->kmin,
                                                     .kmax = event->kmax,
                                                     .pmax = event->pmax},
                            err);
}

/* Crashes are planned all together. */
static int change_network(struct asim_world *world, const struct asim_occurrence *row,
                          struct asim_err *err)
{
    switch ((enum asim_scenario_kind)row->kind) {
    case ASIM_SCENARIO_LINK_DOWN:
        return plan_link(world, row->part.link, row, err);
    case ASIM_SCENARIO_LINK_RATE:
        return plan_rate(world, row->effect->rate, row->part.link, row, err);
    case ASIM_SCENARIO_LINK_LOSS:
        return plan_pair(world,
                         (struct asim_net_event){.kind = ASIM_NET_LINK_LOSS,
                                                 .of = row->part.link,
                                                 .loss = row->effect->loss},
                         (struct asim_net_event){.kind = ASIM_NET_LINK_LOSS}, row, err);
    case ASIM_SCENARIO_SWITCH_DOWN:
        return plan_switch(world, row->part.node, row, err);
    case ASIM_SCENARIO_NIC_DOWN:
        return plan_nic(world, row, err);
    case ASIM_SCENARIO_ECN:
    case ASIM_SCENARIO_PFC:
        return plan_setting(world, row, err);
    case ASIM_SCENARIO_HOST_CRASH:
        break;
    }
    return 0;
}

/* --- events of the file -------------------------------------------------------------------------
 */

static int refuse_part(struct asim_world *world, const struct asim_scenario_event *event,
                       const char *key, const char *value, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    char safe[80];

    return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, event->line),
                       "\"%s\" is %s, but the topology %s has no such %s (hosts 0 to %u, switches "
                       "%u to %u); give their numbers, as in the topology.",
                       key, asim_text_safe(safe, sizeof safe, value), topo->source, key,
                       topo->hosts - topo->endpoints - 1, topo->hosts - topo->endpoints,
                       topo->nodes - topo->endpoints - 1);
}

/* Plans the event for one part, each time that it happens. */
static int plan_part(struct asim_world *world, const struct asim_scenario_event *event,
                     const struct asim_plan_part *part, struct asim_err *err)
{
    int code = 0;

    for (uint32_t i = 0; i < event->times && !code; i++) {
        uint64_t at = event->at_fs / ASIM_FS_PER_NS + i * (event->every_fs / ASIM_FS_PER_NS);
        const struct asim_occurrence when = {
            .at_ns = at,
            .until_ns =
                event->effect.for_fs ? at + event->effect.for_fs / ASIM_FS_PER_NS : ASIM_NEVER,
            .line = event->line,
            .event = event};

        code = asim_plan_occur(world, &event->effect, &when, part, err);
    }
    return code;
}

static int plan_links(struct asim_world *world, const struct asim_scenario_event *event,
                      struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    struct asim_number_list ranges = {event->link};
    uint32_t end[3] = {0};
    int n = 0, found = 0, code = 0;
    char rest;

    if (sscanf(event->link, "%u-%u%c", &end[0], &end[1], &rest) == 2) /* as events.csv has it */
        n = 2;
    else
        while (n < 3 && asim_number_list_next(&ranges, &end[n]) == 1)
            n++;
    for (size_t l = 0; n == 2 && l < topo->n_links && !code; l++) {
        uint32_t a = asim_topo_external_id(topo, topo->links[l].a);
        uint32_t b = asim_topo_external_id(topo, topo->links[l].b);

        if (asim_topo_is_virtual(topo, l) ||
            !((a == end[0] && b == end[1]) || (a == end[1] && b == end[0])))
            continue;
        found = 1;
        code = plan_part(world, event, &(struct asim_plan_part){.link = (uint32_t)l}, err);
    }
    return found ? code : refuse_part(world, event, "link", event->link, err);
}

/* The link of a host's NIC; UINT32_MAX: it has none of that number. */
static uint32_t link_of_nic(const struct asim_topo *topo, uint32_t host, uint32_t nic)
{
    uint32_t p = topo->first_port[host] + nic;

    return p < topo->first_port[host + 1] ? topo->ports[p].link : UINT32_MAX;
}

/* One host or switch of the event's list, by the number that users see. */
static int plan_node(struct asim_world *world, const struct asim_scenario_event *event,
                     uint32_t shown, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    uint32_t hosts = topo->hosts - topo->endpoints, nodes = topo->nodes - topo->endpoints;
    struct asim_plan_part part = {.nic = event->nic};
    char text[16];

    snprintf(text, sizeof text, "%u", shown);
    if (event->switches && (shown < hosts || shown >= nodes))
        return refuse_part(world, event, "switch", text, err);
    if (event->host && shown >= hosts)
        return refuse_part(world, event, "host", text, err);
    part.node = asim_topo_internal_id(topo, shown);
    if (event->effect.kind == ASIM_SCENARIO_NIC_DOWN) {
        part.link = link_of_nic(topo, part.node, event->nic);
        if (part.link == UINT32_MAX)
            return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, event->line),
                               "host %u has %u NICs, from 0 on, and no NIC %u.", shown,
                               topo->first_port[part.node + 1] - topo->first_port[part.node],
                               event->nic);
    }
    return plan_part(world, event, &part, err);
}

static int plan_event(struct asim_world *world, const struct asim_scenario_event *event,
                      struct asim_err *err)
{
    const char *list = event->switches ? event->switches : event->host;
    struct asim_number_list ranges = {list};
    uint32_t shown;
    int more, code = 0;

    if (event->link)
        return plan_links(world, event, err);
    if (!list)
        return plan_part(world, event, &(struct asim_plan_part){.node = ASIM_NET_ALL}, err);
    while (!code && (more = asim_number_list_next(&ranges, &shown)) == 1)
        code = plan_node(world, event, shown, err);
    return !code && more < 0 ? refuse_part(world, event, event->host ? "host" : "switch", list, err)
                             : code;
}

static int by_time(const void *a, const void *b)
{
    const struct asim_occurrence *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return strcmp(x->of, y->of);
}

/* A change with its place in the list, which breaks ties: the later of two at one time counts. */
struct placed_change {
    struct asim_net_event change;
    size_t place;
};

ASIM_ORDER(change_by_time, struct placed_change, ->change.at_ns, ->place)

/* The network takes a list in order fastest. */
static int sort_changes(struct asim_network_plan *plan, struct asim_err *err)
{
    struct placed_change *placed = malloc((plan->changes.n + 1) * sizeof *placed);

    if (!placed)
        return asim_err_nomem(err, "planning events");
    for (size_t i = 0; i < plan->changes.n; i++)
        placed[i] = (struct placed_change){plan->changes.at[i], i};
    qsort(placed, plan->changes.n, sizeof *placed, change_by_time);
    for (size_t i = 0; i < plan->changes.n; i++)
        plan->changes.at[i] = placed[i].change;
    free(placed);
    return 0;
}

/* In memory such hosts are several nodes, and their NICs those of a switch. */
static int refuse_servers(const struct asim_world *world, const char *what, unsigned line,
                          struct asim_err *err)
{
    return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, line),
                       "%s together with the section \"hosts\" is not possible yet; leave one of "
                       "them out.",
                       what);
}

static int is_of_hosts(int kind)
{
    return kind == ASIM_SCENARIO_NIC_DOWN || kind == ASIM_SCENARIO_HOST_CRASH;
}

static int check_servers(const struct asim_world *world, struct asim_err *err)
{
    const struct asim_scenario *scenario = world->set.scenario;
    static const char what[] = "an event of kind nic-down or host-crash";

    for (size_t i = 0; scenario->hosts.line && i < scenario->events.n; i++)
        if (is_of_hosts(scenario->events.at[i].effect.kind))
            return refuse_servers(world, what, scenario->events.at[i].line, err);
    for (size_t i = 0; scenario->hosts.line && i < scenario->failures.n; i++)
        if (is_of_hosts(scenario->failures.at[i].effect.kind))
            return refuse_servers(world, what, scenario->failures.at[i].line, err);
    if (scenario->hosts.line && scenario->background.n)
        return refuse_servers(world, "\"background\"", scenario->background.at[0].line, err);
    return 0;
}

static int plan_all(struct asim_world *world, struct asim_err *err)
{
    const struct asim_scenario *scenario = world->set.scenario;
    struct asim_network_plan *plan = world->set.plan;
    uint32_t most = world->set.settings.first_events;
    int code = check_servers(world, err);

    for (size_t i = 0; i < scenario->events.n && !code; i++)
        code = plan_event(world, &scenario->events.at[i], err);
    code = code ? code : asim_plan_failures(world, err);
    if (code)
        return code;
    if (plan->occurrences.n)
        qsort(plan->occurrences.at, plan->occurrences.n, sizeof *plan->occurrences.at, by_time);
    if (most && most <= plan->occurrences.n)
        plan->occurrences.n = most - 1;
    for (size_t i = 0; i < plan->occurrences.n && !code; i++)
        code = change_network(world, &plan->occurrences.at[i], err);
    if (code || asim_plan_crashes(world, err) || sort_changes(plan, err) ||
        asim_plan_traffic(world, err))
        return ASIM_EINVAL;
    plan->events = (struct asim_net_events){plan->changes.at, plan->changes.n,
                                            scenario->routing.reconverge_fs / ASIM_FS_PER_NS};
    if (scenario->routing.line && !plan->changes.n)
        asim_world_diagnose(world,
                            "%s:%u: \"routing\" has no effect: no event or failure changes links",
                            scenario->path, scenario->routing.line);
    return 0;
}

int asim_network_plan_open(struct asim_world *world, struct asim_err *err)
{
    if (!world->set.scenario)
        return 0;
    world->set.plan = calloc(1, sizeof *world->set.plan);
    return world->set.plan ? plan_all(world, err) : asim_err_nomem(err, "planning events");
}

void asim_network_plan_close(struct asim_world *world)
{
    struct asim_network_plan *plan = world->set.plan;

    if (!plan)
        return;
    for (size_t i = 0; plan->hosts && i < 2 * world->set.scenario->background.n; i++)
        free(plan->hosts[i]);
    ASIM_FREE(plan->hosts, plan->traffic, plan->loads, plan->changes.at, plan->occurrences.at,
              plan);
}
