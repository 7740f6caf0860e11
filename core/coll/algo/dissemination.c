/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Dissemination barrier (Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization",
 * 1988): in round k a member tells the one 2^k places on and hears from the one 2^k places back;
 * after ceil(log2 n) rounds everybody has heard of everybody. A message is one byte, whatever size
 * the trace gives the barrier. ASTRA-sim has no barrier.
 *
 * Nobody may leave before everybody has entered: what a member hears in round k carries all that
 * its sender had heard in the rounds before.
 */
#include "coll/coll.h"

/* Steps = ceil(log2 n); each waits for the credit that the last arrival issued. */
static int barrier_plan(struct asim_plan *plan, struct asim_err *err)
{
    (void)err;
    for (uint64_t by = 1; by < plan->coll.n; by <<= 1)
        plan->steps++;
    plan->arrivals = plan->steps;
    plan->msg_bytes = 1;
    plan->start_credits = plan->end_credits = 1;
    return 0;
}

/* 2^k < n for every k planned, so the hop back is positive. */
static void barrier_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    step->to = asim_coll_peer(&plan->coll, 1ull << k);
    step->from = asim_coll_peer(&plan->coll, plan->coll.n - (1ull << k));
    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    step->min_arrivals = 0;
    step->credits = 1;
}

static uint64_t barrier_arrival(const struct asim_plan *plan, uint64_t i)
{
    (void)plan, (void)i;
    return 0;
}

const struct asim_coll_algo asim_coll_algo_dissemination = {
    .member = {.name = "dissemination", .about = "barrier in log2 n rounds"},
    .coll_types = 1u << ASIM_BARRIER,
    .plan = barrier_plan,
    .step = barrier_step,
    .arrival = barrier_arrival,
};
