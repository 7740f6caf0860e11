/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What comes next: each lane finds it for its own nodes, which are in its core's cache, and the
 * caller asks the lanes and no nodes but those where they meet. With two lanes, to go through all
 * nodes on one thread was 7 % of a window of 1,024 hosts.
 */
#include "fabric/lanes.h"
#include "fabric/share.h"

#include <stdlib.h>
#include <string.h>

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

/* Where the next block of `next` begins: no cache line is of two. */
static size_t line_from(size_t at)
{
    const size_t words = ASIM_LINE_BYTES / sizeof(uint64_t);

    return (at + words - 1) / words * words;
}

/* One lane after the other, each in the order of its nodes, so that it looks through its own in one
 * go; then the nodes that no lane has, those of shared switches in a line each. */
static void place_nodes(struct asim_fabric *fabric, uint64_t *next, uint32_t *place)
{
    size_t at = 0;

    memset(place, -1, fabric->nodes * sizeof *place);
    for (uint32_t l = 0; l < fabric->n_lanes; l++) {
        struct asim_lane *lane = &fabric->lane[l];

        lane->next = next + at;
        for (uint32_t i = 0; i < lane->n_nodes; i++)
            place[lane->node[i]] = (uint32_t)at++;
        at = line_from(at);
    }
    for (uint32_t v = 0; v < fabric->nodes; v++) {
        if (place[v] != UINT32_MAX)
            continue;
        place[v] = (uint32_t)at++;
        if (asim_share_has(fabric, v))
            at = line_from(at);
    }
    for (uint32_t v = 0; v < fabric->nodes; v++)
        next[place[v]] = fabric->next ? *asim_next_of(fabric, v) : ASIM_NEVER;
}

int asim_lane_place(struct asim_fabric *fabric)
{
    size_t n = fabric->nodes + line_from(1) * (fabric->n_lanes + fabric->n_shared + (size_t)1);
    uint64_t *next = asim_calloc_lines(n, sizeof *next);
    uint32_t *place = malloc((fabric->nodes + (size_t)1) * sizeof *place);

    if (!next || !place) {
        free(next);
        free(place);
        return ASIM_ENOMEM;
    }
    place_nodes(fabric, next, place);
    free(fabric->next);
    free(fabric->place);
    fabric->next = next;
    fabric->place = place;
    return 0;
}

/* The earliest event of a node, with what its lane has sent it. */
static inline uint64_t take(uint64_t *next, uint64_t *lowered)
{
    uint64_t t = *lowered < *next ? *lowered : *next;

    *next = t;
    *lowered = ASIM_NEVER;
    return t;
}

/* Hosts are of the first side; of switches without a branch on it. */
void asim_lane_know(struct asim_fabric *fabric, struct asim_lane *lane)
{
    uint64_t first[2] = {ASIM_NEVER, ASIM_NEVER};
    uint32_t i = 0;

    for (; i < lane->n_hosts; i++) {
        uint64_t t = take(&lane->next[i], &lane->lowered[lane->node[i]]);

        first[0] = t < first[0] ? t : first[0];
    }
    for (; i < lane->n_nodes; i++) {
        uint32_t v = lane->node[i];
        uint64_t one = 0 - (uint64_t)(fabric->side ? fabric->side[v] : 0);
        uint64_t t = take(&lane->next[i], &lane->lowered[v]), of[2] = {t | one, t | ~one};

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
        uint64_t t = *asim_next_of(fabric, v);

        *asim_next_of(fabric, v) = ASIM_NEVER;
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
