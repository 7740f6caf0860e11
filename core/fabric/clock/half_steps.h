/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Half-steps: windows of twice the lookahead, in which one half of the network advances at a time.
 * In most networks the graph is bipartite: every link joins the hosts' half (hosts, and all nodes
 * an even number of links away from them) and the switches' half. A half acts on itself only
 * through the other half, two delays later. So while one half stands still, the other may advance
 * by two windows: a node is called half as often, with twice as much to do in each call.
 *
 * Let S and O be the earliest events of the half and of the other half, and W the lookahead:
 * nothing reaches the half before min(O, S + W) + W. Several processes, each of which knows its own
 * events only, alternate on a grid of W instead (../grid.h).
 */
#ifndef ASIM_FABRIC_CLOCK_HALF_STEPS_H
#define ASIM_FABRIC_CLOCK_HALF_STEPS_H

#include "fabric/clock/engine.h"
#include "fabric/ground/ground.h"

/* Values of run.half: whose window it is. */
enum asim_half { ASIM_HALF_HOSTS, ASIM_HALF_SWITCHES, ASIM_BOTH_HALVES };

/* The next window. */
enum asim_half_step {
    ASIM_STEP_BOTH,  /* a full step: both halves are at one time, and advance together */
    ASIM_STEP_ALONE, /* a half-step: the half with the earliest event advances */
    /* Both halves should go on together, and this half, which is behind, catches up first. */
    ASIM_STEP_HOSTS,
    ASIM_STEP_SWITCHES
};

/* Finds the two halves; set.half_of stays NULL where there are none. 0 or ASIM_ENOMEM. Linear in
 * nodes and links. */
int asim_half_steps_open(struct asim_fabric *fabric);
/* Whether this network may take half-steps at all. */
int asim_half_steps_allowed(const struct asim_fabric *fabric);
/* The next window's kind; call before each window, with run.half_next valid. */
enum asim_half_step asim_half_steps_next(const struct asim_fabric *fabric);
/* Begins that window: sets run.half and returns the window's end, which is `both_until` where both
 * halves advance. */
uint64_t asim_half_steps_begin(struct asim_fabric *fabric, enum asim_half_step step,
                               uint64_t both_until);
/* Whether node v advances in this window, if it has anything to do. */
static inline int asim_half_steps_includes(const struct asim_fabric *fabric, uint32_t v)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    return engine->run.half == ASIM_BOTH_HALVES || fabric->set.half_of[v] == engine->run.half;
}

#endif
