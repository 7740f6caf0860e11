/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What comes next: each lane finds it for its own nodes, which are in its core's cache, and the
 * caller asks the lanes and no nodes but those where they meet. With two lanes, to go through all
 * nodes on one thread was 7 % of a window of 1,024 hosts.
 */
#include "fabric/lanes.h"
#include "fabric/share.h"

#include <stdlib.h>

/* Nodes of this process that the lane does not advance and one of its nodes, or of its desks, is
 * next to. Linear in links for each lane. */
int asim_lane_list_far(struct asim_fabric *fabric, struct asim_lane *lane)
{
    uint8_t *own = calloc(fabric->nodes + (size_t)1, 1);

    lane->far = malloc((fabric->nodes + (size_t)1) * sizeof *lane->far);
    for (uint32_t i = 0; own && i < lane->n_nodes; i++)
        own[lane->node[i]] = 1;
    for (size_t w = 0; own && lane->far && w < fabric->topo->n_links * 2; w++) {
        const struct asim_link *link = &fabric->topo->links[w / 2];
        uint32_t from = w % 2 ? link->b : link->a, to = w % 2 ? link->a : link->b;

        if ((own[from] != 1 && !asim_share_has(fabric, from)) || own[to] ||
            !asim_fabric_owns(fabric, to))
            continue;
        own[to] = 2; /* listed */
        lane->far[lane->n_far++] = to;
    }
    free(own);
    return own && lane->far ? 0 : ASIM_ENOMEM;
}

/* The earliest event of a node, with what its lane has sent it. */
static inline uint64_t take(uint64_t *next, uint64_t *lowered, uint32_t v)
{
    uint64_t t = lowered[v] < next[v] ? lowered[v] : next[v];

    next[v] = t;
    lowered[v] = ASIM_NEVER;
    return t;
}

/* Hosts are of the first side; of switches without a branch on it. */
void asim_lane_know(struct asim_fabric *fabric, struct asim_lane *lane)
{
    uint64_t first[2] = {ASIM_NEVER, ASIM_NEVER};
    uint32_t i = 0;

    for (; i < lane->n_hosts; i++) {
        uint64_t t = take(fabric->next, lane->lowered, lane->node[i]);

        first[0] = t < first[0] ? t : first[0];
    }
    for (; i < lane->n_nodes; i++) {
        uint32_t v = lane->node[i];
        uint64_t one = 0 - (uint64_t)(fabric->side ? fabric->side[v] : 0);
        uint64_t t = take(fabric->next, lane->lowered, v), of[2] = {t | one, t | ~one};

        first[0] = of[0] < first[0] ? of[0] : first[0];
        first[1] = of[1] < first[1] ? of[1] : first[1];
    }
    lane->first[0] = first[0];
    lane->first[1] = first[1];
}

uint64_t asim_lane_next(struct asim_fabric *fabric, struct asim_lane *lane)
{
    asim_lane_know(fabric, lane);
    return lane->first[lane->first[1] < lane->first[0]];
}

/* Shared switches are no lane's, and what was sent to others' nodes is nowhere yet. */
void asim_lanes_know(struct asim_fabric *fabric)
{
    fabric->first[0] = fabric->first[1] = ASIM_NEVER;
    fabric->first_known = 1;
    for (uint32_t i = 0; i < fabric->n_shared; i++) {
        uint32_t v = fabric->shared[i]->node;
        uint64_t t = fabric->next[v];

        fabric->next[v] = ASIM_NEVER;
        asim_fabric_at(fabric, v, t);
    }
    for (uint32_t l = 0; l < fabric->n_lanes; l++) {
        struct asim_lane *lane = &fabric->lane[l];

        for (int side = 0; side < 2; side++)
            if (lane->first[side] < fabric->first[side])
                fabric->first[side] = lane->first[side];
        for (uint32_t i = 0; i < lane->n_far; i++) {
            uint64_t *t = &lane->lowered[lane->far[i]];

            if (*t == ASIM_NEVER) /* without a look at the node */
                continue;
            asim_fabric_at(fabric, lane->far[i], *t);
            *t = ASIM_NEVER;
        }
    }
}
