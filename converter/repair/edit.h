/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Changes one node of a Chakra file and keeps everything else in it, known or unknown: packs the
 * record again with other dependencies, duration, id, name or attributes.
 */
#ifndef ASIM_CONVERTER_REPAIR_EDIT_H
#define ASIM_CONVERTER_REPAIR_EDIT_H

#include "base/mem.h"
#include "asim/trace_record.h"
#include "asim/trace.h"

#define ASIM_EDIT_ATTRS 8

struct asim_edit {
    ASIM_VEC(uint64_t) data, ctrl;
    ChakraProtoMsg__AttributeProto value[ASIM_EDIT_ATTRS]; /* the changed attributes */
    size_t values;
    ASIM_VEC(ChakraProtoMsg__AttributeProto *) list;
    ASIM_VEC(uint8_t) packed;
};

/* Attribute of a node by name, or NULL. */
const ChakraProtoMsg__AttributeProto *asim_edit_attr(const ChakraProtoMsg__Node *node,
                                                     const char *name);
/* The value as a number; returns 0 and leaves *value alone if the attribute is missing or not a
 * number. */
int asim_edit_int(const ChakraProtoMsg__Node *node, const char *name, int64_t *value);
const char *asim_edit_text(const ChakraProtoMsg__Node *node, const char *name);

/* The node's time as the simulator takes it: duration_ns before whole microseconds. */
double asim_edit_ns(const ChakraProtoMsg__Node *node);
/* Starts a node: no changed attributes, no dependencies. */
void asim_edit_begin(struct asim_edit *edit);
/* Sets an attribute and replaces one of that name. name and text are borrowed until the write. */
void asim_edit_set_int(struct asim_edit *edit, const char *name, int64_t value);
void asim_edit_set_bool(struct asim_edit *edit, const char *name, int value);
void asim_edit_set_text(struct asim_edit *edit, const char *name, const char *text);
/* Writes `node`, a copy with perhaps changed scalar fields, with the edit's dependencies and
 * attributes. */
int asim_edit_write(struct asim_edit *edit, struct asim_chakra_writer *out,
                    const ChakraProtoMsg__Node *node, struct asim_err *err);
/* Writes the metadata record unchanged. */
int asim_edit_metadata(struct asim_edit *edit, struct asim_chakra_writer *out,
                       const ChakraProtoMsg__GlobalMetadata *metadata, struct asim_err *err);
void asim_edit_fini(struct asim_edit *edit);

#endif
