/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ring: every member sends to its next and receives from its previous, one message in flight
 * (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms", 2009; system-layer.md#ring).
 * All-reduce is a reduce-scatter followed by an all-gather, 2(n-1) steps of 1/n of the data.
 * All-to-all forwards everything around the ring in n(n-1)/2 steps, as ASTRA-sim does.
 * Remainders of bytes / n are dropped. parity: ASTRA-sim drops them too.
 *
 * Time of one phase on idle links: all-reduce (2n-1) D + 2(n-1) T + (n-1) R, with D the endpoint
 * delay, T the message's network time and R its reduction; system-layer.md#ring has the other
 * kinds.
 */
#include "coll/pipeline.h"

/* nz = n - 1: every arrival but the last of a cycle is reduced, which for the all-reduce makes
 * exactly the first n - 1 arrivals. */
static int ring_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    uint64_t n = coll->n;

    (void)err;
    plan->msg_bytes = coll->coll_type == ASIM_ALL_GATHER ? coll->bytes : coll->bytes / n;
    plan->steps = n - 1;
    if (coll->coll_type == ASIM_ALL_REDUCE)
        plan->steps = 2 * (n - 1);
    if (coll->coll_type == ASIM_ALL_TO_ALL)
        plan->steps = n * (n - 1) / 2;
    plan->arrivals = plan->steps;
    asim_pipeline_init(plan, 1, n - 1);
    return 0;
}

/* All steps are alike; which block travels makes no difference to time. */
static void ring_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    (void)k;
    step->to = asim_coll_peer(&plan->coll, 1);
    step->from = asim_coll_peer(&plan->coll, plan->coll.n - 1);
    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    step->min_arrivals = 0;
    step->credits = 1;
}

const struct asim_coll_algo asim_coll_algo_ring = {
    .member = {.name = "ring", .about = "neighbour to neighbour, one message in flight"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER |
                  1u << ASIM_ALL_TO_ALL,
    .identical_steps = 1,
    .plan = ring_plan,
    .step = ring_step,
    .arrival = asim_pipeline_arrival,
    .constant_until = asim_pipeline_constant_until,
};
