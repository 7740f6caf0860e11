/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Themis with chunks of different sizes: where the loads differ by more than a chunk, the next
 * chunk is made as large as the difference (and no larger than what is left), so that it levels
 * them at once; else a chunk of the usual size goes in plain order.
 */
#include "coll/themis.h"

static void order(const struct asim_dims_view *view, struct asim_dims_state *state,
                  struct asim_dims_pick *pick)
{
    double bytes;

    if (!asim_themis_does(view->kind)) {
        asim_coll_dims_plain(view, pick);
        return;
    }
    asim_themis_sort(view, state, pick);
    bytes = asim_themis_gap_bytes(view, state, pick);
    if (bytes < (double)pick->bytes)
        asim_coll_dims_plain(view, pick);
    else
        pick->bytes = bytes < (double)state->left ? (uint64_t)bytes : state->left;
    asim_themis_charge(view, state, pick);
}

const struct asim_coll_dims asim_coll_dims_offline_greedy_flex = {
    .member = {.name = "offlineGreedyFlex",
               .about = "Themis with chunks as large as the imbalance"},
    .scatters_all = 1,
    .order = order,
};
