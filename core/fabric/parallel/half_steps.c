/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See half_steps.h. Not where anything but a frame acts on another node sooner than two delays:
 * link events, a short timeout; nor where switches write for receivers what has room for one window
 * (INT, digests, timestamps). For runs the network is brought to one time before a rest, or an
 * episode; a state that comes again (steady_state.h) may be one in which the sides are not at one
 * time.
 */
#include "fabric/parallel/half_steps.h"
#include "fabric/parallel/workers.h"
#include "fabric/memo/memo.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 2 };

/* From the hosts outwards; `line` has room for all nodes. 0 where a link joins two of one side:
 * hosts, or switches in a circle of odd length. What no host can reach has nothing to do. */
static int find(const struct asim_topo *topo, uint8_t *side, uint32_t *line)
{
    uint32_t n = topo->hosts;

    memset(side, UNKNOWN, topo->nodes);
    for (uint32_t h = 0; h < n; h++) {
        side[h] = 0;
        line[h] = h;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t p = topo->first_port[line[i]]; p < topo->first_port[line[i] + 1]; p++) {
            uint32_t peer = topo->ports[p].peer;

            if (side[peer] == side[line[i]])
                return 0;
            if (side[peer] == UNKNOWN)
                line[n++] = peer;
            side[peer] = !side[line[i]];
        }
    for (uint32_t v = 0; v < topo->nodes; v++)
        side[v] %= UNKNOWN;
    return 1;
}

int asim_half_steps_open(struct asim_fabric *fabric)
{
    uint32_t *line = malloc((fabric->set.nodes + (size_t)1) * sizeof *line);
    uint8_t *side = malloc(fabric->set.nodes + (size_t)1);
    int code = line && side ? 0 : ASIM_ENOMEM;

    fabric->run.half = ASIM_BOTH_HALVES;
    if (!code && !(fabric->set.without & ASIM_FAST_HALF_STEPS) &&
        find(fabric->set.topo, side, line))
        fabric->set.half_of = side;
    else
        free(side);
    free(line);
    return code;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int asim_half_steps_allowed(const struct asim_fabric *fabric)
{
    return fabric->set.half_of && !fabric->run.per_event && !fabric->link_events &&
           !fabric->set.cc->needs &&
           (!fabric->set.rto || fabric->set.rto >= 2 * fabric->set.lookahead) &&
           asim_workers_lookahead(fabric) == fabric->set.lookahead;
}

enum asim_half_step asim_half_steps_next(const struct asim_fabric *fabric)
{
    uint64_t first = earlier(fabric->run.half_next[0], fabric->run.half_next[1]);

    if (asim_half_steps_allowed(fabric) && !fabric->dist.part_of &&
        first <= ASIM_NEVER - 3 * fabric->set.lookahead &&
        (!fabric->memo || asim_memo_allows_half_steps(fabric)))
        return ASIM_STEP_ALONE;
    if (fabric->run.horizon[0] == fabric->run.horizon[1])
        return ASIM_STEP_BOTH;
    return fabric->run.horizon[0] < fabric->run.horizon[1] ? ASIM_STEP_HOSTS : ASIM_STEP_SWITCHES;
}

/* Who has the earliest event goes on, by two windows, as long as the other has nothing before it
 * that could answer sooner. Who is behind follows as far as the other is: half_steps.h's bound is
 * never before that. */
uint64_t asim_half_steps_begin(struct asim_fabric *fabric, enum asim_half_step turn,
                               uint64_t together)
{
    const uint64_t *first = fabric->run.half_next, window = fabric->set.lookahead;
    int side;

    fabric->run.half = ASIM_BOTH_HALVES;
    if (turn == ASIM_STEP_BOTH)
        return together;
    if (turn == ASIM_STEP_ALONE) {
        side = first[1] < first[0];
        fabric->run.horizon[side] = earlier(first[!side], first[side] + window) + window;
    } else {
        side = turn == ASIM_STEP_SWITCHES;
        fabric->run.horizon[side] = fabric->run.horizon[!side];
    }
    fabric->run.half = side;
    return fabric->run.horizon[side];
}
