/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Output files that are complete or absent. asim_out_open writes to a sibling of its own,
 * "<path>.partial", asim_out_commit renames it, and asim_out_discard removes it. An interrupted run
 * that keeps its results commits early.
 *
 * The first write error is recorded and commit reports it, so writing code needs no checks. Every
 * open must end with commit or discard; the struct is then empty.
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

/* Makes missing parent folders. "-" is the standard output. A symbolic link and a file that is not
 * regular are written through instead of being replaced. */
int asim_out_open(struct asim_out *out, const char *path, struct asim_err *err);
void asim_out_printf(struct asim_out *out, const char *fmt, ...) ASIM_PRINTF(2, 3);
void asim_out_write(struct asim_out *out, const void *data, size_t size);
/* 0, or the error of the first write that failed; the rest of what buffers hold may fail still. */
int asim_out_check(const struct asim_out *out, struct asim_err *err);
/* Flushes, renames, closes. */
int asim_out_commit(struct asim_out *out, struct asim_err *err);
/* Closes and removes the partial file. Also takes an all-zero or committed struct. */
void asim_out_discard(struct asim_out *out);

/* Makes missing folders of a file's path. */
int asim_out_mkparent(const char *path, struct asim_err *err);
/* Makes an empty file <path><tail>, or <path><tail>-2 and so on where the name is taken: exclusive
 * creation follows no link and opens nothing that is there. Returns the malloc'ed name, or NULL
 * with errno. */
char *asim_out_reserve(const char *path, const char *tail);
/* The bytes of path up to the end of its first folder that is not there, the last name included; 0:
 * all are there. */
size_t asim_out_missing(const char *path);
/* Removes what of path is an empty folder, the last one first, down to its first `from` bytes, as
 * asim_out_missing gave them before these were made; 0: nothing. */
void asim_out_remove_empty(const char *path, size_t from);
/* mkdir -p. */
int asim_out_mkdir(const char *path, struct asim_err *err);

#endif
