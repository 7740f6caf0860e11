/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Nodes that a simulator cannot run; cycles.
 */
#ifndef ASIM_CONVERTER_REPAIR_FILTER_H
#define ASIM_CONVERTER_REPAIR_FILTER_H

#include "repair/graph.h"

/* Removes nodes as the options say; counts each under its reason. */
int asim_graph_filter(struct asim_graph *graph, const struct asim_repair_options *opt,
                      struct asim_err *err);
/* Breaks and reports cycles, and fills topo. */
int asim_graph_order(struct asim_graph *graph, const struct asim_repair_options *opt,
                     struct asim_err *err);

#endif
