/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order of what one ns brings. Links are visited as messages pass them, up from their sources
 * and down to their destinations. On a tree no path has two links of one stage, so the order of
 * these does not matter; and members of a ring that are alike come to the same rates, whatever
 * their links are called.
 */
#include "base/sort_u64.h"
#include "net/flow/rings.h"
#include "topo/topo.h"

#include <stdlib.h>

/* Of each node, the links to the nearest host; returns the most. queue: room for all nodes. */
static uint32_t find_heights(const struct asim_topo *topo, uint32_t *height, uint32_t *queue)
{
    uint32_t n = 0;

    for (uint32_t v = 0; v < topo->nodes; v++) {
        height[v] = v < topo->hosts ? 0 : UINT32_MAX;
        if (v < topo->hosts)
            queue[n++] = v;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t p = topo->first_port[queue[i]]; p < topo->first_port[queue[i] + 1]; p++) {
            uint32_t peer = topo->ports[p].peer;

            if (height[peer] == UINT32_MAX) {
                height[peer] = height[queue[i]] + 1;
                queue[n++] = peer;
            }
        }
    return height[queue[n - 1]];
}

/* Stage and number of all links, into keys; height: room for two words a node. */
static void find_keys(const struct asim_fluid *fluid, uint32_t *height, uint64_t *keys)
{
    const struct asim_topo *topo = fluid->topo;
    uint32_t most = find_heights(topo, height, height + topo->nodes);

    for (uint32_t l = 0; l < fluid->n_links; l++) {
        const struct asim_link *link = &topo->links[l / 2];
        uint32_t from = height[l % 2 ? link->b : link->a], to = height[l % 2 ? link->a : link->b];
        uint64_t stage = from < to ? from : from == to ? most : 2 * most - to;

        keys[l] = stage << 32 | l;
    }
}

int asim_fluid_order(struct asim_fluid *fluid)
{
    uint32_t *height = malloc(2 * (size_t)fluid->topo->nodes * sizeof *height);
    uint64_t *keys = malloc(ASIM_SORT_U64_ROOM * (size_t)fluid->n_links * sizeof *keys);
    int failed = !height || !keys || asim_index_set_init(&fluid->work, fluid->n_links);

    fluid->by_order = malloc(fluid->n_links * sizeof *fluid->by_order);
    failed |= !fluid->by_order;
    if (!failed) {
        const uint64_t *sorted;

        find_keys(fluid, height, keys);
        sorted = asim_sort_u64(keys, fluid->n_links);
        for (uint32_t i = 0; i < fluid->n_links; i++) {
            fluid->by_order[i] = (uint32_t)sorted[i];
            fluid->link[fluid->by_order[i]].order = i;
        }
    }
    ASIM_FREE(height, keys);
    return failed ? ASIM_ENOMEM : 0;
}

/* Messages of one ns come to their links in this order, whichever of them began first. */
ASIM_ORDER(by_ends, struct asim_fluid_joining, ->ends, ->id)

void asim_fluid_sort_joining(struct asim_fluid *fluid)
{
    if (fluid->joining.n > 1)
        qsort(fluid->joining.at, fluid->joining.n, sizeof *fluid->joining.at, by_ends);
}

void asim_fluid_come_to_join(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_joining joining = {(uint64_t)flow->msg.src << 32 | flow->msg.dst,
                                         flow->msg.id, flow};

    if (ASIM_VEC_PUSH(fluid->joining, joining))
        fluid->failed = ASIM_ENOMEM;
}
