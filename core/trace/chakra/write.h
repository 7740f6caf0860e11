/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes Chakra files: one metadata record, then nodes, in the order of the calls. Fields go out
 * in the order of their numbers, zero scalars and empty strings are left out, a value in an
 * attribute's oneof is always written: byte for byte what other languages' encoders make of the
 * same content. The file appears under its name only at commit (base/io/out.h).
 *
 * Every pointer given is read during the call only. One buffer is reused for all records, so a
 * node costs no allocation once the largest has been seen.
 */
#ifndef ASIM_TRACE_CHAKRA_WRITE_H
#define ASIM_TRACE_CHAKRA_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

/* Kind of an attribute's value = number of the oneof member in chakra.proto. A list has the number
 * after its scalar. */
enum asim_chakra_kind {
    ASIM_CHAKRA_DOUBLE = 3,
    ASIM_CHAKRA_FLOAT = 5,
    ASIM_CHAKRA_INT32 = 7,
    ASIM_CHAKRA_INT64 = 9,
    ASIM_CHAKRA_UINT32 = 11,
    ASIM_CHAKRA_UINT64 = 13,
    ASIM_CHAKRA_SINT32 = 15,
    ASIM_CHAKRA_SINT64 = 17,
    ASIM_CHAKRA_FIXED32 = 19,
    ASIM_CHAKRA_FIXED64 = 21,
    ASIM_CHAKRA_SFIXED32 = 23,
    ASIM_CHAKRA_SFIXED64 = 25,
    ASIM_CHAKRA_BOOL = 27,
    ASIM_CHAKRA_STRING = 29,
    ASIM_CHAKRA_BYTES = 31
};
#define ASIM_CHAKRA_LIST(kind) ((kind) + 1) /* ASIM_CHAKRA_LIST(ASIM_CHAKRA_BOOL) = bool_list */

/* "int64_val", "bool_list" … or "?". */
const char *asim_chakra_kind_name(int kind);

struct asim_chakra_bytes {
    const void *data;
    size_t size;
};

struct asim_chakra_attr {
    const char *name, *doc; /* doc may be NULL */
    int kind;
    union {
        double d;                       /* double, float */
        int64_t i;                      /* int, sint, sfixed */
        uint64_t u;                     /* uint, fixed, bool */
        const char *s;                  /* string; NULL = "" */
        struct asim_chakra_bytes bytes; /* bytes */
        struct {
            /* double[] for double and float, int64_t[] for the signed kinds, uint64_t[] for the
             * unsigned and bool, const char *[] for strings, struct asim_chakra_bytes[]. */
            const void *at;
            size_t n;
        } list;
    } value;
};

struct asim_chakra_io { /* written if any of the three is not NULL */
    const char *values, *shapes, *types;
};

struct asim_chakra_node {
    uint64_t id;
    const char *name; /* NULL = "" */
    int type;         /* enum asim_op_type */
    const uint64_t *ctrl_deps, *data_deps;
    size_t ctrl_dep_n, data_dep_n;
    uint64_t start_micros, duration_micros;
    struct asim_chakra_io inputs, outputs;
    const struct asim_chakra_attr *attrs;
    size_t attr_n;
};

struct asim_chakra_writer;

/* Missing folders are made. Replaces an existing file at commit: check before if that matters. */
int asim_chakra_writer_open(struct asim_chakra_writer **writer, const char *path,
                            struct asim_err *err);
/* Once, before any node. version NULL = not written. */
int asim_chakra_writer_metadata(struct asim_chakra_writer *writer, const char *version,
                                const struct asim_chakra_attr *attrs, size_t n,
                                struct asim_err *err);
/* Refuses a value that does not fit its kind and a node larger than readers take. */
int asim_chakra_writer_node(struct asim_chakra_writer *writer, const struct asim_chakra_node *node,
                            struct asim_err *err);
/* One record from bytes encoded elsewhere, e.g. a message of chakra/record.h packed again. */
int asim_chakra_writer_bytes(struct asim_chakra_writer *writer, const void *data, size_t size,
                             struct asim_err *err);
/* Frees the writer, whatever the result. */
int asim_chakra_writer_commit(struct asim_chakra_writer *writer, struct asim_err *err);
/* Frees the writer and removes what it wrote. NULL is fine. */
void asim_chakra_writer_discard(struct asim_chakra_writer *writer);

#endif
