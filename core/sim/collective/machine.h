/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The machine of the ranks: NCCL's kernels and proxies take time of their own, whatever the network
 * does. core/nccl tells how long; the network tells what it adds.
 */
#ifndef ASIM_SIM_COLLECTIVE_MACHINE_H
#define ASIM_SIM_COLLECTIVE_MACHINE_H

#include "asim/nccl.h"
#include "sim/sim.h"

/* NCCL's choice for a collective of these members and its times, as asim nccl-tests takes them. 0
 * where the ranks have no machine, or it cannot do this one. */
int asim_world_machine_plan(const struct asim_world *world, const struct asim_nccl_spec *spec,
                            struct asim_nccl_choice *plan);
/* 1 if the machine's GPUs reach each other over their NICs only: then rings that differ in their
 * order would meet at the NICs between servers. */
int asim_world_machine_is_flat(const struct asim_world *world);
/* The spec's `channels` for its algorithm: as the machine has rings or heads, without a machine as
 * many as NCCL has at most. */
uint32_t asim_world_machine_channels(const struct asim_world *world,
                                     const struct asim_nccl_spec *spec);
/* 1 if GPUs hand messages over to the GPU of another NIC (PXN): NCCL over NVLinks, unless its
 * variables say no; RCCL does not by default. */
int asim_world_machine_has_pxn(const struct asim_world *world);
/* 1 if NCCL's variables allow the algorithm, and PXN where the spec has it. */
int asim_world_machine_allows(const struct asim_world *world, const struct asim_nccl_spec *spec);

#endif
