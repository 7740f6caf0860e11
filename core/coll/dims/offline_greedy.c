/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Themis with chunks of equal size: each chunk takes the dimensions by ascending load, unless the
 * loads differ by less than a sixteenth of a chunk; then it takes them in natural order. Published
 * files also call it "themis".
 */
#include "coll/themis.h"

static void order(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                  struct asim_dims_choice *choice)
{
    if (!asim_themis_does(context->coll_type)) {
        asim_coll_dims_natural(context, choice);
        return;
    }
    asim_themis_sort(context, cursor, choice);
    if (asim_themis_gap_bytes(context, cursor, choice) < (double)choice->bytes / 16)
        asim_coll_dims_natural(context, choice);
    asim_themis_charge(context, cursor, choice);
}

const struct asim_coll_dims asim_coll_dims_offline_greedy = {
    .member = {.name = "offlineGreedy", .about = "Themis: least loaded dimension first"},
    .alias = "themis",
    .scatters_all = 1,
    .needs_bandwidth = 1,
    .order = order,
};
