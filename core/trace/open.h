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

#endif
