/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Themis with chunks of different sizes: where the loads differ by more than a chunk, the next
 * chunk is made as large as the difference (and no larger than what is left), so that it levels
 * them at once; else a chunk of the usual size goes in natural order.
 */
#include "coll/themis.h"

static void order(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                  struct asim_dims_choice *choice)
{
    double bytes;

    if (!asim_themis_does(context->coll_type)) {
        asim_coll_dims_natural(context, choice);
        return;
    }
    asim_themis_sort(context, cursor, choice);
    bytes = asim_themis_gap_bytes(context, cursor, choice);
    if (bytes < (double)choice->bytes)
        asim_coll_dims_natural(context, choice);
    else
        choice->bytes = bytes < (double)cursor->left ? (uint64_t)bytes : cursor->left;
    asim_themis_charge(context, cursor, choice);
}

const struct asim_coll_dims asim_coll_dims_offline_greedy_flex = {
    .member = {.name = "offlineGreedyFlex",
               .about = "Themis with chunks as large as the imbalance"},
    .scatters_all = 1,
    .needs_bandwidth = 1,
    .order = order,
};
