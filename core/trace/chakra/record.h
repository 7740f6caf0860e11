/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Records of a Chakra file as they stand there: every field, every attribute with its kind,
 * nothing interpreted. For tools that must show or rewrite a trace whole; a simulation reads ops
 * (op.h), made from these by format/chakra.c. Plain and gzip files, told apart by their first
 * bytes. Any record can be read again by its place.
 *
 * One handle per open trace; it borrows nothing and owns its window, decode arena and file.
 */
#ifndef ASIM_TRACE_CHAKRA_RECORD_H
#define ASIM_TRACE_CHAKRA_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "trace/chakra/chakra.pb-c.h"

#define ASIM_CHAKRA_RECORD_MAX (64u << 20) /* bytes of one record; a larger one is refused */

struct asim_chakra;

/* Opens and reads the metadata record. */
int asim_chakra_open(struct asim_chakra **file, const char *path, struct asim_err *err);
/* The metadata, borrowed until the first next or at. */
const ChakraProtoMsg__GlobalMetadata *asim_chakra_metadata(const struct asim_chakra *file);
/* 1 and *node (borrowed until the next call on this file), 0 at the end, negative on error: the
 * sentence names the file, the byte and the record. */
int asim_chakra_next(struct asim_chakra *file, const ChakraProtoMsg__Node **node,
                     struct asim_err *err);
/* The record that stands at that place (a value asim_chakra_tell gave). Does not move next. */
int asim_chakra_at(struct asim_chakra *file, uint64_t place, const ChakraProtoMsg__Node **node,
                   struct asim_err *err);
/* Byte offset of the record last delivered, in the inflated stream for gzip. */
uint64_t asim_chakra_tell(const struct asim_chakra *file);
const char *asim_chakra_path(const struct asim_chakra *file);
/* NULL is fine. */
void asim_chakra_close(struct asim_chakra *file);

#endif
