/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ascending order with another shape of the all-reduce: reduce-scatters over every dimension and
 * all-gathers back over every dimension (localBWAware only), so that no dimension does both at
 * once and a free one can take whichever chunk comes first.
 */
#include "coll/dims.h"

static void order(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                  struct asim_dims_choice *choice)
{
    (void)cursor;
    asim_coll_dims_natural(context, choice);
}

const struct asim_coll_dims asim_coll_dims_online_greedy = {
    .member = {.name = "onlineGreedy",
               .about = "ascending; all-reduce scatters over all dimensions"},
    .scatters_all = 1,
    .order = order,
};
