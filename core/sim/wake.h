/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs what a rank has to do at the present time: the one place where kinds of rank events become
 * calls.
 */
#ifndef ASIM_SIM_WAKE_H
#define ASIM_SIM_WAKE_H

#include "sim/sim.h"

/* The network wakes the rank: runs all its events of now. */
void asim_rank_wake(struct asim_rank *rank);

#endif
