/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the header of SimAI's workload text and its rows are read with. All of it takes the next
 * word of the line the cursor stands on and fails with file, line, column and what was expected.
 */
#ifndef ASIM_TRACE_SIMAI_HEADER_H
#define ASIM_TRACE_SIMAI_HEADER_H

#include "base/io/src.h"
#include "trace/simai/workload.h"

/* "found WORD where WHAT is expected"; word NULL = the line ends here. */
int asim_simai_refuse(const struct asim_src *src, const char *word, const char *what,
                      struct asim_err *err);
/* A number of bytes, of which a fraction is cut: SimAI reads integers, AICB writes "50331648.0". */
int asim_simai_bytes(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err);
/* A number of anything else: a fraction is refused. */
int asim_simai_whole(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err);
/* Lines 1 and 2; *rows is what line 2 announces. */
int asim_simai_header(struct asim_simai *w, struct asim_src *src, uint64_t *rows,
                      struct asim_err *err);

#endif
