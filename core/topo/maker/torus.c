/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Torus of any number of dimensions, two by default. With n hosts: n routers, n host links and n
 * links for each dimension of size above 2 (n / 2 for size 2). See core/topo/grid.c.
 */
#include "topo/grid.h"

static const struct asim_option options[] = {ASIM_GRID_OPTIONS("2"), {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    return asim_grid_make(topo, hosts, (struct asim_grid_form){2, 1}, opt, err);
}

const struct asim_topo_maker asim_topo_maker_torus = {
    .member = {"torus", "Torus: a mesh whose dimensions close (ndims=3 or dims=4x4x4 for 3-D).",
               options, sizeof(struct asim_grid_options)},
    .make = make,
};
