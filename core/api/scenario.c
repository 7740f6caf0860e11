/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/scenario.h, what concerns a world: the events that its scenario plans.
 */
#include "asim/scenario.h"
#include "scenario/scenario.h"
#include "sim/scenario/plan.h"

size_t asim_world_occurrences(const struct asim_world *world)
{
    return world->set.plan ? world->set.plan->occurrences.n : 0;
}

void asim_world_occurrence(const struct asim_world *world, size_t i,
                           struct asim_scenario_occurrence *occurrence)
{
    const struct asim_occurrence *row = &world->set.plan->occurrences.at[i];

    *occurrence = (struct asim_scenario_occurrence){.time_ns = row->at_ns,
                                                    .until_ns = row->until_ns,
                                                    .lost_work_ns = row->lost_work_ns,
                                                    .kind = asim_scenario_kind_name(row->kind),
                                                    .part = row->of,
                                                    .line = row->line,
                                                    .is_drawn = row->is_drawn};
}
