/* SPDX-License-Identifier: GPL-2.0-only
 *
 * From host nodes to CPU ops.
 */
#ifndef ASIM_CONVERTER_LINK_MATCH_H
#define ASIM_CONVERTER_LINK_MATCH_H

#include "link/link.h"

/* Finds the CPU op of each host node, and parents for orphans. */
int asim_link_match(struct asim_linking *link, struct asim_err *err);

#endif
