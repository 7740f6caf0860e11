/* SPDX-License-Identifier: GPL-2.0-only
 *
 * MEM_LOAD and MEM_STORE ops: memory of the rank, and memory servers that ranks share.
 */
#ifndef ASIM_SIM_OPS_MEMORY_H
#define ASIM_SIM_OPS_MEMORY_H

#include "sim/sim.h"

void asim_memory_issue(struct asim_rank *rank, uint32_t index, const struct asim_op *op);
int asim_memory_setup(struct asim_world *world, struct asim_err *err);
void asim_memory_fini(struct asim_world *world);
/* The memory server starts its next request. */
void asim_memory_next(struct asim_rank *rank, uint32_t server);

#endif
