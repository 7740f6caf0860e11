/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a trace into a graph.
 */
#ifndef ASIM_CONVERTER_DRAW_GRAPH_H
#define ASIM_CONVERTER_DRAW_GRAPH_H

#include "draw/draw.h"

int asim_picture_read(struct asim_picture *graph, const char *path, struct asim_err *err);
/* Also takes an all-zero struct. */
void asim_picture_fini(struct asim_picture *graph);

#endif
