/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclAuto<G>: the ring, ring with PXN, tree, NVLS or NVLS tree that the network finishes first, by
 * an estimate from its routes (sim/collective/nccl_choice.c), chosen anew for every group and size.
 * NVLS is considered where NVSwitches reduce. On a machine the time of NCCL's kernels counts, too;
 * NCCL itself may take another one (ncclChoice). SimAI 1.6 always takes rings.
 */
#include "coll/coll.h"
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_TUNED;
    spec->nvls = 1;
    spec->quickest = 1;
}

const struct asim_coll_algo asim_coll_algo_nccl_auto = {
    .member = {.name = "ncclAuto",
               .about = "the quickest of NCCL's algorithms on this network (ncclAuto<G>)"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER |
                  1u << ASIM_BROADCAST | 1u << ASIM_REDUCE,
    .flows = flows,
    .nvswitch = 1,
};
