/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclSimaiPxn<G>: as ncclSimai<G>, with AS_PXN_ENABLE=1 as well: what goes over rings goes as of
 * ncclPxn<G>.
 */
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_AUTO;
    spec->nvls = 1;
    spec->pxn = spec->coll_type != ASIM_ALL_GATHER;
}

const struct asim_coll_algo asim_coll_algo_nccl_simai_pxn = {
    .member = {.name = "ncclSimaiPxn",
               .about = "SimAI's rule with PXN: NVLS in one server of H100 or H800, else rings"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .flows = flows,
    .nvswitch = 1,
};
