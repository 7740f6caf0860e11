/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Describes the error in bytes that protobuf-c refuses. Embedded messages lie within the bytes of
 * their parents: one cursor and a small stack of ends visit the tree in order without recursion
 * (the schema has at most four levels). Runs only on the way to an error.
 *
 * Checks the structure only (tags, wire types, lengths), where damaged and foreign files differ
 * from Chakra.
 */
#include "trace/chakra/wire.h"

#include <inttypes.h>
#include <stdio.h>

#define DEPTH_MAX     8
#define FIELD_MAX     ((1u << 29) - 1)
#define WIRE_VARINT   0u
#define WIRE_64       1u
#define WIRE_BYTES    2u
#define WIRE_GROUP    3u
#define WIRE_END      4u
#define WIRE_32       5u
#define WIRE_VARINT_N 10 /* bytes of the longest varint */

struct walk {
    struct asim_record_bytes at; /* the rest of the record */
    const ProtobufCMessageDescriptor *type[DEPTH_MAX];
    size_t left[DEPTH_MAX]; /* at.size at the end of that message */
    int depth;
    char *buf;
    size_t size;
};

struct field {
    uint64_t number;
    unsigned wire;
    uint64_t bytes; /* length of the value behind tag and length */
    const ProtobufCFieldDescriptor *row;
};

/* Returns 0 if the varint is cut or longer than `most`. Ignores bits above 64, as decoders do. */
size_t asim_wire_varint(struct asim_record_bytes from, size_t most, uint64_t *value)
{
    uint64_t got = 0;
    for (size_t i = 0; i < from.size && i < most; i++) {
        got |= (uint64_t)(from.data[i] & 0x7f) << (7 * i);
        if (!(from.data[i] & 0x80)) {
            *value = got;
            return i + 1;
        }
    }
    return 0;
}

/* Stays within the present message: left[depth] bytes belong to its parents. */
static int take_varint(struct walk *walk, uint64_t *value)
{
    struct asim_record_bytes inside = {walk->at.data, walk->at.size - walk->left[walk->depth]};
    size_t n = asim_wire_varint(inside, WIRE_VARINT_N, value);
    walk->at.data += n;
    walk->at.size -= n;
    return n != 0;
}

static unsigned wire_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return WIRE_32;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return WIRE_64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return WIRE_BYTES;
    default:
        return WIRE_VARINT;
    }
}

/* Always returns 1, "found the error". */
static int say(struct walk *walk, const struct field *field, const char *what)
{
    if (field->row)
        snprintf(walk->buf, walk->size, "field %" PRIu64 " (%s) %s", field->number,
                 field->row->name, what);
    else
        snprintf(walk->buf, walk->size, "field %" PRIu64 " %s", field->number, what);
    return 1;
}

static int say_wire(struct walk *walk, const struct field *field)
{
    static const char *const kinds[] = {"varint", "8 bytes", "length and bytes", "group",
                                        "group",  "4 bytes", "undefined",        "undefined"};
    char what[96];
    if (field->row) {
        unsigned want = wire_of(field->row->type);
        snprintf(what, sizeof what, "has wire type %u (%s), expected %u (%s)", field->wire,
                 kinds[field->wire], want, kinds[want]);
    } else if (field->wire == WIRE_GROUP || field->wire == WIRE_END) {
        snprintf(what, sizeof what, "is a group, which proto3 does not have");
    } else {
        snprintf(what, sizeof what, "has wire type %u (%s), which no field has", field->wire,
                 kinds[field->wire]);
    }
    return say(walk, field, what);
}

/* Repeated numbers may come packed or one by one (chakra.md#records-and-fields). */
static int wire_fits(const struct field *field)
{
    if (!field->row)
        return field->wire <= WIRE_BYTES || field->wire == WIRE_32;
    if (field->wire == wire_of(field->row->type))
        return 1;
    return field->wire == WIRE_BYTES && field->row->label == PROTOBUF_C_LABEL_REPEATED;
}

/* Reads the length of the value; 0 if the field runs past the end of its message. */
static int take_length(struct walk *walk, struct field *field)
{
    uint64_t ignored;
    field->bytes = field->wire == WIRE_64 ? 8 : field->wire == WIRE_32 ? 4 : 0;
    if (field->wire == WIRE_VARINT && !take_varint(walk, &ignored))
        return 0;
    if (field->wire == WIRE_BYTES && !take_varint(walk, &field->bytes))
        return 0;
    return field->bytes <= walk->at.size - walk->left[walk->depth];
}

/* Enters a message of the schema, or skips the value. */
static void descend(struct walk *walk, const struct field *field)
{
    if (field->row && field->row->type == PROTOBUF_C_TYPE_MESSAGE && walk->depth + 1 < DEPTH_MAX) {
        walk->depth++;
        walk->type[walk->depth] = field->row->descriptor;
        walk->left[walk->depth] = walk->at.size - (size_t)field->bytes;
        return;
    }
    walk->at.data += field->bytes;
    walk->at.size -= (size_t)field->bytes;
}

/* Checks one field, or ends a message. 1 = found and described an error. */
static int step(struct walk *walk)
{
    struct field field = {0};
    uint64_t tag;
    if (!take_varint(walk, &tag)) {
        snprintf(walk->buf, walk->size, "a field's tag is cut or longer than 10 bytes");
        return 1;
    }
    field.number = tag >> 3;
    field.wire = (unsigned)(tag & 7);
    if (field.number == 0 || field.number > FIELD_MAX)
        return say(walk, &field, "does not exist");
    field.row =
        protobuf_c_message_descriptor_get_field(walk->type[walk->depth], (unsigned)field.number);
    if (!wire_fits(&field))
        return say_wire(walk, &field);
    if (!take_length(walk, &field))
        return say(walk, &field, "runs past the end of its message");
    descend(walk, &field);
    return 0;
}

/* If no field is wrong, the inside of a packed list must be. */
const char *asim_wire_why(struct asim_record_bytes record, const ProtobufCMessageDescriptor *type,
                          char *buf, size_t size)
{
    struct walk walk = {.at = record, .buf = buf, .size = size};
    walk.type[0] = type;
    snprintf(buf, size, "a packed list in it is malformed");
    for (;;) {
        while (walk.depth > 0 && walk.at.size == walk.left[walk.depth])
            walk.depth--;
        if (walk.at.size == 0 || step(&walk))
            return buf;
    }
}
