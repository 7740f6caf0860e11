/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs the events of a rank at the present time: the one place where kinds of rank events become
 * calls.
 */
#ifndef ASIM_SIM_WAKE_H
#define ASIM_SIM_WAKE_H

#include "sim/sim.h"

/* Runs all events of the rank at the present time. The network calls it. */
void asim_rank_wake(struct asim_rank *rank);

#endif
