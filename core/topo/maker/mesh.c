/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Mesh of any number of dimensions, two by default. With n hosts and sizes k: n routers, n host
 * links and n (k - 1) / k links for each dimension. See core/topo/grid.c.
 */
#include "topo/grid.h"

static const struct asim_option options[] = {ASIM_GRID_OPTIONS("2"), {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    return asim_grid_make(topo, hosts, (struct asim_grid_form){2, 0}, opt, err);
}

const struct asim_topo_maker asim_topo_maker_mesh = {
    .member = {"mesh", "Mesh: routers in a grid of any number of dimensions, edges open.", options,
               sizeof(struct asim_grid_options)},
    .make = make,
};
