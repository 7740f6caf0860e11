/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Encodes protobuf messages into one buffer. The length of an embedded message is a varint of
 * unknown width in front of it. One byte is reserved, and the (small) message moves if the length
 * needs more. The encoding is minimal and equal to that of other encoders.
 *
 * The buffer grows and stays: one allocation serves all records after the largest. A failure sets
 * `failed`, and later calls do nothing; the caller tests it once per record.
 */
#include "trace/chakra/encode.h"

#include <string.h>

#include "base/mem.h"

#define VARINT_MAX 10
#define WIRE_BYTES 2u

static int room(struct asim_encode *out, size_t n)
{
    if (n > SIZE_MAX - out->n)
        out->failed = 1;
    else if (!out->failed && out->n + n > out->cap && asim_grow(&out->at, &out->cap, out->n + n, 1))
        out->failed = 1;
    return !out->failed;
}

/* to has room for VARINT_MAX bytes; least significant seven bits first. */
static size_t make_varint(unsigned char *to, uint64_t value)
{
    size_t n = 0;
    while (value >= 0x80) {
        to[n++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    to[n++] = (unsigned char)value;
    return n;
}

void asim_encode_varint(struct asim_encode *out, uint64_t value)
{
    if (room(out, VARINT_MAX))
        out->n += make_varint(out->at + out->n, value);
}

/* Little-endian on every machine. */
void asim_encode_fixed(struct asim_encode *out, uint64_t value, unsigned bytes)
{
    if (!room(out, bytes))
        return;
    for (unsigned i = 0; i < bytes; i++)
        out->at[out->n++] = (unsigned char)(value >> (8 * i));
}

static void put_raw(struct asim_encode *out, const void *data, size_t size)
{
    if (!size || !room(out, size))
        return;
    memcpy(out->at + out->n, data, size);
    out->n += size;
}

/* The key of a protobuf field: number and wire type in one varint. */
void asim_encode_tag(struct asim_encode *out, unsigned field, unsigned wire)
{
    asim_encode_varint(out, (uint64_t)field << 3 | wire);
}

void asim_encode_bytes(struct asim_encode *out, unsigned field, const void *data, size_t size)
{
    asim_encode_tag(out, field, WIRE_BYTES);
    asim_encode_varint(out, size);
    put_raw(out, data, size);
}

/* proto3 leaves out defaults, and so do the other encoders. */
void asim_encode_opt_text(struct asim_encode *out, unsigned field, const char *text)
{
    if (text && *text)
        asim_encode_bytes(out, field, text, strlen(text));
}

void asim_encode_opt_number(struct asim_encode *out, unsigned field, uint64_t value)
{
    if (!value)
        return;
    asim_encode_tag(out, field, 0);
    asim_encode_varint(out, value);
}

/* One length-delimited field, as other encoders write dependencies. */
void asim_encode_opt_packed(struct asim_encode *out, unsigned field, const uint64_t *values,
                            size_t n)
{
    if (!n)
        return;
    size_t begin = asim_encode_begin(out, field);
    for (size_t i = 0; i < n; i++)
        asim_encode_varint(out, values[i]);
    asim_encode_end(out, begin);
}

/* Returns the offset of the message for asim_encode_end; messages nest. */
size_t asim_encode_begin(struct asim_encode *out, unsigned field)
{
    asim_encode_tag(out, field, WIRE_BYTES);
    if (room(out, 1))
        out->n++;
    return out->n;
}

void asim_encode_end(struct asim_encode *out, size_t begin)
{
    unsigned char length[VARINT_MAX];
    if (out->failed)
        return;
    size_t size = out->n - begin, n = make_varint(length, size);
    if (!room(out, n))
        return;
    if (n > 1)
        memmove(out->at + begin + n - 1, out->at + begin, size);
    memcpy(out->at + begin - 1, length, n);
    out->n += n - 1;
}
