/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway collective algorithm: the ring's all-gather in messages of half the size.
 */
#include "coll/pipeline.h"

static int plan_halves(struct asim_plan *plan, struct asim_err *err)
{
    (void)err;
    plan->msg_bytes = plan->coll.bytes / 2;
    plan->steps = plan->arrivals = 2 * (uint64_t)(plan->coll.n - 1);
    asim_pipeline_init(plan, 1, plan->coll.n - 1);
    return 0;
}

static void step_halves(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    (void)k;
    *step = (struct asim_coll_step){.to = asim_coll_peer(&plan->coll, 1),
                                    .from = asim_coll_peer(&plan->coll, plan->coll.n - 1),
                                    .send_bytes = plan->msg_bytes,
                                    .recv_bytes = plan->msg_bytes,
                                    .credits = 1};
}

const struct asim_coll_algo asim_coll_algo_halves = {
    .member = {.name = "halves", .about = "the ring with messages of half the size"},
    .coll_types = 1u << ASIM_ALL_GATHER,
    .identical_steps = 1,
    .plan = plan_halves,
    .step = step_halves,
    .arrival = asim_pipeline_arrival,
};
