/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which rank runs on which host. Rank r runs on host r of a topology in memory, so a placement
 * renumbers the hosts; users see the numbers of the topology as it was read (topo/topo.h).
 */
#ifndef ASIM_TOPO_PLACEMENT_H
#define ASIM_TOPO_PLACEMENT_H

#include "topo/topo.h"

/* text: a host for each of `ranks` ranks, separated by commas, or the path of a file of such numbers
 * separated by blanks. Hosts that it does not name follow in their order. Call it once, behind
 * asim_topo_finish and before asim_topo_endpoints. */
int asim_topo_place(struct asim_topo *topo, const char *text, uint32_t ranks,
                    struct asim_err *err);
/* The same with host [ranks], which are different hosts of the topology. */
int asim_topo_place_at(struct asim_topo *topo, const uint32_t *host, uint32_t ranks,
                       struct asim_err *err);

#endif
