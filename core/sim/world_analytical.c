/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A world over a network other than the packet network: an analytical network, whose YAML file
 * gives the logical dimensions and the speeds, or the caller's own backend (asim/net.h). Such a
 * world has a topology and routes only with ASIM_NET_OVER_TOPOLOGY, and none of the capabilities of
 * net/net.h.
 *
 * All other parts of a world (ranks, collectives, matching, reports) know only the backend's
 * traits.
 */
#include "net/ways.h"
#include "base/override.h"
#include "net/packets.h"
#include "sim/scenario/plan.h"
#include "sim/world.h"

#include <stdio.h>
#include <string.h>

/* The error lists all modes. */
static const struct asim_net_backend *find(const char *mode, struct asim_err *err)
{
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(mode, ","), mode);
    return (const struct asim_net_backend *)(const void *)asim_family_find(
        asim_net_backend_table, "analytical network", name, err);
}

int asim_settings_has(const struct asim_settings *set, unsigned bits)
{
    const struct asim_net_backend *backend = &asim_packet_backend;
    unsigned own = ASIM_NET_FRAMES - 1; /* the functions of capabilities are the library's */

    if (set->backend)
        return (set->backend->traits & own & bits) == bits;
    if (set->mode)
        backend = find(set->mode, &(struct asim_err){0});
    return backend && (backend->traits & bits) == bits;
}

/* Opens the network of --mode: NAME or NAME,key=value,… Its options live during open only. */
static int open_mode(struct asim_world *world, struct asim_net_config *config, struct asim_err *err)
{
    const char *words = strchr(world->set.settings.mode, ',');
    const struct asim_member *member;
    int code;

    world->via.backend = find(world->set.settings.mode, err);
    if (!world->via.backend)
        return ASIM_EINVAL;
    member = &world->via.backend->member;
    code = asim_family_options(&config->data, member, words ? words + 1 : NULL, ',', err);
    if (!code)
        code = world->via.backend->open(&world->via.carrier, config, err);
    asim_family_options_free(config->data, member);
    return code;
}

void asim_world_diagnose_unused(const struct asim_world *world, const struct asim_settings *set)
{
    struct asim_settings defaults;
    int has_packets = set->verify != NULL, /* its samples */
        has_defaults = !has_packets && !asim_settings_init(&defaults, sizeof defaults, NULL);
    const struct {
        const char *name;
        int is_given;
        unsigned needs;
    } rows[] = {{"topology", set->topology != NULL, ASIM_NET_OVER_TOPOLOGY},
                {"logical-topology-configuration", set->logical && (set->shape || !set->backend),
                 ASIM_NET_OVER_TOPOLOGY},
                {"network-configuration", set->network && set->backend, ASIM_NET_OVER_TOPOLOGY},
                {"pcap", set->pcap != NULL, ASIM_NET_FRAMES},
                {"reports", set->reports && set->out, ASIM_NET_FLOWS},
                {"per-event", set->per_event && !has_packets, ASIM_NET_FRAMES},
                {"threads", set->threads > 1 && !has_packets && !set->alone, ASIM_NET_THREADS},
                {"compare", set->compare, ASIM_NET_FRAMES},
                {"report-interval", set->report_interval_fs != 0, ASIM_NET_FRAMES},
                {"seed", has_defaults && set->seed != defaults.seed, ASIM_NET_FRAMES},
                {"order", has_defaults && set->order != defaults.order, ASIM_NET_FRAMES},
                {"exact-events", has_defaults && set->exact_events != defaults.exact_events,
                 ASIM_NET_FRAMES},
                {"cc", set->cc != NULL, ASIM_NET_FLOWS},
                {"mtu", set->mtu_bytes != 0, ASIM_NET_FLOWS},
                {"qps-per-connection", set->qps_per_connection != NULL, ASIM_NET_FLOWS},
                {"bandwidth", set->bandwidth && set->backend, ASIM_NET_OVER_TOPOLOGY},
                {"latency", set->latency && set->backend, ASIM_NET_OVER_TOPOLOGY}};
    const char *network = set->backend                             ? "the caller's own network"
                          : asim_settings_has(set, ASIM_NET_FLOWS) ? "the flow level"
                                                                   : "an analytical network";

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_given && !asim_settings_has(set, rows[i].needs))
            asim_world_diagnose(world, "--%s has no effect on %s", rows[i].name, network);
    if (!asim_settings_has(set, ASIM_NET_FRAMES) &&
        world->set.without & ~(uint32_t)ASIM_WAY_UNIFORM_PHASE)
        asim_world_diagnose(world,
                            "--without turns off only uniform-phase on %s, which has none of "
                            "the other fast paths",
                            network);
}

static void diagnose_shape(const struct asim_world *world, const char *source)
{
    char text[200];

    for (size_t d = 0; d < world->set.shape.n; d++)
        if (asim_netshape_is_doubtful(&world->set.shape, d, text, sizeof text))
            asim_world_diagnose(world, "%s: %s", source, text);
}

/* One of --bandwidth and --latency, as asim_topo_override for links. A shape counts in 2^30 byte/s.
 */
static int override_by(struct asim_netshape *shape, const char *option, const char *text,
                       struct asim_err *err)
{
    int is_rate = option[0] == 'b';
    struct asim_override override;

    if (asim_override_parse(&override, option, is_rate ? ASIM_T_RATE : ASIM_T_TIME, text, err))
        return ASIM_EINVAL;
    for (size_t d = 0; d < shape->n; d++) {
        double value = is_rate ? shape->at[d].bandwidth_gbps : shape->at[d].latency_ns;
        double first = is_rate ? shape->at[0].bandwidth_gbps : shape->at[0].latency_ns;

        if (override.factor <= 0 && value != first)
            return asim_err_set(err, ASIM_EINVAL,
                                "--%s gives one value, but the dimensions of the network have "
                                "several; give a factor such as --%s=2x, or change the network.",
                                option, option);
    }
    for (size_t d = 0; d < shape->n; d++) {
        double *value = is_rate ? &shape->at[d].bandwidth_gbps : &shape->at[d].latency_ns;

        *value = override.factor > 0 ? *value * override.factor
                                     : (double) override.value / (is_rate ? 8.0 * 1073741824 : 1e6);
    }
    return 0;
}

static int override_shape(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    struct asim_netshape *shape = &world->set.shape;
    int code = set->bandwidth ? override_by(shape, "bandwidth", set->bandwidth, err) : 0;

    return !code && set->latency ? override_by(shape, "latency", set->latency, err) : code;
}

/* set->shape, which tests and embedding programs use, overrides the file. */
int asim_world_open_shape(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    struct asim_err why = {0};

    if (!set->backend && !find(set->mode, &why))
        return asim_err_set(err, ASIM_EUSAGE, "%s", why.text);
    asim_world_diagnose_unused(world, set);
    if (set->shape)
        world->set.shape = *set->shape;
    else if (!set->network)
        return asim_err_set(err, ASIM_EUSAGE,
                            "no network given; say --network-configuration=FILE.yml with "
                            "topology, npus_count, bandwidth and latency of each dimension");
    else if (asim_netshape_read(&world->set.shape, set->network, err))
        return ASIM_EINVAL;
    if (!world->set.shape.n || world->set.shape.n > ASIM_DIMS)
        return asim_err_set(err, ASIM_EINVAL, "settings.shape has %zu dimensions; expected 1 to %d",
                            world->set.shape.n, ASIM_DIMS);
    if (!asim_settings_has(set, ASIM_NET_OVER_TOPOLOGY) && override_shape(world, set, err))
        return ASIM_EINVAL;
    diagnose_shape(world, set->shape ? "settings.shape" : set->network);
    world->set.dims.n = world->set.shape.n;
    for (size_t d = 0; d < world->set.shape.n; d++)
        world->set.dims.at[d] = world->set.shape.at[d].npus;
    return 0;
}

/* The caller's table may come from another version of the header and be smaller or larger. */
static int take_backend(struct asim_world *world, struct asim_err *err)
{
    const struct asim_net_backend *given = world->set.settings.backend;
    struct asim_net_backend *own = asim_arena_alloc(&world->arena, sizeof *own);

    if (!own)
        return asim_err_nomem(err, "opening the network");
    if (given->size < offsetof(struct asim_net_backend, train_open))
        return asim_err_set(err, ASIM_EINVAL,
                            "settings.backend->size is %zu; expected sizeof(struct "
                            "asim_net_backend), %zu",
                            given->size, sizeof *given);
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    if (!own->open || !own->now || !own->wake_after || !own->send || !own->run || !own->close ||
        (!own->defer_receive && !(own->traits & ASIM_NET_LATE_RECEIVE_NOW)))
        return asim_err_set(
            err, ASIM_EINVAL,
            "settings.backend lacks a function: open, now, wake_after, send, run "
            "and close are required, and defer_receive without ASIM_NET_LATE_RECEIVE_NOW");
    own->traits &= ASIM_NET_FRAMES - 1; /* the functions of capabilities are the library's */
    own->extras = NULL;
    world->via.backend = own;
    return 0;
}

/* What changes in the network during the run. */
static int plan_changes(const struct asim_world *world, const struct asim_net_extras *extras,
                        struct asim_err *err)
{
    static const struct asim_net_events none = {0};
    const struct asim_network_plan *plan = world->set.plan;

    if (plan && plan->traffics.n && extras->add_traffic(world->via.carrier, &plan->traffics, err))
        return ASIM_ENOMEM;
    if (!extras || !extras->plan)
        return 0;
    return extras->plan(world->via.carrier, plan ? &plan->events : &none, err);
}

int asim_world_connect_analytical(struct asim_world *world, const struct asim_net_user *user,
                                  struct asim_err *err)
{
    struct asim_net_config config = {.shape = world->set.shape.n ? &world->set.shape : NULL,
                                     .ranks = world->set.n_ranks,
                                     .user = *user,
                                     .data = world->set.settings.backend_data,
                                     .settings = &world->set.settings};
    const struct asim_net_extras *extras;

    if (asim_settings_has(&world->set.settings, ASIM_NET_OVER_TOPOLOGY)) {
        config.topo = &world->set.topo;
        config.routes = world->set.route;
        config.netconf = &world->set.net;
    }
    if (world->set.settings.backend) {
        if (take_backend(world, err) || world->via.backend->open(&world->via.carrier, &config, err))
            return ASIM_EINVAL;
    } else if (open_mode(world, &config, err)) {
        return ASIM_EINVAL;
    }
    extras = world->via.backend->extras;
    world->via.packets = extras ? extras->packets : NULL;
    world->via.packet_net = (struct asim_fabric *)(void *)world->via.carrier;
    world->via.queue = extras && extras->queue ? extras->queue(world->via.carrier) : NULL;
    world->run.event_bus.in_order = world->via.queue != NULL;
    return plan_changes(world, extras, err);
}
