/* SPDX-License-Identifier: GPL-2.0-only
 *
 * COMM_SEND and COMM_RECV ops.
 */
#ifndef ASIM_SIM_OPS_P2P_H
#define ASIM_SIM_OPS_P2P_H

#include "sim/sim.h"

/* 1: the op is over, since what it receives has arrived. */
int asim_p2p_issue(struct asim_rank *rank, uint32_t index, const struct asim_op *op);

#endif
