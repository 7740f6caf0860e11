/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Resolves the names of the system configuration that concern collectives, once.
 */
#ifndef ASIM_SIM_COLLECTIVE_COLL_SETUP_H
#define ASIM_SIM_COLLECTIVE_COLL_SETUP_H

#include "sim/sim.h"

/* Applies --algorithm to the lists of the system configuration, before asim_coll_setup. text: NULL
 * = not given. 0, ASIM_EINVAL or ASIM_ENOMEM. (algorithm_option.c) */
int asim_algorithm_option(struct asim_world *world, const char *text, struct asim_err *err);
/* Call it after the groups and before the ranks are read. */
int asim_coll_setup(struct asim_world *world, struct asim_err *err);
/* Also closes groups, graphs and NVSwitches. */
void asim_coll_fini(struct asim_world *world);

#endif
