/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The tree of callers, and the walk that orders each thread.
 */
#ifndef ASIM_CONVERTER_CONVERT_TREE_H
#define ASIM_CONVERTER_CONVERT_TREE_H

#include "convert/convert.h"

/* Finds children and roots; breaks cycles of callers. */
int asim_convert_tree(struct asim_convert *cv, struct asim_err *err);
/* Walks the tree and adds the dependencies of each thread. */
int asim_convert_walk(struct asim_convert *cv, struct asim_err *err);
/* The parent of a node as an index, or ASIM_NONE (none, itself, not in the file). */
uint32_t asim_convert_parent(const struct asim_convert *cv, uint32_t node);
const char *asim_convert_name(const struct asim_convert *cv, uint32_t node);
/* Adds an edge. Returns 0 or ASIM_ENOMEM. */
int asim_convert_edge(struct asim_convert *cv, uint32_t to, uint32_t from);

#endif
