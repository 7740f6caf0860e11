/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclSimai<G>: SimAI 1.6's choice with AS_NVLS_ENABLE=1 (simai.md#algorithm-choice): NVLS for an
 * all-reduce of a tensor-parallel group of 8 or more H100 or H800 of one server, rings for
 * everything else, whatever the size. Over several servers SimAI's NVLS has no flows at all and its
 * run ends without a result; here it is a ring. The GPU type is the topology's. A group of
 * neighbours counts as tensor-parallel: members of others are apart.
 */
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_AUTO;
    spec->nvls = 1;
}

const struct asim_coll_algo asim_coll_algo_nccl_simai = {
    .member = {.name = "ncclSimai",
               .about = "SimAI's rule: NVLS in one server of H100 or H800, else rings"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .flows = flows,
    .nvswitch = 1,
};
