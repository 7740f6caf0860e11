/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the parts of a network, and those of equal structure (part.h).
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_FIND_H
#define ASIM_FABRIC_MEMO_REGION_PART_FIND_H

#include "fabric/memo/region/part.h"

/* Fills parts->at, part_of and number, which have room for all switches and hosts. 0 or
 * ASIM_ENOMEM. */
int asim_part_find_all(struct asim_fabric *fabric, struct asim_parts *parts);

#endif
