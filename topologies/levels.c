/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Computes levels by breadth-first search from all hosts at once: one pass over the ports.
 */
#include "topologies/levels.h"

#include <stdlib.h>

/* All hosts start the search, so a switch gets the distance to its nearest host. The search passes
 * through network switches only; NVSwitches have a level already. */
static void spread(const struct asim_topo *topo, uint8_t *level, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < topo->hosts; v++)
        queue[tail++] = v;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = topo->first_port[v]; i < topo->first_port[v + 1]; i++) {
            uint32_t peer = topo->ports[i].peer;
            if (level[peer] != ASIM_LEVEL_NONE)
                continue;
            level[peer] = level[v] < ASIM_LEVEL_MAX ? (uint8_t)(level[v] + 1) : ASIM_LEVEL_MAX;
            queue[tail++] = peer;
        }
    }
}

/* A byte a node; levels from 253 up count as one. */
uint8_t *asim_levels_of(const struct asim_topo *topo)
{
    uint8_t *level = malloc(topo->nodes ? topo->nodes : 1);
    uint32_t *queue = malloc((topo->nodes ? topo->nodes : 1) * sizeof *queue);
    if (level && queue) {
        for (uint32_t v = 0; v < topo->nodes; v++)
            level[v] = topo->node_type[v] == ASIM_HOST       ? 0
                       : topo->node_type[v] == ASIM_NVSWITCH ? ASIM_LEVEL_NVSWITCH
                                                             : ASIM_LEVEL_NONE;
        spread(topo, level, queue);
    } else {
        free(level);
        level = NULL;
    }
    free(queue);
    return level;
}
