/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What people call nodes and links: tiers, names and classes, for reports. A switch's tier is its
 * distance to the nearest host in links, so leaf switches are tier 1, spines tier 2, cores tier 3.
 * NVSwitches are tier 1 and bring no other switch nearer to hosts. PCIe switches are tier 0, as the
 * host that they are part of.
 */
#ifndef ASIM_TOPO_TIER_H
#define ASIM_TOPO_TIER_H

#include "topo/topo.h"

/* Makes *tier [nodes] of a finished topology: 0 for hosts, UINT8_MAX for a switch that leads to no
 * host. The caller frees it. Linear. 0 or ASIM_ENOMEM. */
int asim_topo_tiers(uint8_t **tier, const struct asim_topo *topo, struct asim_err *err);
/* "host 3", "nvswitch 8", "leaf 9", "spine 12", "core 14", "switch 20", "pcie 3"; the number is the one that
 * users see. Returns buf; 24 bytes are enough. */
const char *asim_topo_node_name(char *buf, size_t size, const struct asim_topo *topo,
                                const uint8_t *tier, uint32_t node);
/* "nvlink", "pcie" inside a host, or the kinds of both ends, the lower tier first: "host-host", "host-leaf", "leaf-leaf",
 * "leaf-spine", "spine-core", … Returns buf; 24 bytes are enough. */
const char *asim_topo_link_class(char *buf, size_t size, const struct asim_topo *topo,
                                 const uint8_t *tier, const struct asim_link *link);

#endif
