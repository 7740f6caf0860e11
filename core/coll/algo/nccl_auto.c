/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclAuto<G>: algorithm (ring, tree, NVLS, NVLS tree) and protocol (Simple, LL, LL128) by the
 * least of latency + bytes / bandwidth (coll/nccl.c), chosen anew for every size. Bandwidths and
 * GPU type are the topology's; NVLS is considered for H100 and H800, where NCCL has it switched on.
 * SimAI 1.6 always takes rings; NCCL's own table differs from version to version.
 */
#include "coll/coll.h"
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_TUNED;
    spec->nvls = 1;
}

const struct asim_coll_algo asim_coll_algo_nccl_auto = {
    .member = {.name = "ncclAuto",
               .about = "the quickest of NCCL's algorithms and protocols by size (ncclAuto<G>)"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .flows = flows,
    .nvswitch = 1,
};
