/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts that run several ranks, or that have a PCIe bus in front of their NICs. A rank runs on a
 * host of its own in memory, so such a host becomes several nodes (servers.c).
 */
#ifndef ASIM_TOPO_SERVERS_H
#define ASIM_TOPO_SERVERS_H

#include "topo/topo.h"

struct asim_topo_servers {
    uint32_t per_host; /* ranks that a host can run */
    int own_nic;       /* rank i of a host has its links i, i + per_host, …; else all share all */
    uint64_t pcie_bps, pcie_fs; /* each way between a rank and the PCIe switch of its host */
};

/* Places rank r on host[r] [ranks], which occurs at most per_host times. Call it once, behind
 * asim_topo_finish and before asim_topo_endpoints, in place of asim_topo_place. */
int asim_topo_place_servers(struct asim_topo *topo, const uint32_t *host, uint32_t ranks,
                            const struct asim_topo_servers *servers, struct asim_err *err);

#endif
