/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Starts a COMM_COLL op: makes its chunks.
 */
#ifndef ASIM_SIM_COLLECTIVE_COLL_ISSUE_H
#define ASIM_SIM_COLLECTIVE_COLL_ISSUE_H

#include "sim/sim.h"

void asim_coll_issue(struct asim_rank *rank, uint32_t index, const struct asim_op *op);

#endif
