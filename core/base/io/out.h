/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Output files that are never half-written under their final name. asim_out_open writes to a
 * sibling "<path>.partial" which asim_out_commit renames; an interrupted run that wants to keep
 * what it has commits early, a failed one discards. Errors latch and are reported by commit.
 *
 * Every printf is unchecked at the call: the first failure latches and commit tells it, so code
 * that writes rows stays free of tests. After commit or discard the struct is empty and owns
 * nothing. Whoever opened it must end it with one of the two, on every path.
 */
#ifndef ASIM_BASE_IO_OUT_H
#define ASIM_BASE_IO_OUT_H

#include <stdio.h>
#include "asim/err.h"

struct asim_out {
    FILE *file;
    char *path, *partial;
    int failed;
};

/* Makes missing parent folders (one message if it cannot). "-" is the standard output; symbolic
 * links and what is no regular file are written through instead of replaced. */
int asim_out_open(struct asim_out *out, const char *path, struct asim_err *err);
void asim_out_printf(struct asim_out *out, const char *fmt, ...) ASIM_PRINTF(2, 3);
/* Writes text as a JSON string with quotes and escapes; bytes that are not UTF-8 become U+FFFD. */
void asim_out_json_string(struct asim_out *out, const char *text);
void asim_out_write(struct asim_out *out, const void *data, size_t size);
/* Flushes, renames, closes. */
int asim_out_commit(struct asim_out *out, struct asim_err *err);
/* Closes and removes the partial file. Safe on a zeroed or committed struct. */
void asim_out_discard(struct asim_out *out);

/* mkdir -p. */
int asim_out_mkdir(const char *path, struct asim_err *err);

#endif
