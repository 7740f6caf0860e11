/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Common steps of the makers. Sizes are computed in 64 bits and checked before any allocation: a
 * slip in an option ("psn=4000000") ends in an error and not in a machine that swaps.
 *
 * A maker calls asim_build_hosts (how many), asim_build_nodes (with the exact number of links),
 * asim_build_link for each link in the order of the ports, and asim_topo_finish. On failure the
 * caller frees the topology.
 */
#include "topo/build.h"

#include <inttypes.h>

/* Hosts, then NVSwitches, then switches: rank r is node r, as in published files. */
int asim_build_nodes(struct asim_topo *topo, const struct asim_build_size *size,
                     struct asim_err *err)
{
    if (size->hosts > ASIM_BUILD_MAX_NODES || size->nvswitches > ASIM_BUILD_MAX_NODES ||
        size->switches > ASIM_BUILD_MAX_NODES ||
        size->hosts + size->nvswitches + size->switches > ASIM_BUILD_MAX_NODES)
        return asim_err_set(err, ASIM_EINVAL,
                            "this topology would have %" PRIu64 " hosts, %" PRIu64
                            " NVSwitches and %" PRIu64 " switches; at most %" PRIu64
                            " nodes are made: ask for fewer.",
                            size->hosts, size->nvswitches, size->switches, ASIM_BUILD_MAX_NODES);
    if (size->links > ASIM_BUILD_MAX_LINKS)
        return asim_err_set(err, ASIM_EINVAL,
                            "this topology would have %" PRIu64 " links; at most %" PRIu64
                            " are made: ask for fewer hosts or switches.",
                            size->links, ASIM_BUILD_MAX_LINKS);
    uint32_t hosts = (uint32_t)size->hosts, nv = (uint32_t)size->nvswitches;
    uint32_t nodes = hosts + nv + (uint32_t)size->switches;
    int rc = asim_topo_nodes(topo, nodes, err);
    if (rc)
        return rc;
    for (uint32_t v = hosts; v < nodes; v++)
        topo->node_type[v] = v < hosts + nv ? ASIM_NVSWITCH : ASIM_SWITCH;
    return 0;
}

/* The order of calls is the order of ports at both ends. */
int asim_build_link(struct asim_topo *topo, uint32_t a, uint32_t b,
                    const struct asim_link_spec *wire, struct asim_err *err)
{
    struct asim_link link = {.a = a,
                             .b = b,
                             .rate_bps = wire->rate_bps,
                             .delay_fs = wire->delay_fs,
                             .error_rate = wire->error_rate};
    return asim_topo_link(topo, &link, err);
}

/* A topology may have more hosts than the run has ranks, never fewer. given goes before asked,
 * asked before usual. */
int asim_build_hosts(uint32_t given, uint32_t asked, uint32_t usual, uint32_t *hosts,
                     struct asim_err *err)
{
    if (given && asked > given)
        return asim_err_set(
            err, ASIM_EINVAL,
            "the topology has %u hosts but %u ranks need one each: raise g or leave it out.", given,
            asked);
    *hosts = given ? given : asked ? asked : usual;
    return 0;
}
