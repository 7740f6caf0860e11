/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The assignment of nodes to workers, one worker a thread.
 */
#ifndef ASIM_FABRIC_CLOCK_WORKERS_H
#define ASIM_FABRIC_CLOCK_WORKERS_H

#include "fabric/clock/engine.h"
#include "fabric/clock/thread_team.h"

/* Assigns the nodes of this process to n workers: node v to worker of[v] modulo n; of NULL: one
 * worker. Replaces the workers there were. 0 or ASIM_ENOMEM. */
int asim_workers_open(struct asim_fabric *fabric, uint32_t n, const uint32_t *of);
void asim_workers_close(struct asim_fabric *fabric);
/* The length of a common window, ticks. Workers joined by long links only go through the windows of
 * links inside them (NVLinks) alone, as domains do. The memo looks at every window. */
static inline uint64_t asim_workers_lookahead(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    if (!fabric->window_hooks && engine->workers.domain_lookahead > fabric->set.lookahead)
        return engine->workers.domain_lookahead;
    return fabric->window_hooks || engine->workers.lookahead < fabric->set.lookahead
               ? fabric->set.lookahead
               : engine->workers.lookahead;
}
/* Every worker does a step: side by side on the team, or one after the other on the caller. */
static inline void asim_workers_run(struct asim_fabric *fabric,
                                    void (*step)(void *fabric, uint32_t worker), int together)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    if (together)
        asim_thread_team_run(engine->workers.team, step, fabric);
    else
        for (uint32_t l = 0; l < engine->workers.n; l++)
            step(fabric, l);
}

#endif
