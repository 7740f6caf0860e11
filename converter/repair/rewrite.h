/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the repaired graph.
 */
#ifndef ASIM_CONVERTER_REPAIR_REWRITE_H
#define ASIM_CONVERTER_REPAIR_REWRITE_H

#include "repair/graph.h"

int asim_graph_write(struct asim_graph *graph, const char *path,
                     const struct asim_repair_options *opt, struct asim_err *err);
/* --simple: communication nodes only, ids from 0, each after the one before. */
int asim_graph_write_simple(struct asim_graph *graph, const char *path,
                            const struct asim_repair_options *opt, struct asim_err *err);

#endif
