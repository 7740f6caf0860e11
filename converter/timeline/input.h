/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The bytes and lines of the input.
 */
#ifndef ASIM_CONVERTER_TIMELINE_INPUT_H
#define ASIM_CONVERTER_TIMELINE_INPUT_H

#include "timeline/timeline.h"

enum { ASIM_TIMELINE_LINE_BYTES = 65536, ASIM_TIMELINE_PIECE_BYTES = 65536 };

/* Reads the next piece of the input if the last one is used up. */
int asim_timeline_fill(struct asim_timeline *t, struct asim_err *err);
/* Copies up to size bytes; *got = 0 at the end. self: a struct asim_timeline. */
int asim_timeline_bytes(void *self, char *to, size_t size, size_t *got, struct asim_err *err);
/* Reads the next line into t->text, without its end. Returns 1, 0 at the end, or a negative code.
 */
int asim_timeline_line(struct asim_timeline *t, struct asim_err *err);
/* Fails with "path:line: <sentence>" and ASIM_EINVAL. */
int asim_timeline_fail(const struct asim_timeline *t, struct asim_err *err, const char *fmt, ...)
    ASIM_PRINTF(3, 4);

#endif
