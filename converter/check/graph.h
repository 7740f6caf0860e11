/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The dependencies of one rank.
 */
#ifndef ASIM_CONVERTER_CHECK_GRAPH_H
#define ASIM_CONVERTER_CHECK_GRAPH_H

#include "check/check.h"

/* Checks ids, parents and cycles of one rank. */
void asim_check_graph(struct asim_check *check, uint32_t rank);

#endif
