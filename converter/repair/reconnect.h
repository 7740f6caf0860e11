/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Connections through removed nodes.
 */
#ifndef ASIM_CONVERTER_REPAIR_RECONNECT_H
#define ASIM_CONVERTER_REPAIR_RECONNECT_H

#include "repair/graph.h"

/* Connects nodes that were connected through removed nodes. */
int asim_graph_reconnect(struct asim_graph *graph, struct asim_err *err);

#endif
