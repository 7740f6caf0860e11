/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclDirect: all-to-all the way SimAI makes it (simai.md#ring-flows): a flow from everybody to
 * everybody else, all started at once, each after its endpoint delay. `direct`, which follows
 * ASTRA-sim, starts without one. Servers do not matter to it: members may lie anywhere.
 */
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_DIRECT;
}

const struct asim_coll_algo asim_coll_algo_nccl_direct = {
    .member = {.name = "ncclDirect", .about = "all-to-all as one flow a pair, all at once"},
    .coll_types = 1u << ASIM_ALL_TO_ALL,
    .flows = flows,
};
