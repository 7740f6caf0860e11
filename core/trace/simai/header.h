/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the header of SimAI's workload text and the numbers of its rows. Each function takes the
 * next word of the current line; errors have file, line, column and the expected value.
 */
#ifndef ASIM_TRACE_SIMAI_HEADER_H
#define ASIM_TRACE_SIMAI_HEADER_H

#include "base/io/src.h"
#include "trace/simai/workload.h"

/* "found WORD where WHAT is expected"; word NULL = the line ends here. */
int asim_simai_refuse(const struct asim_src *src, const char *word, const char *what,
                      struct asim_err *err);
/* Reads a number of bytes and drops a fraction: SimAI reads integers, AICB writes "50331648.0". */
int asim_simai_bytes(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err);
/* Reads any other number; a fraction is an error. */
int asim_simai_whole(struct asim_src *src, const char *what, uint64_t *out, struct asim_err *err);
/* Reads lines 1 and 2; *rows is the number on line 2. */
int asim_simai_header(struct asim_simai *w, struct asim_src *src, uint64_t *rows,
                      struct asim_err *err);

#endif
