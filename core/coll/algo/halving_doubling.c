/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recursive halving and doubling (Thakur, Rabenseifner and Gropp, "Optimization of Collective
 * Communication Operations in MPICH", 2005; system-layer.md#halving-doubling). Partners are at
 * distance 1, 2, 4 …; a reduce-scatter halves the message each step, an all-gather starts at n/2
 * and doubles it, an all-reduce does one and then the other. parity: a reduction is charged for the
 * next message's size, and the last halving step's not at all.
 *
 * Where n is no power of two (partners would not agree, and ASTRA-sim waits for ever) Bruck's
 * algorithm takes its place: as many steps, rounded up, and as many bytes.
 *
 * Steps: log2 n for a reduce-scatter or all-gather, twice that for an all-reduce; bytes: (n-1)/n of
 * the data each way, as the ring, in fewer and larger messages over longer distances.
 */
#include "coll/bruck.h"
#include "coll/pipeline.h"

/* Rounded down; n is at least 1. */
static uint32_t log2_of(uint32_t n)
{
    uint32_t k = 0;

    while (n >>= 1)
        k++;
    return k;
}

/* Whether n is a power of two. */
static int is_even(const struct asim_plan *plan)
{
    return !(plan->coll.n & (plan->coll.n - 1));
}

/* nz = k - 1: of the k halving steps, the first hands on without reducing
 * (system-layer.md#halving-doubling). */
static int hd_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t k = log2_of(coll->n);

    if (!is_even(plan))
        return asim_bruck_plan(plan, err);
    plan->steps = plan->arrivals = coll->coll_type == ASIM_ALL_REDUCE ? 2 * k : k;
    asim_pipeline_init(plan, 1, k - 1);
    return 0;
}

/* Which halving level step k exchanges at: distance 2^level. */
static uint32_t level_of(const struct asim_plan *plan, uint64_t k)
{
    uint32_t levels = log2_of(plan->coll.n);

    if (plan->coll.coll_type == ASIM_ALL_GATHER)
        return levels - 1 - (uint32_t)k % levels;
    if (k >= 2 * (uint64_t)levels) /* the bus asks for the size of a step after the last */
        return 0;
    return k < levels ? (uint32_t)k : 2 * levels - 1 - (uint32_t)k;
}

/* Halving is applied step by step, so that odd sizes truncate as ASTRA-sim's do. parity: an
 * all-reduce halves once more than it sends before it doubles again, so a remainder is lost on the
 * way back (14,285 bytes among 4: 7142, 3571, 3570, 7140). */
static uint64_t bytes_of(const struct asim_plan *plan, uint64_t k)
{
    uint32_t levels = log2_of(plan->coll.n);

    if (plan->coll.coll_type == ASIM_ALL_GATHER)
        return plan->coll.bytes << k;
    if (k < levels || plan->coll.coll_type == ASIM_REDUCE_SCATTER)
        return plan->coll.bytes >> (k + 1);
    return plan->coll.bytes >> (levels + 1) << (k - levels + 1);
}

/* Partners differ in one bit of their position, so both name each other at the same step. */
static void hd_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    uint32_t distance, index = plan->coll.index;

    if (!is_even(plan)) {
        asim_bruck_step(plan, k, step);
        return;
    }
    distance = 1u << level_of(plan, k);
    step->to = step->from = index / distance % 2 ? index - distance : index + distance;
    step->send_bytes = step->recv_bytes = bytes_of(plan, k);
    step->min_arrivals = 0;
    step->credits = 1;
}

/* The credit of arrival i lets step i + 1 go. */
static uint64_t hd_arrival(const struct asim_plan *plan, uint64_t i)
{
    if (!is_even(plan))
        return asim_bruck_arrival(plan, i);
    return asim_pipeline_reduces(plan, i) ? bytes_of(plan, i + 1) : 0;
}

const struct asim_coll_algo asim_coll_algo_halving_doubling = {
    .member = {.name = "halvingDoubling", .about = "partners at distance 1, 2, 4 …"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .plan = hd_plan,
    .step = hd_step,
    .arrival = hd_arrival,
};
