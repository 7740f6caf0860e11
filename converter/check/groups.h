/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The collectives of a group, compared between ranks.
 */
#ifndef ASIM_CONVERTER_CHECK_GROUPS_H
#define ASIM_CONVERTER_CHECK_GROUPS_H

#include "check/check.h"

/* Returns the index of the group of that name, and makes it if it is new; negative = out of memory.
 */
int64_t asim_check_group(struct asim_check *check, const char *name, uint32_t rank);
/* Compares the collectives of the current rank with those of the first rank in the group. */
int asim_check_compare(struct asim_check *check, uint32_t rank, struct asim_err *err);
/* After the last rank: reports members that never joined. */
void asim_check_members(struct asim_check *check);

#endif
