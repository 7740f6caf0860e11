/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A node is a shallow copy of its record with other arrays, packed by protobuf-c: fields of later
 * schemas are kept, which a field-by-field rewrite would lose.
 */
#include "repair/edit.h"

#include <stdlib.h>
#include <string.h>
#include "asim/trace_record.h"

const ChakraProtoMsg__AttributeProto *asim_edit_attr(const ChakraProtoMsg__Node *node,
                                                     const char *name)
{
    for (size_t i = 0; i < node->n_attr; i++)
        if (!strcmp(node->attr[i]->name, name))
            return node->attr[i];
    return NULL;
}

int asim_edit_int(const ChakraProtoMsg__Node *node, const char *name, int64_t *value)
{
    const ChakraProtoMsg__AttributeProto *attr = asim_edit_attr(node, name);
    struct asim_attr_int number;

    if (!attr || !asim_attr_int(attr, &number) || number.magnitude > INT64_MAX)
        return 0;
    *value = number.negative ? -(int64_t)number.magnitude : (int64_t)number.magnitude;
    return 1;
}

const char *asim_edit_text(const ChakraProtoMsg__Node *node, const char *name)
{
    const ChakraProtoMsg__AttributeProto *attr = asim_edit_attr(node, name);

    return attr && attr->value_case == CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_VAL
               ? attr->string_val
               : "";
}

double asim_edit_ns(const ChakraProtoMsg__Node *node)
{
    int64_t ns = 0;

    asim_edit_int(node, "duration_ns", &ns);
    return ns > 0 ? (double)ns : (double)node->duration_micros * 1000;
}

void asim_edit_begin(struct asim_edit *edit)
{
    edit->data.n = edit->ctrl.n = edit->values = 0;
}

static ChakraProtoMsg__AttributeProto *slot(struct asim_edit *edit, const char *name)
{
    ChakraProtoMsg__AttributeProto *attr = &edit->value[edit->values++];

    chakra_proto_msg__attribute_proto__init(attr);
    attr->name = (char *)(uintptr_t)name; /* protobuf-c's structs are not const; it only reads */
    return attr;
}

void asim_edit_set_int(struct asim_edit *edit, const char *name, int64_t value)
{
    ChakraProtoMsg__AttributeProto *attr = slot(edit, name);

    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_INT64_VAL;
    attr->int64_val = value;
}

void asim_edit_set_bool(struct asim_edit *edit, const char *name, int value)
{
    ChakraProtoMsg__AttributeProto *attr = slot(edit, name);

    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_BOOL_VAL;
    attr->bool_val = value;
}

void asim_edit_set_text(struct asim_edit *edit, const char *name, const char *text)
{
    ChakraProtoMsg__AttributeProto *attr = slot(edit, name);

    attr->value_case = CHAKRA_PROTO_MSG__ATTRIBUTE_PROTO__VALUE_STRING_VAL;
    attr->string_val = (char *)(uintptr_t)text;
}

static int is_set(const struct asim_edit *edit, const char *name)
{
    for (size_t i = 0; i < edit->values; i++)
        if (!strcmp(edit->value[i].name, name))
            return 1;
    return 0;
}

/* One buffer for all records. */
static int pack(struct asim_edit *edit, struct asim_chakra_writer *out,
                const ProtobufCMessage *message, struct asim_err *err)
{
    size_t size = protobuf_c_message_get_packed_size(message);

    if (ASIM_VEC_RESERVE(edit->packed, size + 1))
        return asim_err_nomem(err, "writing a node");
    protobuf_c_message_pack(message, edit->packed.at);
    return asim_chakra_writer_bytes(out, edit->packed.at, size, err);
}

int asim_edit_write(struct asim_edit *edit, struct asim_chakra_writer *out,
                    const ChakraProtoMsg__Node *node, struct asim_err *err)
{
    ChakraProtoMsg__Node copy = *node;
    int code = 0;

    edit->list.n = 0;
    for (size_t i = 0; i < node->n_attr && !code; i++)
        if (!is_set(edit, node->attr[i]->name))
            code = ASIM_VEC_PUSH(edit->list, node->attr[i]);
    for (size_t i = 0; i < edit->values && !code; i++)
        code = ASIM_VEC_PUSH(edit->list, &edit->value[i]);
    if (code)
        return asim_err_nomem(err, "writing a node");
    copy.data_deps = edit->data.at;
    copy.n_data_deps = edit->data.n;
    copy.ctrl_deps = edit->ctrl.at;
    copy.n_ctrl_deps = edit->ctrl.n;
    copy.attr = edit->list.at;
    copy.n_attr = edit->list.n;
    return pack(edit, out, &copy.base, err);
}

int asim_edit_metadata(struct asim_edit *edit, struct asim_chakra_writer *out,
                       const ChakraProtoMsg__GlobalMetadata *metadata, struct asim_err *err)
{
    return pack(edit, out, &metadata->base, err);
}

void asim_edit_fini(struct asim_edit *edit)
{
    ASIM_FREE(edit->data.at, edit->ctrl.at, edit->list.at, edit->packed.at);
    memset(edit, 0, sizeof *edit);
}
