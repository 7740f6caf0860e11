/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The assignment of nodes to workers, one worker a thread.
 */
#ifndef ASIM_FABRIC_CLOCK_WORKERS_H
#define ASIM_FABRIC_CLOCK_WORKERS_H

#include "fabric/node.h"
#include "fabric/clock/thread_team.h"

/* Assigns the nodes of this process to n workers: node v to worker of[v] modulo n; of NULL: one
 * worker. Replaces the workers there were. Call asim_workers_assign_slots (next_event.h) next. 0 or
 * ASIM_ENOMEM. */
int asim_workers_open(struct asim_fabric *fabric, uint32_t n, const uint32_t *of);
void asim_workers_close(struct asim_fabric *fabric);
/* The length of a common window, ticks. Workers joined by long links only go through the windows of
 * links inside them (NVLinks) alone, as domains do. The memo looks at every window. */
static inline uint64_t asim_workers_lookahead(const struct asim_fabric *fabric)
{
    if (!fabric->window_hooks && fabric->workers.domain_lookahead > fabric->set.lookahead)
        return fabric->workers.domain_lookahead;
    return fabric->window_hooks || fabric->workers.lookahead < fabric->set.lookahead
               ? fabric->set.lookahead
               : fabric->workers.lookahead;
}
/* Every worker does a step: side by side on the team, or one after the other on the caller. */
static inline void asim_workers_run(struct asim_fabric *fabric,
                                    void (*step)(void *fabric, uint32_t worker), int together)
{
    if (together)
        asim_thread_team_run(fabric->workers.team, step, fabric);
    else
        for (uint32_t l = 0; l < fabric->workers.n; l++)
            step(fabric, l);
}

#endif
