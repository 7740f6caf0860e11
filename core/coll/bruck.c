/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See algo/bruck.c. One credit circulates, so a member posts one receive at a time, and messages of
 * later steps wait.
 *
 * The bytes of step k follow from k, so a plan stores nothing; members differ in their partners
 * only.
 */
#include "coll/bruck.h"

/* Steps of one direction: ceil(log2 n). */
static uint32_t rounds_of(uint32_t n)
{
    uint32_t rounds = 0;

    while ((1ull << rounds) < n)
        rounds++;
    return rounds;
}

/* 1 while step k belongs to the reduce-scatter. */
static int is_scatter(const struct asim_plan *plan, uint64_t k)
{
    if (plan->coll.coll_type == ASIM_ALL_REDUCE)
        return k < plan->steps / 2;
    return plan->coll.coll_type == ASIM_REDUCE_SCATTER;
}

/* Distance of the partners of step k: it halves in a reduce-scatter and doubles in an all-gather.
 */
static uint32_t distance_of(const struct asim_plan *plan, uint64_t k)
{
    uint32_t rounds = rounds_of(plan->coll.n);

    if (is_scatter(plan, k))
        return 1u << (rounds - 1 - (uint32_t)k);
    return 1u << (k % rounds);
}

static uint64_t bytes_of(const struct asim_plan *plan, uint64_t k)
{
    uint32_t distance = distance_of(plan, k), rest = plan->coll.n - distance;

    return plan->msg_bytes * (distance < rest ? distance : rest);
}

int asim_bruck_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;

    if (coll->coll_type == ASIM_ALL_GATHER && coll->bytes > UINT64_MAX / coll->n)
        return asim_err_set(err, ASIM_EINVAL,
                            "an all-gather of %llu bytes from each of %u members is more than 64 "
                            "bits can count",
                            (unsigned long long)coll->bytes, coll->n);
    plan->msg_bytes = coll->coll_type == ASIM_ALL_GATHER ? coll->bytes : coll->bytes / coll->n;
    plan->steps = rounds_of(coll->n) * (coll->coll_type == ASIM_ALL_REDUCE ? 2u : 1u);
    plan->arrivals = plan->steps;
    plan->start_credits = plan->end_credits = 1;
    return 0;
}

void asim_bruck_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    uint32_t n = plan->coll.n, distance = distance_of(plan, k);
    uint32_t on = asim_coll_peer(&plan->coll, distance);
    uint32_t back = asim_coll_peer(&plan->coll, n - distance);
    int scatter = is_scatter(plan, k);

    step->to = scatter ? on : back;
    step->from = scatter ? back : on;
    step->send_bytes = step->recv_bytes = bytes_of(plan, k);
    step->min_arrivals = 0;
    step->credits = 1;
}

uint64_t asim_bruck_arrival(const struct asim_plan *plan, uint64_t i)
{
    return is_scatter(plan, i) ? bytes_of(plan, i) : 0;
}
