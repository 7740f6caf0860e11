/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The hooks of algo/bruck.c, for halvingDoubling over a number of members that is no power of two.
 */
#ifndef ASIM_COLL_BRUCK_H
#define ASIM_COLL_BRUCK_H

#include "coll/coll.h"

int asim_bruck_plan(struct asim_plan *plan, struct asim_err *err);
void asim_bruck_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step);
uint64_t asim_bruck_arrival(const struct asim_plan *plan, uint64_t i);

#endif
