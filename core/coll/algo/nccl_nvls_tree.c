/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclNvlsTree<G>: all-reduce in the NVSwitch of each server, trees over the servers; NVLS alone in
 * one server, rings for other collectives. SimAI has the builder and never chooses it. On networks
 * without NVSwitches a server's data goes straight to its head and back (coll/nccl_tree.c).
 */
#include "coll/coll.h"
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    int one_server = spec->ranks == spec->gpus_per_server;

    spec->algo = one_server ? ASIM_NCCL_NVLS : ASIM_NCCL_NVLS_TREE;
    if (spec->coll_type != ASIM_ALL_REDUCE)
        spec->algo = ASIM_NCCL_RING;
}

const struct asim_coll_algo asim_coll_algo_nccl_nvls_tree = {
    .member = {.name = "ncclNvlsTree",
               .about = "NVLS in each server, trees between them (ncclNvlsTree<G>)"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .flows = flows,
    .nvswitch = 2,
};
