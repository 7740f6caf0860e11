/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The innermost dimension first: ASTRA-sim's only reachable order, and the default. Published
 * files also call it "baseline". An all-gather begins at the outermost.
 */
#include "coll/dims.h"

static void order(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                  struct asim_dims_choice *choice)
{
    (void)cursor;
    asim_coll_dims_natural(context, choice);
}

const struct asim_coll_dims asim_coll_dims_ascending = {
    .member = {.name = "ascending", .about = "innermost dimension first"},
    .alias = "baseline",
    .order = order,
};
