/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The innermost dimension first: the reference's only reachable order, and the default. Published
 * files also call it "baseline". An all-gather begins at the outermost.
 */
#include "coll/dims.h"

static void order(const struct asim_dims_view *view, struct asim_dims_state *state,
                  struct asim_dims_pick *pick)
{
    (void)state;
    asim_coll_dims_plain(view, pick);
}

const struct asim_coll_dims asim_coll_dims_ascending = {
    .member = {.name = "ascending", .about = "innermost dimension first"},
    .order = order,
};
