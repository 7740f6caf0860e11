/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A ring is a torus of one dimension. With n hosts: n routers, n host links, and n ring links for n
 * > 2 (one for n = 2). A router has 3 ports. core/topo/grid.c says why hosts do not forward.
 */
#include "topo/grid.h"

static const struct asim_option options[] = {ASIM_GRID_OPTIONS("1"), {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    return asim_grid_make(topo, hosts, (struct asim_grid_form){1, 1}, opt, err);
}

const struct asim_topo_maker asim_topo_maker_ring = {
    .member = {"ring", "Ring: each host's router joined to the next, the last to the first.",
               options, sizeof(struct asim_grid_options)},
    .make = make,
};
