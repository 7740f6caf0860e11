/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order in which links are visited: as messages pass them, up from their sources and down to
 * their destinations. On a tree no path has two links of one stage, so the order of these does not
 * matter; and members of a ring that are alike come to the same rates, whatever their links are
 * called.
 */
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

int asim_fluid_find_stages(struct asim_fluid *fluid)
{
    const struct asim_topo *topo = fluid->topo;
    uint32_t *height = malloc(2 * (size_t)topo->nodes * sizeof *height), most;

    if (!height)
        return ASIM_ENOMEM;
    most = find_heights(topo, height, height + topo->nodes);
    for (uint32_t l = 0; l < fluid->n_links; l++) {
        const struct asim_link *link = &topo->links[l / 2];
        uint32_t from = height[l % 2 ? link->b : link->a], to = height[l % 2 ? link->a : link->b];

        fluid->link[l].stage = from < to ? from : from == to ? most : 2 * most - to;
    }
    free(height);
    return 0;
}
