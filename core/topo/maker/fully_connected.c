/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Joins every host to every other: n (n - 1) / 2 links, no switch, one hop. Hosts never forward, so
 * this is the only layout of bare hosts in which all pairs can communicate.
 *
 * A link takes 48 bytes: meant for tens or hundreds of hosts, as a lower bound of network time.
 */
#include "topo/build.h"

struct full_options {
    uint32_t gpus;
    struct asim_link_spec wire;
};

#define ROW(...) ASIM_OPTION(struct full_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("g", U32, gpus, "hosts", .alias = "gpus", .max = 1 << 24),
    ROW("bw", RATE, wire.rate_bps, "rate of a link", .alias = "bandwidth", .def = "400Gbps",
        .min = 1, .max = 1e15),
    ROW("l", TIME, wire.delay_fs, "delay of a link", .alias = "latency", .def = "0.0005ms"),
    ROW("er", DOUBLE, wire.error_rate, "packets lost on a link, 0..1", .alias = "error_rate",
        .def = "0", .max = 1),
    {0}};

/* asim_build_nodes refuses the number of links from about 11,600 hosts on. */
static int make(struct asim_topo *topo, uint32_t hosts, const void *options_of,
                struct asim_err *err)
{
    const struct full_options *opt = options_of;
    uint32_t n;
    int rc = asim_build_hosts(opt->gpus, hosts, 8, &n, err);
    if (rc)
        return rc;
    struct asim_build_size size = {.hosts = n, .links = (uint64_t)n * (n - 1) / 2};
    rc = asim_build_nodes(topo, &size, err);
    for (uint32_t a = 0; a < n && !rc; a++)
        for (uint32_t b = a + 1; b < n && !rc; b++)
            rc = asim_build_link(topo, a, b, &opt->wire, err);
    return rc ? rc : asim_topo_finish(topo, err);
}

const struct asim_topo_maker asim_topo_maker_fully_connected = {
    .member = {"fully_connected", "Every host wired to every other, no switch.", options,
               sizeof(struct full_options)},
    .make = make,
};
