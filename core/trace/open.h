/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Opens traces; the public part is in asim/trace.h.
 */
#ifndef ASIM_TRACE_OPEN_H
#define ASIM_TRACE_OPEN_H

#include "asim/trace.h"

/* Opens <prefix>.<rank>.et without a search: asim_trace_count has found that the file exists. */
int asim_trace_open_plain(struct asim_trace *trace, const char *prefix, uint32_t rank,
                          struct asim_err *err);
/* Opens the trace of another rank of the workload that `like` belongs to: without a look at the
 * disk where one file serves all ranks. `like` may be closed before. */
int asim_trace_open_like(struct asim_trace *trace, const struct asim_trace *like, uint32_t rank,
                         struct asim_err *err);
/* 1 if asim_trace_open_like takes that trace. */
int asim_trace_serves_all(const struct asim_trace *trace);
/* 1 if all but peers and groups is equal in both (format.h, is_alike). */
int asim_trace_is_alike(const struct asim_trace *a, const struct asim_trace *b);

#endif
