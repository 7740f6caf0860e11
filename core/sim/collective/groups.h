/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups: METADATA ops and look-ups.
 */
#ifndef ASIM_SIM_COLLECTIVE_GROUPS_H
#define ASIM_SIM_COLLECTIVE_GROUPS_H

#include "sim/sim.h"

/* The group an op names: NULL with *all = 1 for "" and "0", NULL with *all = 0 after failing the
 * rank because there is no such group or this rank is not in it. */
const struct asim_group *asim_group_find(struct asim_rank *rank, const struct asim_op *op,
                                         int *all);
/* Takes the process groups a METADATA op lists; ops that list none are left alone. */
void asim_group_metadata(struct asim_rank *rank, const struct asim_op *op);
void asim_group_fini(struct asim_world *world);

#endif
