/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Starts the ready ops of a rank that have a free slot, and ends ops.
 */
#ifndef ASIM_SIM_OPS_ISSUE_H
#define ASIM_SIM_OPS_ISSUE_H

#include "sim/sim.h"

/* Issues all ops that may start now. */
void asim_issue_all(struct asim_rank *rank);
/* Begins the first round of a rank. */
void asim_issue_first(struct asim_rank *rank);
/* Storage has read or written what the rank waited for. */
void asim_issue_after_storage(struct asim_rank *rank);
/* Ends an op: frees its slot, releases its children, issues ops that may start. */
void asim_op_done(struct asim_rank *rank, uint32_t op);

#endif
