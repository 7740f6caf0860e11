/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One rank's trace, found by workload prefix and opened with the format its name calls for.
 *
 * Above this nobody knows which format a trace has.
 */
#ifndef ASIM_TRACE_OPEN_H
#define ASIM_TRACE_OPEN_H

#include "trace/op.h"

struct asim_trace {
    const struct asim_trace_format *format;
    struct asim_reader *reader;
    char *path;
};

/* The format of the workload file `prefix` that serves all ranks, NULL if it is no such file. */
const struct asim_trace_format *asim_trace_shared(const char *prefix);
/* 0, or the sentence for a file there that no such format knows. */
int asim_trace_shared_refuse(const char *prefix, struct asim_err *err);

/* <prefix>.<rank>.et or .et.gz, or the file `prefix` itself where it serves all ranks. */
int asim_trace_open(struct asim_trace *trace, const char *prefix, uint32_t rank,
                    struct asim_err *err);
/* <prefix>.<rank>.et, which is known to be there (asim_trace_count): it is not looked for. */
int asim_trace_open_plain(struct asim_trace *trace, const char *prefix, uint32_t rank,
                          struct asim_err *err);
/* A file of any name, read as Chakra. */
int asim_trace_open_file(struct asim_trace *trace, const char *path, struct asim_err *err);
int asim_trace_next(struct asim_trace *trace, struct asim_op *op, struct asim_err *err);
uint64_t asim_trace_tell(const struct asim_trace *trace);
int asim_trace_at(struct asim_trace *trace, uint64_t place, struct asim_op *op,
                  struct asim_err *err);
/* Safe on a zeroed struct. */
void asim_trace_close(struct asim_trace *trace);

#endif
