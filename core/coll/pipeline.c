/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See pipeline.h. The reference keeps two countdowns and a toggle and changes them at each
 * hand-over; here the same decision is a function of the hand-over's number.
 */
#include "coll/pipeline.h"

void asim_pipeline_init(struct asim_plan *plan, uint32_t p, uint64_t nz)
{
    plan->start_tokens = plan->end_tokens = p;
    plan->burst = p;
    plan->cycle = p + nz;
}

int asim_pipeline_reduces(const struct asim_plan *plan, uint64_t i)
{
    uint64_t handover = plan->burst + i; /* the first `burst` were minted at the start */

    if (handover % plan->cycle < plan->burst)
        return 0;
    if (plan->coll.kind == ASIM_REDUCE_SCATTER)
        return 1;
    return plan->coll.kind == ASIM_ALL_REDUCE && handover / plan->cycle % 2 == 0;
}

uint64_t asim_pipeline_arrival(const struct asim_plan *plan, uint64_t i)
{
    return asim_pipeline_reduces(plan, i) ? plan->msg_bytes : 0;
}
