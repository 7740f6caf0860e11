/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The graph of asim/topology.h, and its parts that only the packet network uses: endpoints of
 * NVSwitches, and the numbers that users see.
 */
#ifndef ASIM_TOPO_TOPO_H
#define ASIM_TOPO_TOPO_H

#include "asim/topology.h"

struct asim_diagnostics;

/* Gives each NVSwitch of a finished topology a host at which messages can begin and end: the i-th
 * NVSwitch gets host number hosts + i, and the ids of switches move up (endpoint.c). Call it before
 * routes are opened. A second call changes nothing. */
int asim_topo_endpoints(struct asim_topo *topo, struct asim_err *err);
/* The endpoint of NVSwitch v; UINT32_MAX if v is no NVSwitch or has no endpoint. */
uint32_t asim_topo_endpoint_of(const struct asim_topo *topo, uint32_t v);
static inline int asim_topo_is_endpoint(const struct asim_topo *topo, uint32_t node)
{
    return node < topo->hosts && node >= topo->hosts - topo->endpoints;
}
static inline int asim_topo_is_virtual(const struct asim_topo *topo, size_t link)
{
    return link >= topo->n_links - topo->endpoints;
}
/* The node number that users see: the number in the topology as it was read, and for an endpoint
 * the number of its NVSwitch. asim_topo_internal_id is the inverse for hosts and switches. */
static inline uint32_t asim_topo_external_id(const struct asim_topo *topo, uint32_t node)
{
    if (node >= topo->hosts - topo->endpoints) {
        if (node < topo->hosts)
            node = topo->ports[topo->first_port[node]].peer;
        node -= topo->endpoints;
    }
    return topo->shown ? topo->shown[node] : node;
}
static inline uint32_t asim_topo_internal_id(const struct asim_topo *topo, uint32_t shown)
{
    uint32_t node = topo->internal ? topo->internal[shown] : shown;

    return node >= topo->hosts - topo->endpoints ? node + topo->endpoints : node;
}
static inline int asim_topo_is_pcie(const struct asim_topo *topo, uint32_t node)
{
    return node >= topo->nodes - topo->pcie;
}

/* Says which options of a spec, which asim_topo_make has taken, have no effect. */
void asim_topo_make_diagnose(const char *spec, const struct asim_diagnostics *diagnostics);

/* --bandwidth or --latency (`option`, without dashes) for all links but those of NVSwitches: a
 * value where all have the same now, or a factor such as "2x". "CLASS:2x" is for links of a class
 * (tier.h) or `all`; several with commas between. The topology is finished and not yet routed. 0 or
 * ASIM_EINVAL; then some links may have changed. (override.c) */
int asim_topo_override(struct asim_topo *topo, const char *option, const char *text,
                       struct asim_err *err);

/* 1 if v is a switch with at least `ports` ports that all lead to different hosts. */
int asim_topo_is_star(const struct asim_topo *topo, uint32_t v, uint32_t ports);

#endif
