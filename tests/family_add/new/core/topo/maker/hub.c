/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway topology maker with a knob: hosts around one switch.
 */
#include <stddef.h>
#include "topo/build.h"

struct hub_options {
    uint64_t rate_bps;
};

static const struct asim_option options[] = {
    {.key = "speed",
     .type = ASIM_T_RATE,
     .offset = offsetof(struct hub_options, rate_bps),
     .def = "200Gbps",
     .help = "rate of each link"},
    {.key = NULL},
};

static int make(struct asim_topo *topo, uint32_t hosts, const void *options_of,
                struct asim_err *err)
{
    const struct hub_options *opt = options_of;
    struct asim_link_spec wire = {opt->rate_bps, 500000000, 0};
    struct asim_build_size size = {.hosts = hosts ? hosts : 8, .switches = 1};
    int rc;

    size.links = size.hosts;
    rc = asim_build_nodes(topo, &size, err);
    for (uint32_t h = 0; !rc && h < size.hosts; h++)
        rc = asim_build_link(topo, h, size.hosts, &wire, err);
    return rc ? rc : asim_topo_finish(topo, err);
}

const struct asim_topo_maker asim_topo_maker_hub = {
    .member = {"hub", "Hosts around one switch, for a test.", options, sizeof(struct hub_options)},
    .make = make,
};
