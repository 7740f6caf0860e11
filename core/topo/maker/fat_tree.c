/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The three-level fat-tree of switches with k ports (Al-Fares et al., SIGCOMM 2008): k pods of k/2
 * edge and k/2 aggregation switches, (k/2)^2 cores, room for k^3/4 hosts. Aggregation switch j of
 * every pod has links to the cores j*k/2 … j*k/2 + k/2 - 1. With n hosts: 5k^2/4 switches and n +
 * k^3/2 links.
 *
 * Without k the maker takes the smallest tree with room. Hosts fill the edge switches in order.
 * Switches without hosts stay, so that the fabric has the bandwidth of the full tree. Every pair of
 * hosts in different pods has (k/2)^2 shortest paths, over which ECMP spreads flows.
 */
#include "topo/build.h"

struct tree_options {
    uint32_t gpus, k;
    struct asim_link_spec wire;
    uint64_t fabric_bps;
};

#define ROW(...) ASIM_OPTION(struct tree_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("g", U32, gpus, "hosts (default: the ranks asked for, else k^3/4)", .alias = "gpus",
        .max = 1 << 24),
    ROW("k", U32, k, "ports of a switch, even (default: the smallest that fits, else 4)",
        .alias = "ports", .max = 400),
    ROW("bw", RATE, wire.rate_bps, "rate from a host to its edge switch", .alias = "bandwidth",
        .def = "400Gbps", .min = 1, .max = 1e15),
    ROW("apbw", RATE, fabric_bps, "rate between switches (default: as bw)",
        .alias = "fabric_bandwidth", .max = 1e15),
    ROW("l", TIME, wire.delay_fs, "delay of a link", .alias = "latency", .def = "0.0005ms"),
    ROW("er", DOUBLE, wire.error_rate, "packets lost on a link, 0..1", .alias = "error_rate",
        .def = "0", .max = 1),
    {0}};

/* The smallest even k with room for n hosts; k = 400 holds 16 million. */
static uint32_t smallest_k(uint32_t n)
{
    uint32_t k = 2;
    while ((uint64_t)k * k * k / 4 < n)
        k += 2;
    return k;
}

/* Joins edge switch e (numbered over all pods) to the aggregation switches of its pod, and once per
 * pod the aggregation switches to the cores. */
static int wire_fabric(struct asim_topo *topo, uint32_t n, uint32_t k,
                       const struct asim_link_spec *wire, struct asim_err *err)
{
    uint32_t half = k / 2, edge = n, agg = n + k * half, core = n + 2 * k * half;
    int rc = 0;
    for (uint32_t e = 0; e < k * half && !rc; e++)
        for (uint32_t j = 0; j < half && !rc; j++)
            rc = asim_build_link(topo, edge + e, agg + e / half * half + j, wire, err);
    for (uint32_t a = 0; a < k * half && !rc; a++)
        for (uint32_t j = 0; j < half && !rc; j++)
            rc = asim_build_link(topo, agg + a, core + a % half * half + j, wire, err);
    return rc;
}

/* Hosts first: port 1 of a host leads to its edge switch, and the low ports of an edge switch lead
 * to its hosts. */
static int wire_all(struct asim_topo *topo, const struct tree_options *opt, uint32_t n, uint32_t k,
                    struct asim_err *err)
{
    struct asim_link_spec up = opt->wire;
    if (opt->fabric_bps)
        up.rate_bps = opt->fabric_bps;
    int rc = 0;
    for (uint32_t h = 0; h < n && !rc; h++)
        rc = asim_build_link(topo, h, n + h / (k / 2), &opt->wire, err);
    return rc ? rc : wire_fabric(topo, n, k, &up, err);
}

/* Checks the room of the given k, or takes the smallest k. */
static int make(struct asim_topo *topo, uint32_t hosts, const void *options_of,
                struct asim_err *err)
{
    const struct tree_options *opt = options_of;
    uint32_t n, k = opt->k ? opt->k : 4;
    if (k % 2)
        return asim_err_set(err, ASIM_EINVAL, "k=%u: a fat-tree needs an even number of ports.", k);
    int rc = asim_build_hosts(opt->gpus, hosts, k * k * k / 4, &n, err);
    if (rc)
        return rc;
    if (!opt->k)
        k = smallest_k(n);
    if (n > (uint64_t)k * k * k / 4)
        return asim_err_set(err, ASIM_EINVAL,
                            "%u hosts do not fit a fat-tree of k=%u ports, which holds %u: give "
                            "k=%u.",
                            n, k, k * k * k / 4, smallest_k(n));
    struct asim_build_size size = {
        .hosts = n, .switches = 5 * k * k / 4, .links = n + (uint64_t)k * k * k / 2};
    rc = asim_build_nodes(topo, &size, err);
    if (!rc)
        rc = wire_all(topo, opt, n, k, err);
    return rc ? rc : asim_topo_finish(topo, err);
}

const struct asim_topo_maker asim_topo_maker_fat_tree = {
    .member = {"fat_tree", "Three-level fat-tree of k-port switches.", options,
               sizeof(struct tree_options)},
    .make = make,
};
