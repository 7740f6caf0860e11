/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Attributes of a node by name, with the defaults of readers, for any type of number. The first
 * attribute of a name counts. Lookup is a scan: nodes have a handful of attributes.
 */
#include "dump/dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const ChakraProtoMsg__AttributeProto *asim_node_attr(const ChakraProtoMsg__Node *node,
                                                     const char *name)
{
    for (size_t i = 0; i < node->n_attr; i++)
        if (node->attr[i]->name && !strcmp(node->attr[i]->name, name))
            return node->attr[i];
    return NULL;
}

int64_t asim_node_i64(const ChakraProtoMsg__Node *node, const char *name, int64_t other)
{
    const ChakraProtoMsg__AttributeProto *attr = asim_node_attr(node, name);
    struct asim_attr_int value;
    if (!attr || !asim_attr_int(attr, &value))
        return other;
    if (value.magnitude > INT64_MAX)
        return value.negative ? INT64_MIN : INT64_MAX;
    return value.negative ? -(int64_t)value.magnitude : (int64_t)value.magnitude;
}

const char *asim_node_text(const ChakraProtoMsg__Node *node, const char *name)
{
    const ChakraProtoMsg__AttributeProto *attr = asim_node_attr(node, name);
    if (!attr || attr->value_case != CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_VAL)
        return NULL;
    return attr->string_val;
}

const char *asim_node_group(const ChakraProtoMsg__Node *node, char room[24])
{
    const char *name = asim_node_text(node, "pg_name");
    if (name && *name)
        return name;
    if (!asim_node_attr(node, "comm_group"))
        return NULL;
    snprintf(room, 24, "%" PRId64, asim_node_i64(node, "comm_group", 0));
    return room;
}
