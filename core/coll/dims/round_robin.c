/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chunk i begins one dimension further than chunk i - 1, so that chunks under way at the same
 * time use different dimensions. ASTRA-sim's code counts chunks over all collectives of a
 * rank; here the count begins anew with each, because ranks need not have issued the same ones.
 */
#include "coll/dims.h"

static void order(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                  struct asim_dims_choice *choice)
{
    struct asim_dims_choice natural;

    asim_coll_dims_natural(context, &natural);
    for (uint32_t i = 0; i < context->n; i++)
        choice->order[i] = natural.order[(i + cursor->chunk) % context->n];
}

const struct asim_coll_dims asim_coll_dims_round_robin = {
    .member = {.name = "roundRobin", .about = "each chunk begins one dimension further"},
    .order = order,
};
