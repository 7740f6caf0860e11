/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Files that belong together, as the traces of all ranks: none gets its name before all of them are
 * written, so an error leaves what was there, and no run finds a set half old and half new.
 *
 *     asim_outset_begin, then asim_outset_rank or asim_outset_add for each file, which is written
 *     under the name given back; asim_outset_end on every path, with how it went.
 */
#ifndef ASIM_TRACE_FILE_SET_H
#define ASIM_TRACE_FILE_SET_H

#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"
#include "base/io/file_id.h"

struct asim_outset_file {
    char *path, *made; /* made is renamed to path; NULL: path is written directly */
    int is_old;        /* path is removed */
};

struct asim_outset {
    ASIM_VEC(struct asim_outset_file) file;
    ASIM_VEC(struct asim_place) input; /* ascending once a file was added */
    int is_sorted;
};

/* Optional: the set is <prefix>.<rank>.et of ranks 0 to ranks - 1, and a simulation would take
 * traces of higher ranks for part of it. They are refused or, with force, removed at the end. */
int asim_outset_begin(struct asim_outset *set, const char *prefix, uint32_t ranks, int force,
                      struct asim_err *err);
/* Optional: a file that is read. asim_outset_add refuses to write over it afterwards. */
int asim_outset_reads(struct asim_outset *set, const char *path, struct asim_err *err);
/* *made: the name to write, valid until the end. "-" is left as it is. */
int asim_outset_add(struct asim_outset *set, const char *path, const char **made,
                    struct asim_err *err);
int asim_outset_rank(struct asim_outset *set, const char *prefix, uint32_t rank, const char **made,
                     struct asim_err *err);
/* Refuses an output that is the very file which is read, under whatever name; NULLs are fine. */
int asim_outset_not_same(const char *input, const char *output, struct asim_err *err);
/* Refuses two outputs that are one file. */
int asim_outset_not_twice(const char *a, const char *b, struct asim_err *err);
/* code 0: all get their names; else what was written is removed. Gives code, or why naming failed,
 * and empties the set. */
int asim_outset_end(struct asim_outset *set, int code, struct asim_err *err);

#endif
