/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclPxn<G>: ncclRing<G> whose crossings to another server go over NVLink first, to the GPU on the
 * destination's rail (simai.md#pxn). For all-gather SimAI never switches it on; neither is it
 * here. A group with one member in each server has no other GPU to hand over to: a plain ring.
 * Groups whose flows would be too many are run from coll/nccl_plan.c, as for ncclRing.
 */
#include "coll/nccl.h"

static int plan(struct asim_plan *plan, struct asim_err *err)
{
    return asim_nccl_plan(plan, 1, err);
}

static void step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    asim_nccl_plan_step(plan, 1, k, step);
}

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_RING;
    spec->pxn = spec->coll_type != ASIM_ALL_GATHER;
}

const struct asim_coll_algo asim_coll_algo_nccl_pxn = {
    .member = {.name = "ncclPxn",
               .about = "NCCL's rings with PXN over servers of G GPUs (ncclPxn<G>)"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .plan = plan,
    .step = step,
    .arrival = asim_nccl_plan_arrival,
    .flows = flows,
};
