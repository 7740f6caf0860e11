/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares the collectives of all ranks.
 */
#ifndef ASIM_CONVERTER_REPAIR_COMPARE_H
#define ASIM_CONVERTER_REPAIR_COMPARE_H

#include "repair/graph.h"

/* All ranks must run the same collectives in each group; reports the differences and counts them in
 * *problems. */
int asim_repair_compare(struct asim_graph *graphs, size_t n, const struct asim_diagnostics *notes,
                        uint64_t *problems, struct asim_err *err);

#endif
