/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups: definitions by METADATA ops, and look-ups.
 */
#ifndef ASIM_SIM_COLLECTIVE_GROUPS_H
#define ASIM_SIM_COLLECTIVE_GROUPS_H

#include "sim/sim.h"

/* The group that an op names. NULL with *all = 1 for "" and "0". NULL with *all = 0 after failing
 * the rank, because the group does not exist or this rank is no member. */
const struct asim_group *asim_group_find(struct asim_rank *rank, const struct asim_op *op,
                                         int *all);
/* The position of the rank in the group; group->n if it is no member. */
uint32_t asim_group_position(const struct asim_group *group, uint32_t rank);
/* Reads the process groups that a METADATA op lists, if it lists any. */
void asim_group_metadata(struct asim_rank *rank, const struct asim_op *op);
/* Makes ranks of the run of the ranks of a job. */
void asim_groups_add_first(struct asim_groups *groups, const struct asim_world_job *job);
/* Members that groups of this process's ranks lost, with --allow-missing-ranks. */
size_t asim_groups_left_out(const struct asim_world *world);
void asim_group_fini(struct asim_world *world);

#endif
