/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Changing one node of a Chakra file while everything else of it, known or not, stays as it was:
 * the record is packed again with other dependencies, duration, id, name or attributes.
 */
#ifndef ASIM_CONVERTER_REPAIR_EDIT_H
#define ASIM_CONVERTER_REPAIR_EDIT_H

#include "base/mem.h"
#include "asim/trace_record.h"
#include "asim/trace.h"

#define ASIM_EDIT_ATTRS 8

struct asim_edit {
    ASIM_VEC(uint64_t) data, ctrl;
    ChakraProtoMsg__AttributeProto value[ASIM_EDIT_ATTRS]; /* attributes set */
    size_t values;
    ASIM_VEC(ChakraProtoMsg__AttributeProto *) list;
    ASIM_VEC(uint8_t) packed;
};

/* Attribute of a node by name, or NULL. */
const ChakraProtoMsg__AttributeProto *asim_edit_attr(const ChakraProtoMsg__Node *node,
                                                     const char *name);
/* Its value as a number; 0 and *value untouched if it is not there or no number. */
int asim_edit_int(const ChakraProtoMsg__Node *node, const char *name, int64_t *value);
const char *asim_edit_text(const ChakraProtoMsg__Node *node, const char *name);

/* Before each node: nothing set, no dependencies. */
void asim_edit_begin(struct asim_edit *edit);
/* Sets an attribute, replacing one of that name. name and text are borrowed until the write. */
void asim_edit_set_int(struct asim_edit *edit, const char *name, int64_t value);
void asim_edit_set_bool(struct asim_edit *edit, const char *name, int value);
void asim_edit_set_text(struct asim_edit *edit, const char *name, const char *text);
/* Writes `node`, whose scalar fields may have been changed in a copy, with the edit's dependencies
 * and attributes. */
int asim_edit_write(struct asim_edit *edit, struct asim_chakra_writer *out,
                    const ChakraProtoMsg__Node *node, struct asim_err *err);
/* The metadata record as it was. */
int asim_edit_metadata(struct asim_edit *edit, struct asim_chakra_writer *out,
                       const ChakraProtoMsg__GlobalMetadata *metadata, struct asim_err *err);
void asim_edit_fini(struct asim_edit *edit);

#endif
