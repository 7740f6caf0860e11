/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts around one switch: the topology of most published ns-3 examples (8 hosts, 400 Gb/s, 500 ns)
 * and of a run without a topology. Link h joins host h to the switch, so port h + 1 of the switch
 * leads to host h, as in ASTRA-sim's example files.
 */
#include <stddef.h>
#include "topo/build.h"

struct switch_options {
    uint32_t hosts;
    uint64_t rate_bps, delay_fs;
    double error_rate;
};

#define ROW(...) ASIM_OPTION(struct switch_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("hosts", U32, hosts, "hosts; default: as many as the run has ranks, else 8", .alias = "g",
        .max = 1 << 24),
    ROW("rate", RATE, rate_bps, "rate of each link", .alias = "bw", .def = "200Gbps", .min = 1,
        .max = 1e15),
    ROW("delay", TIME, delay_fs, "delay of each link", .alias = "l", .def = "500ns"),
    ROW("er", DOUBLE, error_rate, "packets lost on a link, 0..1", .alias = "error_rate", .def = "0",
        .max = 1),
    {0},
};

static int make(struct asim_topo *topo, uint32_t hosts, const void *options_of,
                struct asim_err *err)
{
    const struct switch_options *opt = options_of;
    struct asim_link_spec wire = {opt->rate_bps, opt->delay_fs, opt->error_rate};
    uint32_t n = 0;
    int rc = asim_build_hosts(opt->hosts, hosts, 8, &n, err);

    if (!rc) {
        struct asim_build_size size = {.hosts = n, .switches = 1, .links = n};

        rc = asim_build_nodes(topo, &size, err);
    }
    for (uint32_t h = 0; !rc && h < n; h++)
        rc = asim_build_link(topo, h, n, &wire, err);
    return rc ? rc : asim_topo_finish(topo, err);
}

const struct asim_topo_maker asim_topo_maker_switch = {
    .member = {"switch", "One switch with all hosts around it.", options,
               sizeof(struct switch_options)},
    .make = make,
};
