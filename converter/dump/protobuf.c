/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Protobuf's JSON mapping by protobuf-c's descriptors, byte for byte as Python's
 * MessageToJson(indent=2) prints it: lowerCamelCase keys in the order of field numbers, 64-bit
 * integers as strings, enums as names, bytes in base64, no plain fields with value zero, and the
 * set member of a oneof always. Reals have the fewest digits that read back the same.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "json/print.h"
#include "dump/dump.h"
#include "json/access.h"

/* json_format indents by two blanks. */
static void line(struct asim_jbuf *buf, unsigned level)
{
    asim_jbuf_put(buf, "\n", 1);
    for (unsigned i = 0; i < level; i++)
        asim_jbuf_put(buf, "  ", 2);
}

/* "data_deps" as "dataDeps". */
static void put_key(struct asim_jbuf *buf, const char *name)
{
    asim_jbuf_put(buf, "\"", 1);
    for (; *name; name++) {
        char c = *name;
        if (c == '_' && name[1]) {
            c = *++name;
            c = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        }
        asim_jbuf_put(buf, &c, 1);
    }
    asim_jbuf_text(buf, "\": ");
}

static void put_base64(struct asim_jbuf *buf, const ProtobufCBinaryData *data)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    asim_jbuf_put(buf, "\"", 1);
    for (size_t i = 0; i < data->len; i += 3) {
        size_t n = data->len - i < 3 ? data->len - i : 3;
        uint32_t bits = (uint32_t)data->data[i] << 16;
        bits |= n > 1 ? (uint32_t)data->data[i + 1] << 8 : 0;
        bits |= n > 2 ? data->data[i + 2] : 0;
        char quad[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                        digits[bits & 63]};
        memset(quad + n + 1, '=', 3 - n);
        asim_jbuf_put(buf, quad, 4);
    }
    asim_jbuf_put(buf, "\"", 1);
}

/* A float prints as the shortest decimal that is the same float. */
static double widen(float value)
{
    char text[32];
    for (int digits = 6; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            return strtod(text, NULL);
    }
    snprintf(text, sizeof text, "%.9g", (double)value);
    return strtod(text, NULL);
}

/* JSON has no such numbers; the mapping uses these strings. */
static void put_real(struct asim_jbuf *buf, double value)
{
    if (isnan(value))
        asim_jbuf_text(buf, "\"NaN\"");
    else if (isinf(value))
        asim_jbuf_text(buf, value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    else
        asim_jprint_real(buf, value);
}

/* A number without a name in the schema stays a number. */
static void put_enum(struct asim_jbuf *buf, const ProtobufCFieldDescriptor *field, int value)
{
    const ProtobufCEnumValue *name = protobuf_c_enum_descriptor_get_value(field->descriptor, value);
    if (!name) {
        asim_jprint_int(buf, value);
        return;
    }
    asim_jbuf_put(buf, "\"", 1);
    asim_jbuf_text(buf, name->name);
    asim_jbuf_put(buf, "\"", 1);
}

static void put_text(struct asim_jbuf *buf, const char *text)
{
    asim_jprint_string(buf, text ? text : "", text ? strlen(text) : 0);
}

/* A JSON number above 2^53 is not safe in every language, hence strings. */
static void put_u64_string(struct asim_jbuf *buf, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "\"%" PRIu64 "\"", value);
    asim_jbuf_text(buf, text);
}

static void put_i64_string(struct asim_jbuf *buf, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "\"%" PRId64 "\"", value);
    asim_jbuf_text(buf, text);
}

/* A value without parts. */
static void put_scalar(struct asim_jbuf *buf, const ProtobufCFieldDescriptor *field, const void *at)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        asim_jprint_int(buf, *(const int32_t *)at);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        asim_jprint_int(buf, *(const uint32_t *)at);
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        put_i64_string(buf, *(const int64_t *)at);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        put_u64_string(buf, *(const uint64_t *)at);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        put_real(buf, isfinite(*(const float *)at) ? widen(*(const float *)at)
                                                   : (double)*(const float *)at);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        put_real(buf, *(const double *)at);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        asim_jbuf_text(buf, *(const protobuf_c_boolean *)at ? "true" : "false");
        break;
    case PROTOBUF_C_TYPE_ENUM:
        put_enum(buf, field, *(const int *)at);
        break;
    case PROTOBUF_C_TYPE_STRING:
        put_text(buf, *(char *const *)at);
        break;
    default:
        put_base64(buf, at);
    }
}

/* Bytes of one element in protobuf-c's structs. */
static size_t size_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    default:
        return 4;
    }
}

static void put_message(struct asim_jbuf *buf, const ProtobufCMessage *message, unsigned level);

static void put_value(struct asim_jbuf *buf, const ProtobufCFieldDescriptor *field, const void *at,
                      unsigned level)
{
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        put_message(buf, *(const ProtobufCMessage *const *)at, level);
    else
        put_scalar(buf, field, at);
}

/* 1 if the field is printed. */
static int is_shown(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    static const char zeros[sizeof(ProtobufCBinaryData)];
    const char *base = (const char *)message, *at = base + field->offset;
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return *(const size_t *)(const void *)(base + field->quantifier_offset) > 0;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        return *(const uint32_t *)(const void *)(base + field->quantifier_offset) == field->id;
    if (field->type == PROTOBUF_C_TYPE_STRING) {
        const char *text = *(char *const *)(const void *)at;
        return text && *text;
    }
    return memcmp(at, zeros, size_of(field->type)) != 0;
}

/* Called for lists with elements only. */
static void put_list(struct asim_jbuf *buf, const ProtobufCMessage *message,
                     const ProtobufCFieldDescriptor *field, unsigned level)
{
    const char *base = (const char *)message;
    size_t n = *(const size_t *)(const void *)(base + field->quantifier_offset);
    const char *at = *(char *const *)(const void *)(base + field->offset);
    asim_jbuf_put(buf, "[", 1);
    for (size_t i = 0; i < n; i++) {
        if (i)
            asim_jbuf_put(buf, ",", 1);
        line(buf, level + 1);
        put_value(buf, field, at + i * size_of(field->type), level + 1);
    }
    line(buf, level);
    asim_jbuf_put(buf, "]", 1);
}

/* The schema has four levels. */
static void put_message(struct asim_jbuf *buf, const ProtobufCMessage *message, unsigned level)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    int n = 0;
    asim_jbuf_put(buf, "{", 1);
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (!is_shown(message, field))
            continue;
        if (n++)
            asim_jbuf_put(buf, ",", 1);
        line(buf, level + 1);
        put_key(buf, field->name);
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            put_list(buf, message, field, level + 1);
        else
            put_value(buf, field, (const char *)message + field->offset, level + 1);
    }
    if (n)
        line(buf, level);
    asim_jbuf_put(buf, "}", 1);
}

void asim_dump_message(struct asim_jbuf *buf, const ProtobufCMessage *message)
{
    put_message(buf, message, 0);
}
