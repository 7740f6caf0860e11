/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Attributes of a node by name, with the defaults of readers, for any type of number. The first
 * attribute of a name counts.
 */
#ifndef ASIM_CONVERTER_DUMP_ATTR_H
#define ASIM_CONVERTER_DUMP_ATTR_H

#include "asim/trace_record.h"

const ChakraProtoMsg__AttributeProto *asim_node_attr(const ChakraProtoMsg__Node *node,
                                                     const char *name);
/* The value, or `other` if the attribute is absent or not an integer; clamped to the range. */
int64_t asim_node_i64(const ChakraProtoMsg__Node *node, const char *name, int64_t other);
/* Borrowed, or NULL. */
const char *asim_node_text(const ChakraProtoMsg__Node *node, const char *name);
/* The communicator group: pg_name, or the older comm_group as a number, written to room. NULL =
 * none. */
const char *asim_node_group(const ChakraProtoMsg__Node *node, char room[24]);

#endif
