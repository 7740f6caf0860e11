/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks that all members of a group issue the same collective.
 */
#ifndef ASIM_SIM_COLLECTIVE_CONSISTENCY_H
#define ASIM_SIM_COLLECTIVE_CONSISTENCY_H

#include "sim/sim.h"

/* Adds the observer that compares members. 0 or ASIM_ENOMEM. */
int asim_consistency_open(struct asim_world *world);
/* Notes collectives whose members have different sizes. */
void asim_consistency_diagnose(struct asim_world *world);
void asim_consistency_fini(struct asim_world *world);

#endif
