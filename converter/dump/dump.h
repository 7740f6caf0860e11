/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A Chakra trace as JSON, in the three forms that tools exchange (chakra.md#json-forms). Writes
 * record by record: memory is that of the largest node.
 */
#ifndef ASIM_CONVERTER_DUMP_DUMP_H
#define ASIM_CONVERTER_DUMP_DUMP_H

#include <stdio.h>
#include "asim/err.h"
#include "json/value.h"
#include "asim/trace_record.h"

enum asim_dump_form {
    ASIM_DUMP_PROTOBUF, /* chakra_jsonizer's form: objects of protobuf's JSON mapping */
    ASIM_DUMP_WORKLOAD, /* the JSON feeder's form: one object with workload_graph */
    ASIM_DUMP_STG       /* symbolic_tensor_graph's form: one object with nodes */
};

struct asim_dump_result {
    uint64_t nodes, ctrl_deps; /* ctrl_deps: number in the trace; the workload form has none */
};

const ChakraProtoMsg__AttributeProto *asim_node_attr(const ChakraProtoMsg__Node *node,
                                                     const char *name);
/* The value, or `other` if the attribute is absent or not an integer; clamped to the range. */
int64_t asim_node_i64(const ChakraProtoMsg__Node *node, const char *name, int64_t other);
/* Borrowed, or NULL. */
const char *asim_node_text(const ChakraProtoMsg__Node *node, const char *name);
/* The communicator group: pg_name, or the older comm_group as a number, written to room. NULL =
 * none. */
const char *asim_node_group(const ChakraProtoMsg__Node *node, char room[24]);

/* One element of the array, on one line. */
void asim_dump_workload_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node);
void asim_dump_stg_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node);

/* The message in protobuf's JSON mapping, as Python prints it with an indent of 2. */
void asim_dump_message(struct asim_jbuf *buf, const ProtobufCMessage *message);

/* Writes the rest of the trace to file; the caller checks the file for errors. */
int asim_dump_write(struct asim_chakra *trace, enum asim_dump_form form, FILE *file,
                    struct asim_dump_result *result, struct asim_err *err);

#endif
