/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Formats of traces. A format delivers the ops of one rank in file order, and any op again by its
 * position.
 */
#ifndef ASIM_TRACE_FORMAT_H
#define ASIM_TRACE_FORMAT_H

#include "asim/ext/family.h"
#include "asim/trace.h"
#include "base/diagnostics.h"

/* Family trace/format: row symbols asim_trace_format_<file>, table asim_trace_format_table. A
 * reader is one open trace of one rank, a struct of the format. */
struct asim_trace_format {
    struct asim_member member;
    const char *suffix; /* suffix of the file of one rank: "et" for <prefix>.<rank>.et */
    /* 1 if the first bytes look like this format; the caller has inflated gzip. */
    int (*sniff)(const void *head, size_t size);
    int (*open)(void **reader, const char *path, uint32_t rank, struct asim_err *err);
    /* Returns 1 and fills *op, or 0 at the end, or a negative code (with the byte offset in the
     * sentence). */
    int (*next)(void *reader, struct asim_op *op, struct asim_err *err);
    /* The position of the op last delivered, for at(); opaque. */
    uint64_t (*tell)(const void *reader);
    /* Delivers the op at a position again. */
    int (*at)(void *reader, uint64_t position, struct asim_op *op, struct asim_err *err);
    void (*close)(void *reader);
    /* Formats with one file for all ranks, or NULL: opens another rank from an open one without
     * reading the file again. is_alike: 1 if the ops of both ranks have the same ids, dependencies,
     * units, positions, types, sizes and durations; peers and groups may differ. */
    int (*open_like)(void **reader, const void *like, uint32_t rank, struct asim_err *err);
    int (*is_alike)(const void *a, const void *b);
    /* The version that the file states, "" = none. NULL: the format has none. */
    const char *(*version)(const void *reader);
    /* Formats with one file for all ranks: the number of ranks. NULL = one file per rank. */
    int (*ranks)(const char *path, uint32_t *ranks, struct asim_err *err);
    /* Of such formats, or NULL: says what is legal in the file and seldom meant. Silent about a
     * file that cannot be read. */
    void (*diagnose)(const char *path, const struct asim_diagnostics *diagnostics);
};
extern const struct asim_member *const asim_trace_format_table[];

#endif
