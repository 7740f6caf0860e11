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

#endif
