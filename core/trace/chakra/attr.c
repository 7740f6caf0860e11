/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads attributes of decoded nodes. protobuf-c keeps the number of the set member in value_case,
 * and each list as a message of its own type with the same layout: a count and a pointer to
 * elements whose width depends on the type. The functions copy nothing.
 */
#include "asim/trace_record.h"

#define KIND(name) CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_##name

/* 0 - (uint64_t)value is right for INT64_MIN, too, where -value is undefined. */
static struct asim_attr_int of_signed(int64_t value)
{
    struct asim_attr_int made = {(uint64_t)value, value < 0};
    if (made.negative)
        made.magnitude = 0 - made.magnitude;
    return made;
}

/* ASTRA-sim casts any value (chakra.md#attributes); here sign and size are kept, so that the caller
 * can refuse. */
int asim_attr_int(const ChakraProtoMsg__AttributeProto *attr, struct asim_attr_int *value)
{
    *value = (struct asim_attr_int){0, 0};
    switch (attr->value_case) {
    case KIND(INT32_VAL):
    case KIND(SINT32_VAL):
    case KIND(SFIXED32_VAL):
        *value = of_signed(attr->int32_val);
        return 1;
    case KIND(INT64_VAL):
    case KIND(SINT64_VAL):
    case KIND(SFIXED64_VAL):
        *value = of_signed(attr->int64_val);
        return 1;
    case KIND(UINT32_VAL):
    case KIND(FIXED32_VAL):
        value->magnitude = attr->uint32_val;
        return 1;
    case KIND(UINT64_VAL):
    case KIND(FIXED64_VAL):
        value->magnitude = attr->uint64_val;
        return 1;
    case KIND(BOOL_VAL):
        value->magnitude = attr->bool_val != 0;
        return 1;
    default:
        return 0;
    }
}

int64_t asim_attr_list_length(const ChakraProtoMsg__AttributeProto *attr)
{
    switch (attr->value_case) {
    case KIND(INT32_LIST):
    case KIND(SINT32_LIST):
    case KIND(SFIXED32_LIST):
        return (int64_t)attr->int32_list->n_values;
    case KIND(UINT32_LIST):
    case KIND(FIXED32_LIST):
        return (int64_t)attr->uint32_list->n_values;
    case KIND(INT64_LIST):
    case KIND(SINT64_LIST):
    case KIND(SFIXED64_LIST):
        return (int64_t)attr->int64_list->n_values;
    case KIND(UINT64_LIST):
    case KIND(FIXED64_LIST):
        return (int64_t)attr->uint64_list->n_values;
    case KIND(BOOL_LIST):
        return (int64_t)attr->bool_list->n_values;
    default:
        return -1;
    }
}

static int64_t list_item(const ChakraProtoMsg__AttributeProto *attr, size_t i)
{
    switch (attr->value_case) {
    case KIND(BOOL_LIST):
        return attr->bool_list->values[i] != 0;
    case KIND(INT32_LIST):
    case KIND(SINT32_LIST):
    case KIND(SFIXED32_LIST):
        return attr->int32_list->values[i];
    case KIND(UINT32_LIST):
    case KIND(FIXED32_LIST):
        return attr->uint32_list->values[i];
    case KIND(INT64_LIST):
    case KIND(SINT64_LIST):
    case KIND(SFIXED64_LIST):
        return attr->int64_list->values[i];
    default:
        return attr->uint64_list->values[i] > 1 ? -1 : (int64_t)attr->uint64_list->values[i];
    }
}

/* i is below asim_attr_list_length. */
int asim_attr_list_true(const ChakraProtoMsg__AttributeProto *attr, size_t i)
{
    int64_t item = list_item(attr, i);
    return item == 0 || item == 1 ? (int)item : -1;
}

const char *asim_attr_value_name(const ChakraProtoMsg__AttributeProto *attr)
{
    const ProtobufCFieldDescriptor *row = NULL;
    if (attr->value_case != KIND(_NOT_SET))
        row = protobuf_c_message_descriptor_get_field(
            &chakra_proto_msg__attribute_proto__descriptor, (unsigned)attr->value_case);
    return row ? row->name : "no value";
}
