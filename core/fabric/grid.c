/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See grid.h.
 */
#include "fabric/grid.h"
#include "fabric/parallel/exchange.h"
#include "fabric/parallel/half_steps.h"
#include "fabric/step.h"

/* Links shorter than those between processes would need more than two halves. */
int asim_grid_may_use_half_steps(const struct asim_fabric *fabric)
{
    return asim_half_steps_allowed(fabric) &&
           asim_to_ticks(fabric, asim_exchange_lookahead(fabric)) == fabric->set.lookahead;
}

void asim_grid_use_half_steps(struct asim_fabric *fabric)
{
    fabric->dist.half_steps = 1;
}

/* For each half the first of its windows that ends behind its first event. That window is not over:
 * the half's events lie behind its last window, and behind the begin of the other half's. */
uint64_t asim_grid_next(struct asim_fabric *fabric)
{
    uint64_t t = asim_fabric_next(fabric), lookahead = asim_exchange_lookahead(fabric);
    uint64_t next = ASIM_NEVER;

    if (t == ASIM_NEVER || !fabric->dist.half_steps)
        return t == ASIM_NEVER ? t : t - t % lookahead;
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t k = fabric->run.half_next[half] / fabric->set.lookahead;

        k += k % 2 != half;
        if (fabric->run.half_next[half] != ASIM_NEVER && k * lookahead < next)
            next = k * lookahead;
    }
    return next;
}

int asim_grid_advance(struct asim_fabric *fabric, uint64_t until_ns, struct asim_err *err)
{
    uint64_t until = asim_to_ticks(fabric, until_ns);

    if (fabric->dist.half_steps)
        return asim_fabric_advance_half(fabric, until_ns / asim_exchange_lookahead(fabric) % 2 == 0,
                                        until, err);
    fabric->dist.limit = until;
    while (!fabric->run.failed && asim_fabric_next_tick(fabric) < until)
        asim_fabric_step(fabric, err);
    return fabric->run.failed;
}
