/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "auto:2d" of Chakra's run scripts: a two-dimensional mesh whose sides are the two closest
 * divisors of the number of hosts (a prime number becomes a line).
 */
#include "topo/grid.h"

static const struct asim_option options[] = {ASIM_GRID_OPTIONS("2"), {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    return asim_grid_make(topo, hosts, (struct asim_grid_form){2, 0}, opt, err);
}

const struct asim_topo_maker asim_topo_maker_2d = {
    .member = {"2d", "Name of mesh for auto:2d (two dimensions, as square as possible).", options,
               sizeof(struct asim_grid_options)},
    .make = make,
};
