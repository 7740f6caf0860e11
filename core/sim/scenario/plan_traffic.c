/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Plans the background traffic of a scenario. A load of a tier becomes a mean time between flows
 * (rdma-network.md#background-traffic).
 */
#include "base/text.h"
#include "scenario/number_list.h"
#include "scenario/scenario.h"
#include "sim/scenario/plan.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

/* The first switch of a host that is no NVSwitch; UINT32_MAX: none. */
static uint32_t leaf_of(const struct asim_topo *topo, uint32_t host)
{
    for (uint32_t p = topo->first_port[host]; p < topo->first_port[host + 1]; p++)
        if (topo->ports[p].peer >= topo->hosts &&
            asim_plan_is_network_link(topo, topo->ports[p].link))
            return topo->ports[p].peer;
    return UINT32_MAX;
}

/* Rate of the links of a node to hosts, or to switches, without NVLinks. */
static double rate_to(const struct asim_topo *topo, uint32_t node, int to_switches)
{
    double bps = 0;

    for (uint32_t p = topo->first_port[node]; p < topo->first_port[node + 1]; p++)
        if (asim_plan_is_network_link(topo, topo->ports[p].link) &&
            (topo->ports[p].peer >= topo->hosts) == to_switches)
            bps += (double)topo->links[topo->ports[p].link].rate_bps;
    return bps;
}

static int open_sizes(struct asim_world *world, const struct asim_scenario_background *from,
                      struct asim_net_traffic *traffic, struct asim_err *err)
{
    struct asim_err why = {0};
    char text[600];

    if (!asim_text_size(from->sizes, &traffic->bytes) && traffic->bytes)
        return 0;
    traffic->sizes = (const struct asim_flow_sizes *)(const void *)asim_family_find(
        asim_flow_sizes_table, "distribution of flow sizes", from->sizes, &why);
    return traffic->sizes ? 0
                          : asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, from->line),
                                        "%s Or give one size, such as \"64KiB\".",
                                        asim_err_show(&why, text, sizeof text));
}

static int refuse_hosts(struct asim_world *world, const struct asim_scenario_background *from,
                        const char *why, struct asim_err *err)
{
    return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, from->line),
                       "the \"hosts\" of background traffic %s; the topology %s has hosts 0 to %u.",
                       why, world->set.topo.source,
                       world->set.topo.hosts - world->set.topo.endpoints - 1);
}

/* Fills hosts [n], and groups: their leaf switches. */
static int open_hosts(struct asim_world *world, const struct asim_scenario_background *from,
                      struct asim_net_traffic *traffic, uint32_t *const memory[2],
                      struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    uint32_t all = topo->hosts - topo->endpoints, host;
    struct asim_number_list ranges = {from->hosts};
    int more = 1;

    for (host = 0; !from->hosts && host < all; host++)
        memory[0][traffic->n++] = host;
    while (from->hosts && (more = asim_number_list_next(&ranges, &host)) == 1) {
        if (host >= all || traffic->n >= all)
            return refuse_hosts(world, from, "name a host that is not there, or one twice", err);
        memory[0][traffic->n++] = asim_topo_internal_id(topo, host);
    }
    if (more < 0 || traffic->n < 2)
        return refuse_hosts(world, from, "are no list of two hosts or more", err);
    for (uint32_t i = 0; i < traffic->n; i++)
        memory[1][i] = leaf_of(topo, memory[0][i]);
    traffic->hosts = memory[0];
    traffic->group = memory[1];
    return 0;
}

ASIM_ORDER(by_number, uint32_t, [0])

/* The most hosts that share 1 bit/s of uplinks, over all leaf switches; 0: no uplinks. Sorts a copy
 * of the groups. */
static double hosts_per_uplink(const struct asim_topo *topo, const struct asim_net_traffic *traffic)
{
    uint32_t *leaf = malloc(traffic->n * sizeof *leaf), begin = 0;
    double most = 0;

    if (!leaf)
        return 0;
    memcpy(leaf, traffic->group, traffic->n * sizeof *leaf);
    qsort(leaf, traffic->n, sizeof *leaf, by_number);
    for (uint32_t i = 1; i <= traffic->n; i++) {
        double bps = leaf[begin] != UINT32_MAX ? rate_to(topo, leaf[begin], 1) : 0;

        if (i < traffic->n && leaf[i] == leaf[begin])
            continue;
        if (bps > 0 && (i - begin) / bps > most)
            most = (i - begin) / bps;
        begin = i;
    }
    free(leaf);
    return most;
}

/* More than a tier carries: an error where it does not end, because ranks then may never finish. */
static int check_load(struct asim_world *world, const struct asim_scenario_background *from,
                      const struct asim_traffic_load *load, struct asim_err *err)
{
    const char *tier = load->hosts > 1 ? "hosts" : "uplinks";
    double share = 100 * (load->hosts > 1 ? load->hosts : load->uplinks);

    if (load->hosts <= 1 && load->uplinks <= 1)
        return 0;
    if (!from->until_fs)
        return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, from->line),
                           "this background traffic offers %.0f %% of the rate of the %s, and does "
                           "not end; give a smaller \"load\", or \"until\".",
                           share, tier);
    asim_world_diagnose(world,
                        "%s:%u: this background traffic offers %.0f %% of the rate of the %s: "
                        "queues grow as long as it lasts",
                        world->set.scenario->path, from->line, share, tier);
    return 0;
}

/* Sets the time between flows, and the loads that follow. */
static int open_load(struct asim_world *world, const struct asim_scenario_background *from,
                     struct asim_net_traffic *traffic, struct asim_traffic_load *load,
                     struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    double bits =
        8 * (traffic->sizes ? asim_flow_sizes_mean(traffic->sizes) : (double)traffic->bytes);
    double least = 0, per_uplink = hosts_per_uplink(topo, traffic);
    int is_uplink = from->tier == ASIM_SCENARIO_TIER_UPLINKS;

    for (uint32_t i = 0; i < traffic->n; i++) {
        double bps = rate_to(topo, traffic->hosts[i], 0) + rate_to(topo, traffic->hosts[i], 1);

        least = !i || bps < least ? bps : least;
    }
    if (least <= 0 || (from->pattern == ASIM_SCENARIO_ACROSS && per_uplink <= 0))
        return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, from->line),
                           "background traffic needs hosts with links%s, which the topology %s "
                           "does not have.",
                           least > 0 ? " below leaf switches with uplinks" : "", topo->source);
    traffic->gap_ns = is_uplink ? bits * per_uplink / from->load : bits / least / from->load;
    traffic->gap_ns *= 1e9;
    load->mean_bytes = bits / 8;
    load->hosts = bits * 1e9 / traffic->gap_ns / least;
    load->uplinks =
        from->pattern == ASIM_SCENARIO_ACROSS ? bits * 1e9 / traffic->gap_ns * per_uplink : 0;
    if (from->pattern == ASIM_SCENARIO_INCAST) /* all hosts together: fan_in flows an incast */
        traffic->gap_ns *= (double)from->fan_in / traffic->n;
    return check_load(world, from, load, err);
}

static int open_one(struct asim_world *world, size_t i, struct asim_err *err)
{
    const struct asim_scenario_background *from = &world->set.scenario->background.at[i];
    struct asim_network_plan *plan = world->set.plan;
    struct asim_net_traffic *traffic = &plan->traffic[i];
    size_t bytes = ((size_t)world->set.topo.hosts + 1) * sizeof(uint32_t);

    for (size_t k = 2 * i; k < 2 * i + 2; k++)
        if (!(plan->hosts[k] = malloc(bytes)))
            return asim_err_nomem(err, "planning background traffic");
    traffic->pattern = (enum asim_traffic_pattern)from->pattern; /* in the same order */
    traffic->on_ns = (double)from->on_fs / ASIM_FS_PER_NS;
    traffic->off_ns = (double)from->off_fs / ASIM_FS_PER_NS;
    traffic->fan_in = from->fan_in;
    traffic->from_ns = from->from_fs / ASIM_FS_PER_NS;
    traffic->until_ns = from->until_fs ? from->until_fs / ASIM_FS_PER_NS : ASIM_NEVER;
    traffic->seed = from->seed + (uint64_t)i * 1000003;
    plan->loads[i].line = from->line;
    if (open_sizes(world, from, traffic, err) ||
        open_hosts(world, from, traffic, &plan->hosts[2 * i], err))
        return ASIM_EINVAL;
    if (from->fan_in >= traffic->n)
        return asim_err_at(err, ASIM_EINVAL, asim_plan_at(world, from->line),
                           "a \"fan-in\" of %u needs %u hosts, and %u take part.", from->fan_in,
                           from->fan_in + 1, traffic->n);
    for (uint32_t k = 1; from->pattern == ASIM_SCENARIO_ACROSS; k++) {
        if (k == traffic->n)
            return refuse_hosts(world, from, "all have one leaf switch", err);
        if (traffic->group[k] != traffic->group[0])
            break;
    }
    return open_load(world, from, traffic, &plan->loads[i], err);
}

int asim_plan_traffic(struct asim_world *world, struct asim_err *err)
{
    struct asim_network_plan *plan = world->set.plan;
    size_t n = world->set.scenario->background.n;
    int code = 0;

    if (!n)
        return 0;
    plan->traffic = calloc(n, sizeof *plan->traffic);
    plan->loads = calloc(n, sizeof *plan->loads);
    plan->hosts = calloc(2 * n, sizeof *plan->hosts);
    if (!plan->traffic || !plan->loads || !plan->hosts)
        return asim_err_nomem(err, "planning background traffic");
    for (size_t i = 0; i < n && !code; i++)
        code = open_one(world, i, err);
    plan->traffics = (struct asim_net_traffics){plan->traffic, n};
    world->set.n_generators = (uint32_t)n;
    return code;
}

void asim_world_diagnose_traffic(struct asim_world *world)
{
    size_t n = world->set.plan ? world->set.plan->traffics.n : 0;
    struct asim_traffic_use *use = n ? malloc(sizeof *use) : NULL;

    for (uint32_t i = 0; use && i < n; i++) {
        asim_distribution_traffic_use(world, i, use);
        if (!use->started)
            asim_world_diagnose(world,
                                "the background traffic of line %u of the scenario has no effect: "
                                "it began no flow",
                                world->set.scenario->background.at[i].line);
    }
    free(use);
}
