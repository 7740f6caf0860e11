/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What processes tell each other after a window of the common grid in which none of their ranks
 * acted, so that they skip periods together (memo/period/common_period.c).
 */
#ifndef ASIM_FABRIC_PROCESSES_PERIOD_VOTE_H
#define ASIM_FABRIC_PROCESSES_PERIOD_VOTE_H

#include <stdint.h>

struct asim_period_vote {
    /* The state at the start of the window was the kept one, and so many periods may be skipped
     * behind the window; 0: none. */
    uint64_t periods;
    uint32_t processes; /* whose votes these are; 0: none */
    uint32_t advances;  /* some message of this process advances in a period */
    uint32_t is_busy;   /* messages are under way, and frames of them moved */
    uint32_t can_keep;  /* the budget allows a snapshot at the end of the window */
};

/* Adds a vote to those of other processes. */
static inline void asim_period_vote_add(struct asim_period_vote *into,
                                        const struct asim_period_vote *vote)
{
    if (!into->processes || vote->periods < into->periods)
        into->periods = vote->periods;
    into->can_keep = (!into->processes || into->can_keep) && vote->can_keep;
    into->advances |= vote->advances;
    into->is_busy |= vote->is_busy;
    into->processes += vote->processes;
}

#endif
