/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Appends protobuf fields to a growing buffer. The asim_encode_opt_ functions skip zero scalars and
 * empty texts, as proto3 does for plain fields; the others write them, as proto3 does for members
 * of a oneof. A lack of memory sets `failed`.
 *
 * Zero the struct to begin; free(out.at) at the end.
 */
#ifndef ASIM_TRACE_CHAKRA_ENCODE_H
#define ASIM_TRACE_CHAKRA_ENCODE_H

#include <stddef.h>
#include <stdint.h>

struct asim_encode {
    unsigned char *at; /* free() it */
    size_t n, cap;
    int failed;
};

void asim_encode_varint(struct asim_encode *out, uint64_t value);
void asim_encode_fixed(struct asim_encode *out, uint64_t value, unsigned bytes);
void asim_encode_tag(struct asim_encode *out, unsigned field, unsigned wire);
/* A field of length-prefixed bytes. */
void asim_encode_bytes(struct asim_encode *out, unsigned field, const void *data, size_t size);
void asim_encode_opt_text(struct asim_encode *out, unsigned field, const char *text);
void asim_encode_opt_number(struct asim_encode *out, unsigned field, uint64_t value);
void asim_encode_opt_packed(struct asim_encode *out, unsigned field, const uint64_t *values,
                            size_t n);
/* Opens an embedded message or packed list. Everything up to asim_encode_end with the returned
 * value is inside it. */
size_t asim_encode_begin(struct asim_encode *out, unsigned field);
void asim_encode_end(struct asim_encode *out, size_t begin);

#endif
