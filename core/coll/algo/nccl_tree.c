/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclTree<G>: all-reduce up and down a tree over the servers, a chain inside each; one tree per
 * GPU of a server (coll/nccl_tree.c). NCCL has no trees for all-gather and reduce-scatter; they
 * become rings, as with NCCL_ALGO=Tree. Without a number a server is as large as
 * the topology says, or one GPU.
 */
#include "coll/coll.h"
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = spec->coll_type == ASIM_ALL_REDUCE ? ASIM_NCCL_TREE : ASIM_NCCL_RING;
}

const struct asim_coll_algo asim_coll_algo_nccl_tree = {
    .member = {.name = "ncclTree", .about = "NCCL's trees over servers of G GPUs (ncclTree<G>)"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .flows = flows,
};
