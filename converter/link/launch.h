/* SPDX-License-Identifier: GPL-2.0-only
 *
 * From a GPU operation to the CPU op that launched it.
 */
#ifndef ASIM_CONVERTER_LINK_LAUNCH_H
#define ASIM_CONVERTER_LINK_LAUNCH_H

#include "link/nesting.h"

/* Fills call and parent of every GPU operation. */
int asim_nest_launches(struct asim_kineto *kin, int compat, struct asim_launch_counts *counts,
                       struct asim_err *err);

#endif
