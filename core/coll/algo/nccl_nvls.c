/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclNvls<G>: all-reduce reduced in the NVSwitch (simai.md#nvls), in one server only; other
 * collectives are rings. Quarters go up one after the other and come down from the NVSwitch when
 * all have sent theirs. On networks without NVSwitches, analytical ones included, a rank's way up
 * and its neighbour's way down are one flow (coll/nccl_ring.c): 4/5 of the time at large sizes.
 */
#include "coll/coll.h"
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = spec->coll_type == ASIM_ALL_REDUCE ? ASIM_NCCL_NVLS : ASIM_NCCL_RING;
}

const struct asim_coll_algo asim_coll_algo_nccl_nvls = {
    .member = {.name = "ncclNvls",
               .about = "NVLS: all-reduce in the NVSwitch of one server (ncclNvls<G>)"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .flows = flows,
    .nvswitch = 2,
};
