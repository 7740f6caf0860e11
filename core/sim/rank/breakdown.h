/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Each instant of a rank, from 0 to its finish, in exactly one class: the first of the list below
 * that holds. So the classes add up to the finish time (system-layer.md#where-the-time-goes).
 */
#ifndef ASIM_SIM_RANK_BREAKDOWN_H
#define ASIM_SIM_RANK_BREAKDOWN_H

#include "sim/sim.h"

enum asim_time_class {
    ASIM_TIME_HIDDEN,  /* a GPU computation runs, and a communication beside it */
    ASIM_TIME_COMPUTE, /* a GPU computation runs alone */
    ASIM_TIME_EXPOSED, /* a communication whose partners are all ready */
    ASIM_TIME_MEMORY,  /* a remote load or store */
    ASIM_TIME_CPU,     /* a CPU op */
    ASIM_TIME_WAITING, /* a communication that waits for a rank to join, or for its send */
    ASIM_TIME_IDLE,    /* no op */
    ASIM_TIME_CLASSES
};

struct asim_rank_time {
    uint64_t ns[ASIM_TIME_CLASSES];
};

/* Adds the observer that divides the time of all ranks. Observers added later may call
 * asim_breakdown_of at ASIM_EV_RANK_DONE. A second call does nothing. 0 or ASIM_ENOMEM. */
int asim_breakdown_open(struct asim_world *world, struct asim_err *err);
/* A finished rank's times, borrowed until the world closes. NULL without asim_breakdown_open. */
const struct asim_rank_time *asim_breakdown_of(const struct asim_world *world, uint32_t rank);
/* NULL is fine. */
void asim_breakdown_free(struct asim_breakdown *breakdown);

#endif
