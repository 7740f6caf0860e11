/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Dragonfly (Kim, Dally, Scott, Abts, ISCA 2008): groups of `a` routers that are all joined to
 * each other, p hosts and h global links at each router. Groups are joined pairwise by
 * m = floor(a h / (groups - 1)) links; the k-th of the global links of group i leaves router k / h,
 * counted over the other groups in order ("absolute" arrangement). With G groups: G a routers,
 * n + G a (a - 1) / 2 + m G (G - 1) / 2 links.
 *
 * Defaults: a = 2 h, p = h (the balanced form), groups = a h + 1, h the smallest with room for the
 * hosts. The simulator routes on shortest paths only; Valiant routing is not what this gives.
 *
 * Node ids: hosts, then routers group by group; host i is at router i / p. Two groups joined by
 * several links use all of them as equal-cost ways only where the hops are equal.
 */
#include "topo/build.h"

#include <inttypes.h>

struct fly_options {
    uint32_t gpus, p, a, h, groups;
    uint64_t host_bps, local_bps, global_bps, delay_fs, global_delay_fs;
    double error_rate;
};

#define ROW(...) ASIM_OPTION(struct fly_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("g", U32, gpus, "hosts (default: the ranks asked for, else all places)", .alias = "gpus",
        .max = 1 << 24),
    ROW("p", U32, p, "hosts at a router (default h)", .alias = "hosts_per_router", .max = 4096),
    ROW("a", U32, a, "routers of a group (default 2h)", .alias = "routers_per_group", .max = 4096),
    ROW("h", U32, h, "global links of a router (default: the smallest that fits)",
        .alias = "global_per_router", .max = 4096),
    ROW("groups", U32, groups, "groups (default a*h + 1)", .max = 1 << 20),
    ROW("bw", RATE, host_bps, "rate from a host to its router", .alias = "bandwidth",
        .def = "400Gbps", .min = 1, .max = 1e15),
    ROW("lbw", RATE, local_bps, "rate inside a group", .alias = "local_bandwidth", .def = "400Gbps",
        .min = 1, .max = 1e15),
    ROW("gbw", RATE, global_bps, "rate between groups", .alias = "global_bandwidth",
        .def = "400Gbps", .min = 1, .max = 1e15),
    ROW("l", TIME, delay_fs, "delay of host and local links", .alias = "latency",
        .def = "0.0005ms"),
    ROW("gl", TIME, global_delay_fs, "delay between groups", .alias = "global_latency",
        .def = "0.0005ms"),
    ROW("er", DOUBLE, error_rate, "packets lost on a link, 0..1", .alias = "error_rate", .def = "0",
        .max = 1),
    {0}};

/* 64 bits: the product of three options of 4096 exceeds 32 bits. */
struct fly { /* the options with all defaults filled in */
    uint64_t p, a, h, groups, pair_links;
    uint32_t hosts;
};

/* The number of hosts that fit. */
static uint64_t fly_room(const struct fly *fly)
{
    return fly->p * fly->a * fly->groups;
}

/* Fills in the balanced form of the paper where an option is not given: a = 2h, p = h. */
static void fill_sizes(struct fly *fly, const struct fly_options *opt, uint32_t h)
{
    fly->h = h;
    fly->a = opt->a ? opt->a : 2 * (uint64_t)h;
    fly->p = opt->p ? opt->p : h;
    fly->groups = opt->groups ? opt->groups : fly->a * h + 1;
}

/* If h is not given, takes the smallest h from 1 up; 4096 is far beyond the limit on nodes. */
static int plan_fly(struct fly *fly, const struct fly_options *opt, uint32_t asked,
                    struct asim_err *err)
{
    fill_sizes(fly, opt, opt->h ? opt->h : 2);
    uint64_t usual = fly_room(fly) < ASIM_BUILD_MAX_NODES ? fly_room(fly) : ASIM_BUILD_MAX_NODES;
    int rc = asim_build_hosts(opt->gpus, asked, (uint32_t)usual, &fly->hosts, err);
    if (rc)
        return rc;
    if (!opt->h && (opt->gpus || asked))
        for (uint32_t h = 1; h <= 4096; h++) {
            fill_sizes(fly, opt, h);
            if (fly_room(fly) >= fly->hosts)
                break;
        }
    if (fly_room(fly) < fly->hosts)
        return asim_err_set(err, ASIM_EINVAL,
                            "%u hosts do not fit %" PRIu64 " groups of %" PRIu64
                            " routers with %" PRIu64 " hosts each: raise p, a or groups.",
                            fly->hosts, fly->groups, fly->a, fly->p);
    fly->pair_links = fly->groups > 1 ? fly->a * fly->h / (fly->groups - 1) : 0;
    if (fly->groups > 1 && !fly->pair_links)
        return asim_err_set(err, ASIM_EINVAL,
                            "%" PRIu64 " groups cannot all be joined: a group has %" PRIu64
                            " global links, room for %" PRIu64 " groups; lower groups or raise h.",
                            fly->groups, fly->a * fly->h, fly->a * fly->h + 1);
    return 0;
}

/* Joins each pair of groups i < j by m links. For group i, group j is number j - 1 of the others;
 * for group j, group i is number i. Each router has h global links. */
static int wire_groups(struct asim_topo *topo, const struct fly *fly, const struct fly_options *opt,
                       struct asim_err *err)
{
    struct asim_link_spec wire = {opt->global_bps, opt->global_delay_fs, opt->error_rate};
    uint32_t m = (uint32_t)fly->pair_links, a = (uint32_t)fly->a, h = (uint32_t)fly->h;
    int rc = 0;
    for (uint32_t i = 0; i < fly->groups; i++)
        for (uint32_t j = i + 1; j < fly->groups; j++)
            for (uint32_t k = 0; k < m && !rc; k++) {
                uint32_t from = ((j - 1) * m + k) / h, to = (i * m + k) / h;
                rc = asim_build_link(topo, fly->hosts + i * a + from, fly->hosts + j * a + to,
                                     &wire, err);
            }
    return rc;
}

/* Joins hosts to their router, then the routers of each group to each other. The low ports of a
 * router lead to its hosts, then to its group, then to other groups, as in the paper's figures. */
static int wire_local(struct asim_topo *topo, const struct fly *fly, const struct fly_options *opt,
                      struct asim_err *err)
{
    struct asim_link_spec drop = {opt->host_bps, opt->delay_fs, opt->error_rate};
    struct asim_link_spec wire = {opt->local_bps, opt->delay_fs, opt->error_rate};
    uint32_t a = (uint32_t)fly->a, routers = (uint32_t)(fly->groups * fly->a);
    int rc = 0;
    for (uint32_t host = 0; host < fly->hosts && !rc; host++)
        rc = asim_build_link(topo, host, fly->hosts + host / (uint32_t)fly->p, &drop, err);
    for (uint32_t r = 0; r < routers; r++)
        for (uint32_t s = r + 1; s < (r / a + 1) * a && !rc; s++)
            rc = asim_build_link(topo, fly->hosts + r, fly->hosts + s, &wire, err);
    return rc;
}

/* Routers without hosts stay: the last group may have fewer hosts but has all links. */
static int make(struct asim_topo *topo, uint32_t hosts, const void *options_of,
                struct asim_err *err)
{
    const struct fly_options *opt = options_of;
    struct fly fly = {0};
    int rc = plan_fly(&fly, opt, hosts, err);
    if (rc)
        return rc;
    struct asim_build_size size = {
        .hosts = fly.hosts,
        .switches = fly.groups * fly.a,
        .links = fly.hosts + fly.groups * fly.a * (fly.a - 1) / 2 +
                 fly.pair_links * fly.groups * (fly.groups - 1) / 2,
    };
    rc = asim_build_nodes(topo, &size, err);
    if (!rc)
        rc = wire_local(topo, &fly, opt, err);
    if (!rc)
        rc = wire_groups(topo, &fly, opt, err);
    return rc ? rc : asim_topo_finish(topo, err);
}

const struct asim_topo_maker asim_topo_maker_dragonfly = {
    .member = {"dragonfly", "Groups of joined routers, every pair of groups joined.", options,
               sizeof(struct fly_options)},
    .make = make,
};
