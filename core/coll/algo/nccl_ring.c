/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclRing<G>: NCCL's rings over servers of G GPUs, one channel for each of the G
 * (simai.md#ring-channels and simai.md#ring-flows). Channel c visits a server's members rotated by
 * c, so the channels cross from server to server on different rails and share the NICs; a message
 * is 1/G of a ring's. Without a number it is the topology's servers, or one channel over single
 * GPUs, the plain ring without its reductions.
 *
 * It is run as the flows of coll/nccl_ring.c, each of which waits for the piece of its own channel.
 * Those grow with the square of the members; coll/nccl_plan.c is the same ring for groups too large
 * for that.
 */
#include "coll/nccl.h"

static int plan(struct asim_plan *plan, struct asim_err *err)
{
    return asim_nccl_plan(plan, 0, err);
}

static void step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    asim_nccl_plan_step(plan, 0, k, step);
}

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_RING;
}

const struct asim_coll_algo asim_coll_algo_nccl_ring = {
    .member = {.name = "ncclRing",
               .about = "NCCL's rings, ncclRing<G> G channels over G-GPU servers"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .plan = plan,
    .step = step,
    .arrival = asim_nccl_plan_arrival,
    .flows = flows,
};
