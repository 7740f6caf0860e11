/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Adds changes and occurrences to the lists of a plan, and names the part that each happens to.
 */
#include "scenario/scenario.h"
#include "sim/scenario/plan.h"

#include <stdio.h>

/* Changes of the network; each is kept in memory. */
enum { MOST_CHANGES = 4000000 };

int asim_plan_is_network_link(const struct asim_topo *topo, size_t link)
{
    return !asim_topo_is_virtual(topo, link) &&
           topo->node_type[topo->links[link].a] != ASIM_NVSWITCH &&
           topo->node_type[topo->links[link].b] != ASIM_NVSWITCH;
}

static int refuse_many(const struct asim_world *world, struct asim_err *err)
{
    return asim_err_set(err, ASIM_EINVAL,
                        "%s: events and failures make more than %d changes of the network; make "
                        "the time shorter, or the time between failures longer.",
                        world->set.scenario->path, MOST_CHANGES);
}

int asim_plan_change(struct asim_world *world, const struct asim_net_event *change,
                     struct asim_err *err)
{
    struct asim_network_plan *plan = world->set.plan;

    if (plan->changes.n >= MOST_CHANGES)
        return refuse_many(world, err);
    return ASIM_VEC_PUSH(plan->changes, *change) ? asim_err_nomem(err, "planning events") : 0;
}

static void name_part(const struct asim_topo *topo, int kind, const struct asim_plan_part *part,
                      struct asim_occurrence *row)
{
    const struct asim_link *link = &topo->links[part->link];

    if (kind > ASIM_SCENARIO_LINK_LOSS && part->node == ASIM_NET_ALL)
        snprintf(row->of, sizeof row->of, "all switches");
    else if (kind <= ASIM_SCENARIO_LINK_LOSS)
        snprintf(row->of, sizeof row->of, "link %u-%u", asim_topo_external_id(topo, link->a),
                 asim_topo_external_id(topo, link->b));
    else if (kind == ASIM_SCENARIO_NIC_DOWN)
        snprintf(row->of, sizeof row->of, "host %u nic %u", asim_topo_external_id(topo, part->node),
                 part->nic);
    else
        snprintf(row->of, sizeof row->of, "%s %u", part->node < topo->hosts ? "host" : "switch",
                 asim_topo_external_id(topo, part->node));
}

int asim_plan_occur(struct asim_world *world, const struct asim_scenario_effect *effect,
                    const struct asim_occurrence *when, const struct asim_plan_part *part,
                    struct asim_err *err)
{
    struct asim_network_plan *plan = world->set.plan;
    struct asim_occurrence row = *when;

    row.kind = effect->kind;
    row.effect = effect;
    row.part = *part;
    name_part(&world->set.topo, effect->kind, part, &row);
    if (plan->occurrences.n >= MOST_CHANGES)
        return refuse_many(world, err);
    return ASIM_VEC_PUSH(plan->occurrences, row) ? asim_err_nomem(err, "planning events") : 0;
}
