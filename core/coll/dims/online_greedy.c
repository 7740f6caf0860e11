/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ascending order with another shape of the all-reduce: reduce-scatters over every dimension and
 * all-gathers back over every dimension (localBWAware only), so that no dimension does both at
 * once and a free one can take whichever chunk comes first.
 */
#include "coll/dims.h"

static void order(const struct asim_dims_view *view, struct asim_dims_state *state,
                  struct asim_dims_pick *pick)
{
    (void)state;
    asim_coll_dims_plain(view, pick);
}

const struct asim_coll_dims asim_coll_dims_online_greedy = {
    .member = {.name = "onlineGreedy",
               .about = "ascending; all-reduce scatters over all dimensions"},
    .scatters_all = 1,
    .order = order,
};
