/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chakra traces in JSON (chakra.md#json-forms), read as the bytes that they stand for.
 */
#ifndef ASIM_TRACE_CHAKRA_JSON_H
#define ASIM_TRACE_CHAKRA_JSON_H

#include <jansson.h>
#include "asim/trace.h"
#include "base/io/bytes.h"
#include "base/mem.h"

/* A file being read (json_node.c: one node of it). */
struct asim_chakra_json {
    const char *path;
    struct asim_chakra_writer *writer;
    struct asim_arena arena; /* of the node */
    ASIM_VEC(struct asim_chakra_attr) attr;
    unsigned line;
    struct asim_err *err;
};

/* Adds the value {"name": …, "int64Val": …} to the attributes. */
int asim_chakra_json_attr(struct asim_chakra_json *r, const json_t *one);
/* Writes a node; flat: with its attributes among its keys, as in the feeder's and
 * symbolic_tensor_graph's forms. */
int asim_chakra_json_node(struct asim_chakra_json *r, const json_t *one, int is_flat);

/* Where the opened file begins as JSON, puts the trace's bytes in its place. 0 also where it does
 * not. */
int asim_chakra_from_json(struct asim_bytes *bytes, struct asim_err *err);

#endif
