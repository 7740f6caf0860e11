/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a scenario does to the network of a world: its events, failures and background traffic, made
 * into the lists that the network takes (net/net_events.h, net/net_traffic.h). All times are drawn
 * before the run, so a run can be told beforehand and repeated.
 */
#ifndef ASIM_SIM_SCENARIO_PLAN_H
#define ASIM_SIM_SCENARIO_PLAN_H

#include "net/net_events.h"
#include "net/net_traffic.h"
#include "sim/sim.h"

struct asim_scenario_effect;
struct asim_scenario_event;

/* A part of the cluster: a link, or a node (ASIM_NET_ALL: all switches), with the link of its NIC.
 */
struct asim_plan_part {
    uint32_t node, link, nic;
};

/* Something that happens once to one part: a row of events.csv. */
struct asim_occurrence {
    uint64_t at_ns, until_ns; /* until_ns ASIM_NEVER: for good */
    unsigned line;            /* of the scenario */
    int kind;                 /* enum asim_scenario_kind */
    int is_drawn;             /* of "failures" */
    const struct asim_scenario_effect *effect;
    const struct asim_scenario_event *event; /* NULL: drawn */
    struct asim_plan_part part;
    char of[40];           /* "link 4-6", "switch 9", "host 3 nic 0" */
    uint64_t lost_work_ns; /* host-crash: work since the last checkpoint, done again */
};

/* What a generator of background traffic offers, as shares of rates. */
struct asim_traffic_load {
    unsigned line;
    double mean_bytes, hosts, uplinks; /* uplinks: where it is highest; 0: not known (uniform) */
};

struct asim_network_plan {
    ASIM_VEC(struct asim_net_event) changes;
    ASIM_VEC(struct asim_occurrence) occurrences; /* by time */
    struct asim_net_events events;                /* of `changes` */
    struct asim_net_traffic *traffic;
    struct asim_traffic_load *loads;
    uint32_t **hosts; /* [2 x generators] hosts and groups of each */
    struct asim_net_traffics traffics;
};

/* Makes world->set.plan of its scenario. The topology and the places of ranks are final. Nothing
 * without a scenario. */
int asim_network_plan_open(struct asim_world *world, struct asim_err *err);
void asim_network_plan_close(struct asim_world *world);

/* --- for the files of this folder --------------------------------------------------------------
 */
/* The effect happens to the part from when->at_ns to when->until_ns (ASIM_NEVER: for good). What it
 * changes is planned when all occurrences are known. 0 or ASIM_ENOMEM. */
int asim_plan_occur(struct asim_world *world, const struct asim_scenario_effect *effect,
                    const struct asim_occurrence *when, const struct asim_plan_part *part,
                    struct asim_err *err);
/* Adds a change of the network. */
int asim_plan_change(struct asim_world *world, const struct asim_net_event *change,
                     struct asim_err *err);
/* plan_failures.c: draws the failures. */
int asim_plan_failures(struct asim_world *world, struct asim_err *err);
/* plan_crashes.c: holds the hosts of the jobs of all crashes, and counts their lost work. The
 * occurrences are in order of time. */
int asim_plan_crashes(struct asim_world *world, struct asim_err *err);
/* plan_traffic.c */
int asim_plan_traffic(struct asim_world *world, struct asim_err *err);

/* A link that fails by itself: not that of an NVSwitch. */
int asim_plan_is_network_link(const struct asim_topo *topo, size_t link);
/* The place of a line of the world's scenario. */
#define asim_plan_at(world, line) asim_scenario_at((world)->set.scenario, line)

#endif
