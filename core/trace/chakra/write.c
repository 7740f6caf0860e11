/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes Chakra traces: fills the messages of the schema and lets protobuf-c pack them. The
 * messages lie in an arena, which ends with the record, and point into the caller's memory where
 * protobuf-c holds a value as the caller does. Its encoding is minimal and leaves out defaults, as
 * other encoders do.
 */
#include "asim/trace.h"

#include <stdlib.h>

#include "asim/trace_record.h"
#include "base/io/out.h"
#include "base/mem.h"

/* out keeps the first write error for the commit. */
struct asim_chakra_writer {
    struct asim_out out;
    struct asim_arena messages; /* of the record */
    ASIM_VEC(uint8_t) packed;   /* reused for every record */
    int has_metadata;
};

int asim_chakra_writer_open(struct asim_chakra_writer **writer, const char *path,
                            struct asim_err *err)
{
    *writer = NULL;
    struct asim_chakra_writer *made = calloc(1, sizeof *made);
    if (!made)
        return asim_err_nomem(err, "opening a trace for writing");
    asim_arena_init(&made->messages, 0);
    int rc = asim_out_open(&made->out, path, err);
    if (rc)
        free(made);
    else
        *writer = made;
    return rc;
}

/* The first record counts as metadata. */
int asim_chakra_writer_bytes(struct asim_chakra_writer *writer, const void *data, size_t size,
                             struct asim_err *err)
{
    struct asim_where at = {writer->out.path, 0, 0};
    uint8_t length[10];
    size_t n = 0;
    if (size > ASIM_CHAKRA_RECORD_MAX)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "a record of %zu bytes is larger than readers take (%u bytes).", size,
                           ASIM_CHAKRA_RECORD_MAX);
    for (size_t rest = size; !n || rest; rest >>= 7)
        length[n++] = (uint8_t)((rest & 127) | (rest > 127 ? 128 : 0));
    asim_out_write(&writer->out, length, n);
    asim_out_write(&writer->out, data, size);
    writer->has_metadata = 1;
    return asim_out_check(&writer->out, err); /* a signal ends a command by failing writes */
}

/* Writes the message, and frees all that was taken for it. */
static int flush(struct asim_chakra_writer *writer, const ProtobufCMessage *message,
                 struct asim_err *err)
{
    size_t n = protobuf_c_message_get_packed_size(message);
    if (ASIM_VEC_RESERVE(writer->packed, n + 1))
        return asim_err_nomem(err, "writing a trace");
    protobuf_c_message_pack(message, writer->packed.at);
    asim_arena_reset(&writer->messages);
    return asim_chakra_writer_bytes(writer, writer->packed.at, n, err);
}

/* protobuf-c's messages have pointers to what is not constant, and packing only reads it. */
static char *text_of(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* --- values of attributes --------------------------------------------------------------------- */
/* The member of the oneof; NULL outside the enum. */
static const ProtobufCFieldDescriptor *member_of(int type)
{
    return type < ASIM_CHAKRA_DOUBLE
               ? NULL
               : protobuf_c_message_descriptor_get_field(
                     &chakra_proto_msg__attribute_proto__descriptor, (unsigned)type);
}

const char *asim_attr_type_name(int type)
{
    const ProtobufCFieldDescriptor *member = member_of(type);
    return member ? member->name : "?";
}

/* Puts element i of the caller's array where protobuf-c wants it. Returns its size there, or 0 if
 * the value does not fit. A double beyond float's range becomes infinity, as in other languages'
 * encoders. protobuf-c leaves out a text that is its own empty one. */
static size_t put_value(void *to, ProtobufCType type, const void *at, size_t i)
{
    switch (type) {
    case PROTOBUF_C_TYPE_FLOAT:
        *(float *)to = (float)((const double *)at)[i];
        return sizeof(float);
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        *(int32_t *)to = (int32_t)((const int64_t *)at)[i];
        return *(int32_t *)to == ((const int64_t *)at)[i] ? sizeof(int32_t) : 0;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        *(uint32_t *)to = (uint32_t)((const uint64_t *)at)[i];
        return *(uint32_t *)to == ((const uint64_t *)at)[i] ? sizeof(uint32_t) : 0;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)to = ((const uint64_t *)at)[i] != 0;
        return ((const uint64_t *)at)[i] <= 1 ? sizeof(protobuf_c_boolean) : 0;
    case PROTOBUF_C_TYPE_STRING: {
        const char *text = ((const char *const *)at)[i];
        *(char **)to = text_of(text && *text ? text : "");
        return sizeof(char *);
    }
    case PROTOBUF_C_TYPE_BYTES: {
        const struct asim_chakra_bytes *bytes = (const struct asim_chakra_bytes *)at + i;
        *(ProtobufCBinaryData *)to =
            (ProtobufCBinaryData){bytes->size, (void *)text_of(bytes->data)};
        return sizeof(ProtobufCBinaryData);
    }
    default: /* of 64 bits */
        *(uint64_t *)to = ((const uint64_t *)at)[i];
        return sizeof(uint64_t);
    }
}

/* All lists of the schema have this layout. An empty one is written: "no elements" differs from "no
 * value". */
struct list {
    ProtobufCMessage base;
    size_t n;
    void *values;
};

/* 0, ASIM_EINVAL if a value does not fit, or ASIM_ENOMEM. */
static int put_list(struct asim_chakra_writer *writer, struct list **made,
                    const ProtobufCMessageDescriptor *type, const struct asim_chakra_attr *attr)
{
    struct list *list = *made = asim_arena_array(&writer->messages, 1, sizeof *list);
    char *to =
        list ? asim_arena_array(&writer->messages, attr->value.list.n, sizeof(ProtobufCBinaryData))
             : NULL;
    if (!to)
        return ASIM_ENOMEM;
    protobuf_c_message_init(type, list);
    list->n = attr->value.list.n;
    list->values = to;
    for (size_t i = 0; i < list->n; i++) {
        size_t size = put_value(to, type->fields->type, attr->value.list.at, i);
        if (!size)
            return ASIM_EINVAL;
        to += size;
    }
    return 0;
}

/* As put_list; an unknown type does not fit either. */
static int put_attr(struct asim_chakra_writer *writer, ChakraProtoMsg__AttributeProto *made,
                    const struct asim_chakra_attr *attr)
{
    const ProtobufCFieldDescriptor *member = member_of(attr->type);
    void *value = &made->double_val; /* the union */
    if (!member)
        return ASIM_EINVAL;
    chakra_proto_msg__attribute_proto__init(made);
    made->name = text_of(attr->name);
    made->doc_string = text_of(attr->doc);
    made->value_case = (ChakraProtoMsg__AttributeProto__ValueCase)attr->type;
    if (member->type == PROTOBUF_C_TYPE_MESSAGE)
        return put_list(writer, value, member->descriptor, attr);
    return put_value(value, member->type, &attr->value, 0) ? 0 : ASIM_EINVAL;
}

/* A value that does not fit drops the record. */
static int put_attrs(struct asim_chakra_writer *writer, ChakraProtoMsg__AttributeProto ***made,
                     const struct asim_chakra_attr *attrs, size_t n, struct asim_err *err)
{
    ChakraProtoMsg__AttributeProto *each = asim_arena_array(&writer->messages, n, sizeof *each);
    struct asim_where at = {writer->out.path, 0, 0};
    int rc = 0;
    *made = asim_arena_array(&writer->messages, n, sizeof **made);
    if (!each || !*made)
        return asim_err_nomem(err, "writing a trace");
    for (size_t i = 0; i < n && !rc; i++) {
        (*made)[i] = &each[i];
        rc = put_attr(writer, &each[i], &attrs[i]);
        if (rc == ASIM_EINVAL)
            asim_err_at(err, ASIM_EINVAL, at,
                        "attribute '%.80s' has a value that does not fit its kind (%s).",
                        attrs[i].name ? attrs[i].name : "", asim_attr_type_name(attrs[i].type));
    }
    return rc == ASIM_ENOMEM ? asim_err_nomem(err, "writing a trace") : rc;
}

/* --- records ---------------------------------------------------------------------------------- */
int asim_chakra_writer_metadata(struct asim_chakra_writer *writer, const char *version,
                                const struct asim_chakra_attr *attrs, size_t n,
                                struct asim_err *err)
{
    ChakraProtoMsg__GlobalMetadata made = CHAKRA_PROTO_MSG__GLOBAL_METADATA__INIT;
    if (writer->has_metadata)
        return asim_err_set(err, ASIM_EBUG, "the metadata of '%s' was written after other records.",
                            writer->out.path);
    asim_arena_reset(&writer->messages);
    made.version = text_of(version);
    made.n_attr = n;
    int rc = put_attrs(writer, &made.attr, attrs, n, err);
    return rc ? rc : flush(writer, &made.base, err);
}

/* Tensor names, shapes and types of a node's inputs or outputs, as JSON. NULL: it has none. */
static ChakraProtoMsg__IOInfo *put_io(ChakraProtoMsg__IOInfo *made, const struct asim_chakra_io *io)
{
    chakra_proto_msg__ioinfo__init(made);
    made->values = text_of(io->values);
    made->shapes = text_of(io->shapes);
    made->types = text_of(io->types);
    return io->values || io->shapes || io->types ? made : NULL;
}

/* A refused node leaves the file as it was. */
int asim_chakra_writer_node(struct asim_chakra_writer *writer, const struct asim_chakra_node *node,
                            struct asim_err *err)
{
    ChakraProtoMsg__Node made = CHAKRA_PROTO_MSG__NODE__INIT;
    ChakraProtoMsg__IOInfo inputs, outputs;
    if (!writer->has_metadata)
        return asim_err_set(err, ASIM_EBUG, "a node of '%s' was written before the metadata.",
                            writer->out.path);
    asim_arena_reset(&writer->messages);
    made.id = node->id;
    made.name = text_of(node->name);
    made.type = (ChakraProtoMsg__NodeType)node->type;
    made.n_ctrl_deps = node->ctrl_dep_n;
    made.ctrl_deps = (uint64_t *)(uintptr_t)node->ctrl_deps;
    made.n_data_deps = node->data_dep_n;
    made.data_deps = (uint64_t *)(uintptr_t)node->data_deps;
    made.start_time_micros = node->start_micros;
    made.duration_micros = node->duration_micros;
    made.inputs = put_io(&inputs, &node->inputs);
    made.outputs = put_io(&outputs, &node->outputs);
    made.n_attr = node->attr_n;
    int rc = put_attrs(writer, &made.attr, node->attrs, node->attr_n, err);
    return rc ? rc : flush(writer, &made.base, err);
}

int asim_chakra_writer_commit(struct asim_chakra_writer *writer, struct asim_err *err)
{
    int rc = asim_out_commit(&writer->out, err);
    asim_chakra_writer_discard(writer);
    return rc;
}

void asim_chakra_writer_discard(struct asim_chakra_writer *writer)
{
    if (!writer)
        return;
    asim_out_discard(&writer->out);
    asim_arena_fini(&writer->messages);
    ASIM_FREE(writer->packed.at, writer);
}
