/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Values of Chakra attributes as numbers and texts, whatever kind the writer chose: one tool
 * writes comm_size as int64, another as uint64, is_cpu_op comes as bool or int32. Any integer or
 * bool gives an integer or a bool; a floating-point value never does (spec chakra.md 1.5).
 *
 * Attributes are a oneof of thirty kinds, and traces use whichever their writer's language liked
 * best; this is where that stops mattering.
 */
#ifndef ASIM_TRACE_CHAKRA_ATTR_H
#define ASIM_TRACE_CHAKRA_ATTR_H

#include <stddef.h>
#include <stdint.h>
#include "trace/chakra/chakra.pb-c.h"

struct asim_attr_int {
    uint64_t magnitude;
    int negative; /* the value is -magnitude */
};

/* 1 and *value, or 0 if the attribute holds no single integer or bool. */
int asim_attr_int(const ChakraProtoMsg__AttributeProto *attr, struct asim_attr_int *value);
/* Length of an integer or bool list, or -1 if the attribute is none. */
int64_t asim_attr_list_length(const ChakraProtoMsg__AttributeProto *attr);
/* Is element i of that list not zero? */
int asim_attr_list_true(const ChakraProtoMsg__AttributeProto *attr, size_t i);
/* "an int64_val", "a double_list", "no value": for messages. */
const char *asim_attr_kind(const ChakraProtoMsg__AttributeProto *attr);

#endif
