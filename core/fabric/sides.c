/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See sides.h. Not where anything but a frame acts on another node sooner than two delays: link
 * events, a short timeout, what other processes send; nor where switches write for receivers what
 * has room for one window (INT, digests, timestamps). For runs the network is brought to one time
 * before a rest, or an episode; a state that comes again (recur.h) may be one in which the sides
 * are not at one time.
 */
#include "fabric/sides.h"
#include "fabric/lanes.h"
#include "fabric/runs.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 3 };

/* Gives the other end of a link the other side. 1 if that is new, -1 if it has the same one. */
static int spread(uint8_t *side, uint32_t a, uint32_t b)
{
    if (side[a] == UNKNOWN)
        return 0;
    if (side[b] == UNKNOWN) {
        side[b] = !side[a];
        return 1;
    }
    return side[a] == side[b] ? -1 : 0;
}

/* Passes over the links until nothing is new: as many as the network has levels, and those are few.
 * Returns 0 where a circle of odd length, or a link between hosts, leaves no sides. */
static int find(const struct asim_topo *topo, uint8_t *side)
{
    int more = 1;

    memset(side, UNKNOWN, topo->nodes);
    memset(side, 0, topo->hosts);
    while (more) {
        more = 0;
        for (size_t l = 0; l < topo->n_links; l++) {
            int one = spread(side, topo->links[l].a, topo->links[l].b);
            int two = spread(side, topo->links[l].b, topo->links[l].a);

            if (one < 0 || two < 0)
                return 0;
            more |= one | two;
        }
    }
    return 1;
}

int asim_sides_open(struct asim_fabric *fabric)
{
    fabric->side_now = ASIM_BOTH_SIDES;
    fabric->side = malloc(fabric->nodes + (size_t)1);
    if (!fabric->side)
        return ASIM_ENOMEM;
    if (!find(fabric->topo, fabric->side)) {
        free(fabric->side);
        fabric->side = NULL;
    }
    return 0;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Whether sides may go on alone from here. */
static int may(struct asim_fabric *fabric)
{
    return fabric->side && !fabric->per_event && !fabric->part_of && !fabric->links &&
           !fabric->cc->needs && (!fabric->rto || fabric->rto >= 2 * fabric->window) &&
           asim_lane_stride(fabric) == fabric->window &&
           (!fabric->runs || asim_runs_leaves_sides(fabric));
}

enum asim_turn asim_sides_turn(struct asim_fabric *fabric)
{
    uint64_t first = earlier(fabric->first[0], fabric->first[1]);

    if (may(fabric) && first <= ASIM_NEVER - 3 * fabric->window)
        return ASIM_TURN_ALONE;
    if (fabric->reach[0] == fabric->reach[1]) {
        fabric->side_now = ASIM_BOTH_SIDES;
        return ASIM_TURN_BOTH;
    }
    return fabric->reach[0] < fabric->reach[1] ? ASIM_TURN_HOSTS : ASIM_TURN_SWITCHES;
}

/* Who has the earliest event goes on, by two windows, as long as the other has nothing before it
 * that could answer sooner. Who is behind follows as far as the other is: sides.h's bound is never
 * before that. */
uint64_t asim_sides_take(struct asim_fabric *fabric, enum asim_turn turn, uint64_t together)
{
    const uint64_t *first = fabric->first, window = fabric->window;
    int side;

    if (turn == ASIM_TURN_BOTH)
        return together;
    if (turn == ASIM_TURN_ALONE) {
        side = first[1] < first[0];
        fabric->reach[side] = earlier(first[!side], first[side] + window) + window;
    } else {
        side = turn == ASIM_TURN_SWITCHES;
        fabric->reach[side] = fabric->reach[!side];
    }
    fabric->side_now = side;
    return fabric->reach[side];
}
