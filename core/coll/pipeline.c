/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Decides for each hand-over whether it reduces. ASTRA-sim keeps two countdowns and a toggle and
 * changes them at each hand-over; here the same decision is a function of the hand-over's number.
 *
 * Example: a ring of 4 doing an all-reduce has p = 1, nz = 3. Hand-overs 1 2 3 reduce, 4 begins the
 * next cycle and passes on, 5 and 6 belong to the half that does not reduce: six arrivals, three
 * reductions, as the formula of system-layer.md#ring has it.
 */
#include "coll/pipeline.h"

/* cycle in 64 bits: in a sub-group `direct` has nz = (n-1)^2, more than 32 bits from 65,537 members
 * on. */
void asim_pipeline_init(struct asim_plan *plan, uint32_t p, uint64_t nz)
{
    plan->start_credits = plan->end_credits = p;
    plan->burst = p;
    plan->cycle = p + nz;
    plan->no_reduction =
        plan->coll.coll_type != ASIM_REDUCE_SCATTER && plan->coll.coll_type != ASIM_ALL_REDUCE;
}

/* Hand-over i of ASTRA-sim's insert(): z of them pass on, then nz reduce, and the toggle says
 * whether this cycle of an all-reduce is its reducing half (system-layer.md#credit-engine). */
int asim_pipeline_reduces(const struct asim_plan *plan, uint64_t i)
{
    uint64_t at = plan->burst + i; /* the first `burst` were issued at the start */
    uint64_t half = 0;

    if (plan->coll.coll_type != ASIM_REDUCE_SCATTER && plan->coll.coll_type != ASIM_ALL_REDUCE)
        return 0;
    if (at >= plan->cycle) { /* a ring has two cycles at most, and no need for a division */
        half = at < 2 * plan->cycle ? 1 : at / plan->cycle;
        at -= half * plan->cycle;
    }
    return at >= plan->burst && (plan->coll.coll_type == ASIM_REDUCE_SCATTER || half % 2 == 0);
}

/* arrival() changes only at the end of the passing part of a cycle, and at the end of the cycle. */
uint64_t asim_pipeline_constant_until(const struct asim_plan *plan, uint64_t i)
{
    uint64_t at = (plan->burst + i) % plan->cycle;

    return i + (at < plan->burst ? plan->burst : plan->cycle) - at;
}

/* Constant cost per call. The reduction counts the bytes of this message. */
uint64_t asim_pipeline_arrival(const struct asim_plan *plan, uint64_t i)
{
    return asim_pipeline_reduces(plan, i) ? plan->msg_bytes : 0;
}
