/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Encodes the values of attributes. The fifteen scalar types differ in three things: the encoding
 * on the wire, the range, and the member of the caller's union. A table has all three. A list is a
 * message with the scalars in field 1, packed if they are numbers.
 *
 * A new type of the schema is a new row, if it is encoded like one of these. The rows are in the
 * order of field numbers, on which find() relies.
 */
#include "trace/chakra/value.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
enum held {
    HELD_DOUBLE,
    HELD_FLOAT,
    HELD_SIGNED,
    HELD_ZIGZAG,
    HELD_UNSIGNED,
    HELD_TEXT,
    HELD_BYTES
};
enum { LIST_VALUES = 1 };

static const struct attr_type {
    const char *name, *list_name;
    enum wire wire;
    enum held held;
    unsigned bits;
} types[] = {
    {"double_val", "double_list", WIRE_64, HELD_DOUBLE, 64},
    {"float_val", "float_list", WIRE_32, HELD_FLOAT, 32},
    {"int32_val", "int32_list", WIRE_VARINT, HELD_SIGNED, 32},
    {"int64_val", "int64_list", WIRE_VARINT, HELD_SIGNED, 64},
    {"uint32_val", "uint32_list", WIRE_VARINT, HELD_UNSIGNED, 32},
    {"uint64_val", "uint64_list", WIRE_VARINT, HELD_UNSIGNED, 64},
    {"sint32_val", "sint32_list", WIRE_VARINT, HELD_ZIGZAG, 32},
    {"sint64_val", "sint64_list", WIRE_VARINT, HELD_ZIGZAG, 64},
    {"fixed32_val", "fixed32_list", WIRE_32, HELD_UNSIGNED, 32},
    {"fixed64_val", "fixed64_list", WIRE_64, HELD_UNSIGNED, 64},
    {"sfixed32_val", "sfixed32_list", WIRE_32, HELD_SIGNED, 32},
    {"sfixed64_val", "sfixed64_list", WIRE_64, HELD_SIGNED, 64},
    {"bool_val", "bool_list", WIRE_VARINT, HELD_UNSIGNED, 1},
    {"string_val", "string_list", WIRE_BYTES, HELD_TEXT, 0},
    {"bytes_val", "bytes_list", WIRE_BYTES, HELD_BYTES, 0},
};
#define TYPES (int)(sizeof types / sizeof *types)

/* Scalars have the odd field numbers from 3 on; a list has the even number after its scalar. */
static const struct attr_type *find(int type)
{
    int row = (type - ASIM_CHAKRA_DOUBLE) / 2;
    return type >= ASIM_CHAKRA_DOUBLE && row < TYPES ? &types[row] : NULL;
}

static int is_list(int type)
{
    return type % 2 == 0;
}

const char *asim_attr_type_name(int type)
{
    const struct attr_type *row = find(type);
    if (!row)
        return "?";
    return is_list(type) ? row->list_name : row->name;
}

/* The bits of the number (IEEE 754), little-endian. */
static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A double beyond float's range becomes infinity, as in other languages' encoders. */
static uint64_t bits_of_float(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* bits is 32 or 64. */
static int fits_signed(int64_t value, unsigned bits)
{
    return bits == 64 || (value >= INT32_MIN && value <= INT32_MAX);
}

/* bits is 1 for bools. */
static int fits_unsigned(uint64_t value, unsigned bits)
{
    return bits == 64 || value >> bits == 0;
}

/* Reads element i of an array of the type, as the number for the wire. Returns 0 if it does not
 * fit. */
static int number(const struct attr_type *type, const void *at, size_t i, uint64_t *out)
{
    switch (type->held) {
    case HELD_DOUBLE:
        *out = bits_of_double(((const double *)at)[i]);
        return 1;
    case HELD_FLOAT:
        *out = bits_of_float(((const double *)at)[i]);
        return 1;
    case HELD_SIGNED:
    case HELD_ZIGZAG: {
        int64_t value = ((const int64_t *)at)[i];
        *out = (uint64_t)value;
        if (type->held == HELD_ZIGZAG)
            *out = (*out << 1) ^ (value < 0 ? UINT64_MAX : 0);
        return fits_signed(value, type->bits);
    }
    default:
        *out = ((const uint64_t *)at)[i];
        return fits_unsigned(*out, type->bits);
    }
}

/* Returns 0 and writes nothing if the number does not fit its type. */
static int put_number(struct asim_encode *out, const struct attr_type *type, const void *at,
                      size_t i)
{
    uint64_t value;
    if (!number(type, at, i, &value))
        return 0;
    if (type->wire == WIRE_VARINT)
        asim_encode_varint(out, value);
    else
        asim_encode_fixed(out, value, type->wire == WIRE_64 ? 8 : 4);
    return 1;
}

/* A string goes without its NUL; NULL is the empty string. */
static void put_blob(struct asim_encode *out, unsigned field, const struct attr_type *type,
                     const void *at, size_t i)
{
    if (type->held == HELD_TEXT) {
        const char *text = ((const char *const *)at)[i];
        asim_encode_bytes(out, field, text, text ? strlen(text) : 0);
    } else {
        const struct asim_chakra_bytes *bytes = (const struct asim_chakra_bytes *)at + i;
        asim_encode_bytes(out, field, bytes->data, bytes->size);
    }
}

/* An empty list is written as an empty message: "no elements" differs from "no value". */
static int put_list(struct asim_encode *out, const struct attr_type *type,
                    const struct asim_chakra_attr *attr)
{
    int fits = 1;
    size_t n = attr->value.list.n;
    size_t list = asim_encode_begin(out, (unsigned)attr->type);
    if (type->wire == WIRE_BYTES) {
        for (size_t i = 0; i < n; i++)
            put_blob(out, LIST_VALUES, type, attr->value.list.at, i);
    } else if (n) {
        size_t packed = asim_encode_begin(out, LIST_VALUES);
        for (size_t i = 0; i < n && fits; i++)
            fits = put_number(out, type, attr->value.list.at, i);
        asim_encode_end(out, packed);
    }
    asim_encode_end(out, list);
    return fits;
}

int asim_chakra_value(struct asim_encode *out, const struct asim_chakra_attr *attr)
{
    const struct attr_type *type = find(attr->type);
    if (!type)
        return 0;
    if (is_list(attr->type))
        return put_list(out, type, attr);
    if (type->wire == WIRE_BYTES) {
        put_blob(out, (unsigned)attr->type, type, &attr->value, 0);
        return 1;
    }
    asim_encode_tag(out, (unsigned)attr->type, (unsigned)type->wire);
    return put_number(out, type, &attr->value, 0);
}
