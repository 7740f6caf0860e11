/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Themis with chunks of equal size: each chunk takes the dimensions by ascending load, unless the
 * loads differ by less than a sixteenth of a chunk; then it takes them in plain order. Published
 * files also call it "themis".
 */
#include "coll/themis.h"

static void order(const struct asim_dims_view *view, struct asim_dims_state *state,
                  struct asim_dims_pick *pick)
{
    if (!asim_themis_does(view->kind)) {
        asim_coll_dims_plain(view, pick);
        return;
    }
    asim_themis_sort(view, state, pick);
    if (asim_themis_gap_bytes(view, state, pick) < (double)pick->bytes / 16)
        asim_coll_dims_plain(view, pick);
    asim_themis_charge(view, state, pick);
}

const struct asim_coll_dims asim_coll_dims_offline_greedy = {
    .member = {.name = "offlineGreedy", .about = "Themis: least loaded dimension first"},
    .scatters_all = 1,
    .order = order,
};
