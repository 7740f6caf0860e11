/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Two levels: npa hosts under each leaf, every leaf joined to each of psn spines. With n hosts:
 * ceil(n / npa) leaves, n + leaves * psn links. Oversubscription is npa * bw / (psn * apbw).
 *
 * Node ids: hosts, leaves, spines. Hosts of one leaf communicate over that leaf; other pairs have
 * psn equal paths.
 */
#include "topo/build.h"

/* Rates in bit/s, the delay in femtoseconds. Keys are those of SimAI's generator for the same
 * quantity. */
struct leaf_options {
    uint32_t gpus, per_leaf, leaves, spines;
    uint64_t host_bps, spine_bps, delay_fs;
    double error_rate;
};

#define ROW(...) ASIM_OPTION(struct leaf_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("g", U32, gpus, "hosts", .alias = "gpus", .max = 1 << 24),
    ROW("npa", U32, per_leaf, "hosts at one leaf (default 16)", .alias = "hosts_per_leaf", .min = 1,
        .max = 1 << 20),
    ROW("leaves", U32, leaves, "leaf switches, instead of npa: hosts are dealt out evenly",
        .max = 1 << 20),
    ROW("psn", U32, spines, "spine switches", .alias = "spines", .def = "8", .min = 1,
        .max = 1 << 20),
    ROW("bw", RATE, host_bps, "rate from a host to its leaf", .alias = "bandwidth",
        .def = "400Gbps", .min = 1, .max = 1e15),
    ROW("apbw", RATE, spine_bps, "rate from a leaf to a spine", .alias = "spine_bandwidth",
        .def = "400Gbps", .min = 1, .max = 1e15),
    ROW("l", TIME, delay_fs, "delay of a link", .alias = "latency", .def = "0.0005ms"),
    ROW("er", DOUBLE, error_rate, "packets lost on a link, 0..1", .alias = "error_rate", .def = "0",
        .max = 1),
    {0}};

enum { USUAL_PER_LEAF = 16 };

/* n: hosts. Links to hosts come before links to spines: the low ports of a leaf lead to its hosts.
 */
static int wire_all(struct asim_topo *topo, const struct leaf_options *opt, uint32_t n,
                    uint32_t per_leaf, struct asim_err *err)
{
    uint32_t leaves = topo->nodes - n - opt->spines;
    struct asim_link_spec down = {opt->host_bps, opt->delay_fs, opt->error_rate};
    struct asim_link_spec up = {opt->spine_bps, opt->delay_fs, opt->error_rate};
    int rc = 0;
    for (uint32_t h = 0; h < n && !rc; h++)
        rc = asim_build_link(topo, h, n + h / per_leaf, &down, err);
    for (uint32_t leaf = 0; leaf < leaves && !rc; leaf++)
        for (uint32_t s = 0; s < opt->spines && !rc; s++)
            rc = asim_build_link(topo, n + leaf, n + leaves + s, &up, err);
    return rc;
}

/* The last leaves may have fewer hosts or none, but have all links to spines. */
static int make(struct asim_topo *topo, uint32_t hosts, const void *options_of,
                struct asim_err *err)
{
    const struct leaf_options *opt = options_of;
    uint32_t n;
    int rc = asim_build_hosts(opt->gpus, hosts, 128, &n, err);
    if (rc)
        return rc;
    /* ceil(n / leaves): all leaves except the last ones are equally full */
    uint32_t usual = opt->per_leaf ? opt->per_leaf : USUAL_PER_LEAF;
    uint32_t per_leaf = opt->leaves ? (n - 1) / opt->leaves + 1 : usual;
    uint64_t leaves = opt->leaves ? opt->leaves : ((uint64_t)n + per_leaf - 1) / per_leaf;
    if (opt->leaves && opt->per_leaf && opt->per_leaf != per_leaf)
        return asim_err_set(err, ASIM_EINVAL,
                            "leaves=%u puts %u of %u hosts at a leaf but npa says %u: give one of "
                            "the two.",
                            opt->leaves, per_leaf, n, opt->per_leaf);
    struct asim_build_size size = {
        .hosts = n, .switches = leaves + opt->spines, .links = n + leaves * opt->spines};
    rc = asim_build_nodes(topo, &size, err);
    if (!rc)
        rc = wire_all(topo, opt, n, per_leaf, err);
    return rc ? rc : asim_topo_finish(topo, err);
}

const struct asim_topo_maker asim_topo_maker_leaf_spine = {
    .member = {"leaf_spine", "Two levels: hosts under leaves, every leaf to every spine.", options,
               sizeof(struct leaf_options)},
    .make = make,
};
