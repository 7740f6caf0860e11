/* SPDX-License-Identifier: GPL-2.0-only
 *
 * treeOrRing: a small all-reduce goes through the double binary tree, a large one round the ring,
 * as NCCL chooses between its two (system-layer.md#tree-or-ring). All other collectives take the
 * ring. The choice depends on the members and the bytes of the chunk only, so all members choose
 * alike. The plan is the chosen algorithm's: after plan() this row is not asked again.
 */
#include "coll/coll.h"

extern const struct asim_coll_algo asim_coll_algo_ring, asim_coll_algo_double_binary_tree;

/* Bytes that take as long as a message's latency: 0.7 us at 400 Gb/s, 2.6 us at 100 Gb/s. */
#define LATENCY_BYTES 32768

static uint32_t log2_up(uint32_t n)
{
    uint32_t k = 0;

    while (k < 32 && 1ull << k < n)
        k++;
    return k;
}

/* The tree sends the whole chunk 2 log2(n) times in a row, the ring 1/n of it 2 (n-1) times. */
static int is_tree(const struct asim_coll *coll)
{
    double hops = log2_up(coll->n), steps = coll->n - 1, bytes = (double)coll->bytes;

    return coll->coll_type == ASIM_ALL_REDUCE &&
           hops * (LATENCY_BYTES + bytes) < steps * (LATENCY_BYTES + bytes / coll->n);
}

static int choose_plan(struct asim_plan *plan, struct asim_err *err)
{
    plan->algo = is_tree(&plan->coll) ? &asim_coll_algo_double_binary_tree : &asim_coll_algo_ring;
    return plan->algo->plan(plan, err);
}

static void chosen_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    plan->algo->step(plan, k, step);
}

static uint64_t chosen_arrival(const struct asim_plan *plan, uint64_t i)
{
    return plan->algo->arrival(plan, i);
}

const struct asim_coll_algo asim_coll_algo_tree_or_ring = {
    .member = {.name = "treeOrRing", .about = "double binary tree or ring by size, as NCCL"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .plan = choose_plan,
    .step = chosen_step,
    .arrival = chosen_arrival,
};
