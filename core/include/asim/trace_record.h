/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The records of a Chakra file with all fields and attributes, for programs that show or rewrite a
 * trace. The messages are those of protobuf-c, generated from Chakra's schema; a program that uses
 * this header needs the headers of protobuf-c. asim/trace.h is enough for ops, and for writing.
 */
#ifndef ASIM_TRACE_RECORD_H
#define ASIM_TRACE_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include "asim/chakra.pb-c.h"
#include "asim/err.h"
#include "asim/export.h"
#include "asim/trace.h"

ASIM_C_BEGIN

#define ASIM_CHAKRA_RECORD_MAX (64u << 20) /* bytes of the largest legal record */

/* One open file, plain or gzip. It belongs to one thread at a time. */
struct asim_chakra;

/* Opens the file and reads its metadata record. */
ASIM_API int asim_chakra_open(struct asim_chakra **file, const char *path, struct asim_err *err);
/* The metadata; borrowed until the first asim_chakra_next or _at, NULL afterwards. */
ASIM_API const ChakraProtoMsg__GlobalMetadata *asim_chakra_metadata(const struct asim_chakra *file);
/* Reads the next node. Returns 1 and *node, borrowed until the next call on this file; 0 at the
 * end; or a negative code. The error names the file, the byte and the record. */
ASIM_API int asim_chakra_next(struct asim_chakra *file, const ChakraProtoMsg__Node **node,
                              struct asim_err *err);
/* Reads the node at a position again. Does not change the order of asim_chakra_next. */
ASIM_API int asim_chakra_at(struct asim_chakra *file, uint64_t position,
                            const ChakraProtoMsg__Node **node, struct asim_err *err);
/* Position of the record delivered last: its byte offset, in the inflated bytes of a gzip file. */
ASIM_API uint64_t asim_chakra_tell(const struct asim_chakra *file);
ASIM_API const char *asim_chakra_path(const struct asim_chakra *file);
/* NULL is allowed. */
ASIM_API void asim_chakra_close(struct asim_chakra *file);

/* Whether a node is a collective, a send or a receive. */
static inline int asim_op_is_comm(int type)
{
    return type >= ASIM_OP_COMM_SEND && type <= ASIM_OP_COMM_COLL;
}

/* --- values of attributes ------------------------------------------------------------------- */

/* An attribute has one of thirty types, and each tool writes another type: comm_size as int64 or
 * uint64, is_cpu_op as bool or int32. These functions accept every integer type and bool. */
struct asim_attr_int {
    uint64_t magnitude;
    int negative; /* the value is -magnitude */
};
/* 1 and *value, or 0 if the attribute is not a single integer or bool. */
ASIM_API int asim_attr_int(const ChakraProtoMsg__AttributeProto *attr, struct asim_attr_int *value);
/* Length of a list of integers or bools, or -1. */
ASIM_API int64_t asim_attr_list_length(const ChakraProtoMsg__AttributeProto *attr);
/* Element i of that list if it is a bool, 0 or 1; -1 if it is another number. */
ASIM_API int asim_attr_list_true(const ChakraProtoMsg__AttributeProto *attr, size_t i);
/* The field name of the value in the schema, such as "int64_val"; "no value" if there is none. */
ASIM_API const char *asim_attr_value_name(const ChakraProtoMsg__AttributeProto *attr);

ASIM_C_END
#endif
