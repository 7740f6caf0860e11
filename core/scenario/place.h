/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where the ranks of the jobs of a scenario run. A host offers as many slots as ranks that it can
 * run (section "hosts"), and a rank takes one. Jobs whose placement is a list of hosts come first,
 * the others follow in the order of the file and take what is free, in the order of their policy.
 */
#ifndef ASIM_SCENARIO_PLACE_H
#define ASIM_SCENARIO_PLACE_H

#include "scenario/scenario.h"
#include "topo/topo.h"

/* What a policy sees. switch_of[host] is the number, from 0, of the
 * first switch of the host (its leaf or rail), NVSwitches left out; `switches` for a host of none.
 */
struct asim_placement_view {
    uint32_t hosts, per_host, switches;
    const uint32_t *switch_of;
};

/* Family scenario/placement: row symbols asim_scenario_placement_<file>, table
 * asim_scenario_placement_table. */
struct asim_placement {
    struct asim_member member;
    /* Writes all hosts, each as often as it has slots, in the order in which a job takes them:
     * order [hosts x per_host]. options: the struct of member.options, or NULL. 0 or ASIM_ENOMEM.
     */
    int (*order)(const struct asim_placement_view *view, const void *options, uint32_t *order);
};
extern const struct asim_member *const asim_scenario_placement_table[];

/* host: [sum of ranks] filled with the hosts of the ranks of job 0, then of job 1, …; ranks [jobs]:
 * their numbers of ranks. */
int asim_scenario_place(const struct asim_scenario *scenario, const struct asim_topo *topo,
                        const uint32_t *ranks, uint32_t *host, struct asim_err *err);

#endif
