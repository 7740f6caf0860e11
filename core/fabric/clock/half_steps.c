/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the two halves of a network, and lets them advance in turn. There are no half-steps where
 * something other than a frame acts on another node sooner than two delays (link events, a short
 * timeout), nor where switches write into per-packet records that hold one window only (INT,
 * digests, timestamps). For the memo, both halves first come to one time before the network is idle
 * or an episode begins; the steady state (steady_state.h) may be one in which they are not at one
 * time.
 */
#include "fabric/clock/half_steps.h"
#include "fabric/clock/hooks.h"
#include "fabric/clock/next_event.h"
#include "fabric/clock/workers.h"
#include "asim/topology.h"
#include "net/ways.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 2 };

/* Breadth first from the hosts; `queue` has room for all nodes. Returns 0 where a link joins two
 * nodes of one half: hosts, or switches in a circle of odd length. A node that no host reaches has
 * nothing to do. */
static int find_halves(const struct asim_topo *topo, uint8_t *half_of, uint32_t *queue)
{
    uint32_t n = topo->hosts;

    memset(half_of, UNKNOWN, topo->nodes);
    for (uint32_t h = 0; h < n; h++) {
        half_of[h] = ASIM_HALF_HOSTS;
        queue[h] = h;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t p = topo->first_port[queue[i]]; p < topo->first_port[queue[i] + 1]; p++) {
            uint32_t peer = topo->ports[p].peer;

            if (half_of[peer] == half_of[queue[i]])
                return 0;
            if (half_of[peer] == UNKNOWN)
                queue[n++] = peer;
            half_of[peer] = !half_of[queue[i]];
        }
    for (uint32_t v = 0; v < topo->nodes; v++)
        half_of[v] %= UNKNOWN;
    return 1;
}

int asim_half_steps_open(struct asim_fabric *fabric)
{
    uint32_t *queue = malloc((fabric->set.nodes + (size_t)1) * sizeof *queue);
    uint8_t *half_of = malloc(fabric->set.nodes + (size_t)1);
    int code = queue && half_of ? 0 : ASIM_ENOMEM;

    asim_engine_of(fabric)->run.half = ASIM_BOTH_HALVES;
    if (!code && fabric->ways & ASIM_WAY_HALF_STEPS &&
        find_halves(fabric->set.topo, half_of, queue))
        fabric->set.half_of = half_of;
    else
        free(half_of);
    free(queue);
    return code;
}

int asim_half_steps_allowed(const struct asim_fabric *fabric)
{
    return fabric->ways & ASIM_WAY_HALVES &&
           asim_workers_lookahead(fabric) == fabric->set.lookahead;
}

enum asim_half_step asim_half_steps_next(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t first = asim_earlier(fabric->schedule.half_next[0], fabric->schedule.half_next[1]);

    if (asim_half_steps_allowed(fabric) && !fabric->set.process_of &&
        first <= ASIM_NEVER - 3 * fabric->set.lookahead &&
        (!fabric->window_hooks || fabric->window_hooks->allows_half_steps(fabric)))
        return ASIM_STEP_ALONE;
    if (engine->run.horizon[0] == engine->run.horizon[1])
        return ASIM_STEP_BOTH;
    return engine->run.horizon[0] < engine->run.horizon[1] ? ASIM_STEP_HOSTS : ASIM_STEP_SWITCHES;
}

/* The half with the earliest event advances by two windows, or less where the other half has an
 * event that could answer sooner. A half that is behind catches up with the other half's horizon,
 * which the bound of half_steps.h allows. */
uint64_t asim_half_steps_begin(struct asim_fabric *fabric, enum asim_half_step step,
                               uint64_t both_until)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const uint64_t *next = fabric->schedule.half_next, window = fabric->set.lookahead;
    uint64_t *horizon = engine->run.horizon;
    int half;

    engine->run.half = ASIM_BOTH_HALVES;
    if (step == ASIM_STEP_BOTH)
        return both_until;
    if (step == ASIM_STEP_ALONE) {
        half = next[ASIM_HALF_SWITCHES] < next[ASIM_HALF_HOSTS];
        horizon[half] = asim_earlier(next[!half], next[half] + window) + window;
        horizon[half] = asim_earlier(horizon[half], engine->livelock.look_at);
    } else {
        half = step == ASIM_STEP_SWITCHES;
        horizon[half] = horizon[!half];
    }
    engine->run.half = half;
    return horizon[half];
}
