/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The error of a run that cannot go on.
 */
#ifndef ASIM_SIM_DISTRIBUTED_STALL_REPORT_H
#define ASIM_SIM_DISTRIBUTED_STALL_REPORT_H

#include "sim/sim.h"

/* 0 where every rank finished and no message is left over. Else the error that names the waiting
 * ranks: ASIM_ESTALL where ranks are stuck. */
int asim_stall_report(const struct asim_world *world, struct asim_err *err);

#endif
