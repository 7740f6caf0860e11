/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The members of named groups.
 */
#ifndef ASIM_CONVERTER_CHECK_NAMED_H
#define ASIM_CONVERTER_CHECK_NAMED_H

#include "check/check.h"

/* Keeps the groups that a METADATA node lists. Returns the problem with them, ASIM_CHECK_FINE, or
 * negative = out of memory. */
int asim_check_metadata(struct asim_check *check, const struct asim_op *op);
/* Sorts the METADATA nodes of the current rank into the order in which they run. */
void asim_check_sort_defs(struct asim_check *check);
/* After all ops of the rank: checks the members of the collective's group. Returns the problem or
 * ASIM_CHECK_FINE. */
int asim_check_named(struct asim_check *check, uint32_t rank, const struct asim_check_coll *coll);

#endif
