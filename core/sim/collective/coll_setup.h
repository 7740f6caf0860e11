/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Resolves the names of the system configuration that concern collectives, once.
 */
#ifndef ASIM_SIM_COLLECTIVE_COLL_SETUP_H
#define ASIM_SIM_COLLECTIVE_COLL_SETUP_H

#include "sim/sim.h"

/* Call it after the groups and before the ranks are read. */
int asim_coll_setup(struct asim_world *world, struct asim_err *err);
void asim_coll_fini(struct asim_world *world);

#endif
