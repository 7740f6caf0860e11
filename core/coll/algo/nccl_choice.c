/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclChoice<G>: on a machine what NCCL takes there by its own cost model, which knows no fabric
 * and is not always the quickest; without a machine ncclAuto. The default of runs that follow NCCL.
 */
#include "coll/coll.h"
#include "coll/nccl.h"

static void flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_TUNED;
    spec->nvls = 1;
}

const struct asim_coll_algo asim_coll_algo_nccl_choice = {
    .member = {.name = "ncclChoice", .about = "what NCCL takes on the machine (ncclChoice<G>)"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER |
                  1u << ASIM_BROADCAST | 1u << ASIM_REDUCE,
    .flows = flows,
    .nvswitch = 1,
};
