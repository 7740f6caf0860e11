/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Starts the ops of a rank that are ready and have a free unit, and ends them.
 */
#ifndef ASIM_SIM_OPS_ISSUE_H
#define ASIM_SIM_OPS_ISSUE_H

#include "sim/sim.h"

/* Issues all ops that may start now. */
void asim_issue_all(struct asim_rank *rank);
/* An op ends: frees its unit, releases its children, issues what may start. */
void asim_op_done(struct asim_rank *rank, uint32_t op);

#endif
