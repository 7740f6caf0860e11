/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the dimension orders share. See dims.h. An all-gather goes the other way round, so that it
 * undoes a reduce-scatter: the data is smallest while it crosses the outer, slower dimensions.
 *
 * Costs nothing per message: an order is asked once per chunk, when its phases are laid out.
 */
#include "coll/dims.h"

/* The enum is that of conf/, which knows spellings but no rows; this is where the two meet. */
const struct asim_coll_dims *asim_coll_dims_find(int inter_dim, struct asim_err *err)
{
    static const char *const names[] = {
        [ASIM_INTER_ASCENDING] = "ascending",
        [ASIM_INTER_ROUND_ROBIN] = "roundRobin",
        [ASIM_INTER_ONLINE_GREEDY] = "onlineGreedy",
        [ASIM_INTER_OFFLINE_GREEDY] = "offlineGreedy",
        [ASIM_INTER_OFFLINE_GREEDY_FLEX] = "offlineGreedyFlex",
    };

    return (const struct asim_coll_dims *)asim_family_find(
        asim_coll_dims_table, "inter-dimension scheduling", names[inter_dim], err);
}

void asim_coll_dims_plain(const struct asim_dims_view *view, struct asim_dims_pick *pick)
{
    for (uint32_t i = 0; i < view->n; i++)
        pick->order[i] = view->kind == ASIM_ALL_GATHER ? view->n - 1 - i : i;
}
