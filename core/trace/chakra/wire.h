/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What is wrong with bytes protobuf-c refused: it only says no. Walks the fields against the
 * schema's descriptor and names the first that cannot be.
 *
 * Kept apart from the decoder (protobuf-c), which says only that a record is bad, never where.
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

/* Reads an unsigned LEB128 of at most `most` bytes; 0 if it is cut or longer, else its length. */
size_t asim_wire_varint(struct asim_record_bytes from, size_t most, uint64_t *value);
/* Writes e.g. "field 7 (duration_micros) has wire type 5, expected 0 (varint)" into buf (at least
 * 128 bytes) or, if every field is well-formed, "a packed list in it is malformed". Returns buf. */
const char *asim_wire_why(struct asim_record_bytes record, const ProtobufCMessageDescriptor *type,
                          char *buf, size_t size);

/* Groups (wire types 3 and 4) of fields the schema does not have, at any depth of known messages,
 * become fields of bytes as long: protobuf-c refuses groups, which are to be passed over like any
 * unknown field. bytes are the record's, to be changed in place. How many there were. */
size_t asim_wire_hide_groups(unsigned char *bytes, size_t size,
                             const ProtobufCMessageDescriptor *type);

#endif
