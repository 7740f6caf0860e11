/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "auto:1d" of Chakra's run scripts: another name of ring. It has a row of its own, so that a name
 * stays a plain look-up.
 */
#include "topo/grid.h"

static const struct asim_option options[] = {ASIM_GRID_OPTIONS("1"), {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    return asim_grid_make(topo, hosts, (struct asim_grid_form){1, 1}, opt, err);
}

const struct asim_topo_maker asim_topo_maker_1d = {
    .member = {"1d", "Name of ring for auto:1d (one dimension, closed).", options,
               sizeof(struct asim_grid_options)},
    .make = make,
};
