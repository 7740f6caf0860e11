/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A Chakra trace as JSON, in the three forms tools exchange (chakra.md#json-forms). A trace is
 * written record by record: memory is that of the largest node, whatever the file's size.
 */
#ifndef ASIM_CONVERTER_DUMP_DUMP_H
#define ASIM_CONVERTER_DUMP_DUMP_H

#include <stdio.h>
#include "asim/err.h"
#include "json/value.h"
#include "asim/trace_record.h"

enum asim_dump_form {
    ASIM_DUMP_PROTOBUF, /* what chakra_jsonizer writes: objects of protobuf's JSON mapping */
    ASIM_DUMP_WORKLOAD, /* what the JSON feeder reads: one object with workload_graph */
    ASIM_DUMP_STG       /* what symbolic_tensor_graph writes: one object with nodes */
};

struct asim_dump_result {
    uint64_t nodes, ctrl_deps; /* ctrl_deps: seen; the workload form has none */
};

/* Writes the rest of the trace to file, which the caller checks for errors. */
int asim_dump_write(struct asim_chakra *trace, enum asim_dump_form form, FILE *file,
                    struct asim_dump_result *result, struct asim_err *err);

/* The message in protobuf's JSON mapping, as Python prints it with an indent of 2. */
void asim_dump_message(struct asim_jbuf *buf, const ProtobufCMessage *message);
/* One element of the array, on one line. */
void asim_dump_workload_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node);
void asim_dump_stg_node(struct asim_jbuf *buf, const ChakraProtoMsg__Node *node);

#endif
