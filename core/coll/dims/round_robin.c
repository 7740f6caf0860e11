/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chunk i begins one dimension further than chunk i - 1, so that chunks under way at the same
 * time use different dimensions. The reference's code counts chunks over all collectives of a
 * rank; here the count begins anew with each, because ranks need not have issued the same ones.
 */
#include "coll/dims.h"

static void order(const struct asim_dims_view *view, struct asim_dims_state *state,
                  struct asim_dims_pick *pick)
{
    struct asim_dims_pick plain;

    asim_coll_dims_plain(view, &plain);
    for (uint32_t i = 0; i < view->n; i++)
        pick->order[i] = plain.order[(i + state->chunk) % view->n];
}

const struct asim_coll_dims asim_coll_dims_round_robin = {
    .member = {.name = "roundRobin", .about = "each chunk begins one dimension further"},
    .order = order,
};
