/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The physical network of a world: settings, topology, hosts of the ranks, routes; for the packet
 * network and others with ASIM_NET_OVER_TOPOLOGY.
 */
#include "asim/netconf.h"
#include "base/text.h"
#include "conf/netconf.h"
#include "scenario/scenario.h"
#include "sim/collective/coll_setup.h"
#include "sim/collective/nvswitch.h"
#include "sim/scenario/plan.h"
#include "sim/world.h"
#include "topo/placement.h"
#include "topo/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many as the ranks need where hosts are full. */
static uint32_t least_hosts(const struct asim_world *world)
{
    uint32_t per_host = world->set.scenario ? world->set.scenario->hosts.ranks : 1;

    return world->set.n_ranks / per_host + (world->set.n_ranks % per_host != 0);
}

/* The topology of the command line overrides that of the network configuration. "auto:" and
 * "machine:" make one; without any, all hosts hang on one switch. */
static int open_topology(struct asim_world *world, const struct asim_settings *set,
                         struct asim_err *err)
{
    const char *named = world->set.net.topology_file, *spec;
    char *path;
    int code;

    if (asim_topo_is_made(set->topology, &spec)) {
        code = asim_topo_make(&world->set.topo, spec, least_hosts(world), err);
        if (!code)
            asim_topo_make_diagnose(spec, asim_world_diagnostics(world));
        return code;
    }
    if (set->topology)
        return asim_topo_read(&world->set.topo, set->topology, err);
    if (!named || !*named)
        return asim_topo_make(&world->set.topo, "switch", least_hosts(world), err);
    path = asim_conf_resolve(set->network, named);
    if (!path)
        return asim_err_nomem(err, "looking for the topology file");
    if (access(path, F_OK))
        code = asim_err_at(err, ASIM_EIO, (struct asim_where){set->network, 0, 0},
                           "TOPOLOGY_FILE names %s, which is neither in the working directory nor "
                           "beside this file.",
                           named);
    else
        code = asim_topo_read(&world->set.topo, path, err);
    free(path);
    return code;
}

/* Options that stand before a key of the file. */
static int override_by_options(struct asim_netconf *net, const struct asim_settings *set,
                               struct asim_err *err)
{
    const struct {
        const char *option, *key, *value;
    } rows[] = {{"--cc", "CC", set->cc},
                {"--qps-per-connection", "QPS_PER_CONNECTION", set->qps_per_connection},
                {"--no-progress-limit", "NO_PROGRESS_LIMIT", set->no_progress_limit}};
    int code = 0;

    for (size_t i = 0; !code && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value)
            code = asim_netconf_put(net, asim_netconf_key(rows[i].key), rows[i].value,
                                    (struct asim_where){rows[i].option, 0, 0}, err);
    return code;
}

static int override_key(struct asim_world *world, struct asim_where where,
                        const char *const pair[2], struct asim_err *err)
{
    const struct asim_option *row = asim_netconf_key(pair[0]);
    int code = row ? asim_netconf_put(&world->set.net, row, pair[1], where, err)
                   : asim_netconf_set(&world->set.net, pair, err);
    char text[300];

    if (code || !row)
        return code;
    if (asim_option_is_doubtful(row, asim_netconf_field(&world->set.net, row), pair[1], text,
                                sizeof text))
        asim_world_diagnose(world, "%s: %s", where.source, text);
    if (row->flags & ASIM_F_NOOP)
        asim_world_diagnose(world, "%s: %s has no effect, as in ASTRA-sim", where.source, pair[0]);
    return 0;
}

/* Of --network-keys: two names of one thing. */
static int check_option(const struct asim_settings *set, const char *key, struct asim_err *err)
{
    const struct {
        const char *option, *key;
        int is_given;
    } rows[] = {{"cc", "CC", set->cc != NULL},
                {"mtu", "PACKET_PAYLOAD_SIZE", set->mtu_bytes > 0},
                {"qps-per-connection", "QPS_PER_CONNECTION", set->qps_per_connection != NULL},
                {"no-progress-limit", "NO_PROGRESS_LIMIT", set->no_progress_limit != NULL},
                {"topology", "TOPOLOGY_FILE", set->topology != NULL}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_given && !strcmp(rows[i].key, key))
            return asim_err_set(err, ASIM_EUSAGE,
                                "--%s and %s in --network-keys are one thing; give one of them.",
                                rows[i].option, key);
    return 0;
}

/* --network-keys: KEY=VALUE, with commas between. What-if appends keys to those of the run. */
static int override_by_keys(struct asim_world *world, const struct asim_settings *set,
                            struct asim_err *err)
{
    const struct asim_where where = {"--network-keys", 0, 0};
    char *copy = strdup(set->network_keys ? set->network_keys : ""), *rest = copy;
    int code = copy ? 0 : asim_err_nomem(err, "reading --network-keys");

    while (!code && *rest) {
        struct asim_key_value pair;

        code = asim_option_next(&pair, &rest, ',', where, err);
        if (!code)
            code = check_option(set, pair.key, err);
        if (!code)
            code = override_key(world, where, (const char *const[]){pair.key, pair.value}, err);
        for (const char *key = copy; !code && key < pair.key;) { /* key and value in turn */
            if (!strcmp(key, pair.key))
                asim_world_diagnose(world, "%s: %s is given twice; the last one counts",
                                    where.source, pair.key);
            key += strlen(key) + 1;
            key += strlen(key) + 1;
        }
    }
    free(copy);
    return code;
}

/* Runs at one time would write the files of one configuration together. */
static int move_outputs(struct asim_netconf *net, const char *folder, struct asim_err *err)
{
    char **const files[] = {&net->fct_output, &net->pfc_output, &net->trace_output,
                            &net->qlen_output};

    for (size_t i = 0; folder && i < sizeof files / sizeof *files; i++) {
        char path[4096];

        if (!*files[i] || !**files[i])
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, *files[i] + asim_text_dirlen(*files[i]));
        free(*files[i]);
        *files[i] = strdup(path);
        if (!*files[i])
            return asim_err_nomem(err, "naming the outputs of the network");
    }
    return 0;
}

/* Values from outside the file, such as ns-3 attributes. */
static int override_network(struct asim_world *world, const struct asim_settings *set,
                            struct asim_err *err)
{
    const char *const *at = set->net_overrides;

    for (; at && at[0]; at += 2)
        if (override_key(world, (struct asim_where){"network attribute", 0, 0}, at, err))
            return ASIM_EINVAL;
    if (override_by_keys(world, set, err))
        return ASIM_EINVAL;
    if (set->mtu_bytes)
        world->set.net.payload_bytes = set->mtu_bytes;
    return override_by_options(&world->set.net, set, err) ||
                   move_outputs(&world->set.net, set->network_outputs, err)
               ? ASIM_EINVAL
               : 0;
}

/* A made topology has as many hosts as its maker needs. */
static void diagnose_hosts(struct asim_world *world, const struct asim_settings *set)
{
    uint32_t hosts = world->set.topo.hosts, ranks = world->set.n_ranks;
    const char *spec;
    int is_made = asim_topo_is_made(set->topology, &spec);

    if (hosts > ranks && !is_made && !set->placement && !set->scenario)
        asim_world_diagnose(world,
                            "the topology %s has %u hosts, the run %u ranks: hosts %u to %u have "
                            "no rank and send nothing",
                            world->set.topo.source, hosts, ranks, ranks, hosts - 1);
}

/* A network whose ranks do not all reach each other is no error: a ring of hosts serves messages
 * between neighbours. Only a message that needs a missing path fails (collective/send.c). */
static int find_unjoined_ranks(struct asim_world *world, struct asim_err *err)
{
    struct asim_err found = {0};
    int code = asim_topo_check_connected(&world->set.topo, world->set.n_ranks, &found);

    world->set.has_unjoined_ranks = code != 0;
    if (code == ASIM_ENOMEM)
        *err = found;
    return code == ASIM_ENOMEM;
}

/* Options that change the topology that was read. */
static int change_topology(struct asim_world *world, const struct asim_settings *set,
                           struct asim_err *err)
{
    struct asim_topo *topo = &world->set.topo;

    if ((set->bandwidth && asim_topo_override(topo, "bandwidth", set->bandwidth, err)) ||
        (set->latency && asim_topo_override(topo, "latency", set->latency, err)))
        return ASIM_EINVAL;
    if (world->set.scenario)
        return asim_world_place_jobs(world, set, err);
    return set->placement ? asim_topo_place(topo, set->placement, world->set.n_ranks, err) : 0;
}

static int diagnose_settings(struct asim_world *world, const struct asim_settings *set,
                             struct asim_err *err)
{
    const char *source = set->network ? set->network : "network settings";
    const struct asim_diagnostics *to = asim_world_diagnostics(world);
    int code = asim_netconf_diagnose(&world->set.net, source, to, err);

    if (code || !asim_settings_has(set, ASIM_NET_FLOWS) || asim_settings_has(set, ASIM_NET_FRAMES))
        return code;
    return asim_netconf_diagnose_flows(&world->set.net, source, to, err);
}

/* Whom the run follows is known once the topology is. What a file or an option says stays. */
static int set_defaults(struct asim_world *world, const struct asim_settings *set,
                        struct asim_err *err)
{
    int *like = &world->set.settings.like;

    if (*like == ASIM_LIKE_AUTO)
        *like = !set->system && (set->scenario || world->set.topo.gpus_per_server > 1)
                    ? ASIM_LIKE_NCCL
                    : ASIM_LIKE_ASTRA_SIM;
    if (*like != ASIM_LIKE_NCCL)
        return 0;
    if (!set->network && !set->mtu_bytes && !set->net_overrides && !world->set.net.has_payload)
        world->set.net.payload_bytes = 4096;
    if (!set->network && !set->net_overrides && !world->set.net.has_qps)
        world->set.net.qps_per_connection = 1;
    if (set->system)
        return 0;
    asim_system_fini(&world->set.system);
    return asim_system_defaults(&world->set.system, *like, err);
}

static int follow(struct asim_world *world, const struct asim_settings *set, struct asim_err *err)
{
    int code = set_defaults(world, set, err);

    return code ? code : asim_world_machine_open(world, set, err);
}

/* Servers of a scenario, which run several ranks on one host, have no NVSwitches as end points. */
static int needs_nvswitches(const struct asim_world *world)
{
    int wanted = asim_nvswitch_wanted(world);

    if (world->set.scenario && world->set.scenario->hosts.line && wanted < 2)
        wanted = 0;
    return world->set.net.nvswitch_endpoints || wanted;
}

/* Each step needs the one before: configuration, overrides, topology, routes. */
int asim_world_open_network(struct asim_world *world, const struct asim_settings *set,
                            struct asim_err *err)
{
    int code;

    if (!asim_settings_has(set, ASIM_NET_OVER_TOPOLOGY))
        return set->placement ? asim_err_set(err, ASIM_EINVAL,
                                             "--placement is for the packet network; the formulas "
                                             "have no hosts to place ranks on.")
                              : asim_algorithm_option(world, set->algorithm, err);
    if (!set->shape)
        asim_world_diagnose_unused(world, set);
    code = set->network ? asim_netconf_read(&world->set.net, set->network,
                                            asim_world_diagnostics(world), err)
                        : asim_netconf_defaults(&world->set.net, err);

    if (code || (code = override_network(world, set, err)) ||
        (code = diagnose_settings(world, set, err)) || (code = open_topology(world, set, err)))
        return code;
    if (!world->set.scenario && world->set.topo.hosts < world->set.n_ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "the topology %s has %u hosts, but the run has %u ranks; rank r lives "
                            "on host r, so it needs at least as many hosts",
                            world->set.topo.source, world->set.topo.hosts, world->set.n_ranks);
    diagnose_hosts(world, set);
    if ((code = change_topology(world, set, err)))
        return code;
    if (find_unjoined_ranks(world, err))
        return ASIM_ENOMEM;
    if (follow(world, set, err) || asim_algorithm_option(world, set->algorithm, err))
        return ASIM_EINVAL;
    if (needs_nvswitches(world) &&
        (asim_topo_endpoints(&world->set.topo, err) || asim_nvswitch_open(world, err)))
        return ASIM_EINVAL;
    if (world->set.net.nvswitch_endpoints && !world->set.topo.endpoints)
        asim_world_diagnose(world,
                            "NVSWITCH_ENDPOINTS 1 has no effect: the topology %s has no NVSwitch",
                            world->set.topo.source);
    code = asim_network_plan_open(world, err);
    return code ? code : asim_route_open(&world->set.route, &world->set.topo, NULL, err);
}
