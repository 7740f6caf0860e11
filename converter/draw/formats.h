/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a graph as dot or GraphML.
 */
#ifndef ASIM_CONVERTER_DRAW_FORMATS_H
#define ASIM_CONVERTER_DRAW_FORMATS_H

#include "draw/draw.h"

void asim_picture_dot(const struct asim_picture *graph, struct asim_out *out);
/* compat: of a data and a control dependency between the same nodes only the second is written,
 * because networkx has one edge between two nodes. */
void asim_picture_graphml(const struct asim_picture *graph, int compat, struct asim_out *out);

#endif
