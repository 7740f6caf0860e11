/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The dependency graph of one trace as text: graphviz's dot, or GraphML with the bytes of networkx.
 * Nodes come in the order in which they or a dependency on them first appear, edges by their
 * source. Memory: 24 bytes and the name for a node, 40 for an edge.
 */
#ifndef ASIM_CONVERTER_DRAW_DRAW_H
#define ASIM_CONVERTER_DRAW_DRAW_H

#include "base/map.h"
#include "base/mem.h"
#include "base/io/out.h"

enum { ASIM_PICTURE_DATA = 1, ASIM_PICTURE_CTRL = 2 };

struct asim_picture_edge {
    uint32_t target, next; /* next: 1 + the source's following edge, 0 = last */
    uint8_t kinds;         /* bits above */
};

struct asim_picture_node {
    uint64_t id;
    const char *name;     /* NULL: occurs only as a dependency */
    uint32_t first, last; /* edges, 1 + index, 0 = none */
};

struct asim_picture {
    ASIM_VEC(struct asim_picture_node) nodes;
    ASIM_VEC(struct asim_picture_edge) edges;
    struct asim_map by_id, by_ends; /* → 1 + index */
    struct asim_arena names;
};

int asim_picture_read(struct asim_picture *graph, const char *path, struct asim_err *err);
/* Also takes an all-zero struct. */
void asim_picture_fini(struct asim_picture *graph);

void asim_picture_dot(const struct asim_picture *graph, struct asim_out *out);
/* compat: of a data and a control dependency between the same nodes only the second is written,
 * because networkx has one edge between two nodes. */
void asim_picture_graphml(const struct asim_picture *graph, int compat, struct asim_out *out);

#endif
