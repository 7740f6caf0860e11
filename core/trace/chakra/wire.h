/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Describes the error in bytes that protobuf-c refuses: protobuf-c reports no reason. Compares the
 * fields with the schema's descriptor and names the first wrong one.
 */
#ifndef ASIM_TRACE_CHAKRA_WIRE_H
#define ASIM_TRACE_CHAKRA_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

struct asim_record_bytes {
    const unsigned char *data;
    size_t size;
};

/* Reads an unsigned LEB128 of at most `most` bytes. Returns its length, or 0 if it is cut or
 * longer. */
size_t asim_wire_varint(struct asim_record_bytes from, size_t most, uint64_t *value);
/* Writes, for example, "field 7 (duration_micros) has wire type 5, expected 0 (varint)" into buf
 * (at least 128 bytes), or "a packed list in it is malformed" if every field is well-formed.
 * Returns buf. */
const char *asim_wire_why(struct asim_record_bytes record, const ProtobufCMessageDescriptor *type,
                          char *buf, size_t size);

#endif
