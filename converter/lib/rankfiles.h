/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The Chakra files that a command reads, given as a prefix (PREFIX.0.et, PREFIX.1.et, …) or one by
 * one, and the files it writes.
 */
#ifndef ASIM_CONVERTER_LIB_RANKFILES_H
#define ASIM_CONVERTER_LIB_RANKFILES_H

#include "base/mem.h"
#include "asim/err.h"
#include "base/diagnostics.h"

struct asim_rankfile {
    char *in, *out; /* may be the same pointer: the file is replaced after all files are written */
    uint32_t rank;
    const char *temp_name; /* temporary name of out (cli/file_set.h) */
};

struct asim_rankfiles {
    struct asim_rankfile *at;
    size_t n, cap;
};

/* words: prefixes, or paths ending in .et or .et.gz. output: NULL = replace the input; else the
 * prefix to write, or a path if a single file is named and output ends in .et. Two outputs with one
 * name, and traces of higher ranks beside the output, are errors. */
int asim_rankfiles_add(struct asim_rankfiles *files, const char **words, size_t n,
                       const char *output, struct asim_err *err);
/* Adds one pair of copied names. */
int asim_rankfiles_pair(struct asim_rankfiles *files, const char *in, const char *out,
                        uint32_t rank, struct asim_err *err);
/* Removes traces <dir>/<stem>.<rank>.et of other ranks: those of an earlier, larger job with the
 * same name would count as ranks of this one. */
void asim_rankfiles_clean(const struct asim_rankfiles *files, const char *dir_name,
                          const char *stem, const struct asim_diagnostics *notes);
void asim_rankfiles_fini(struct asim_rankfiles *files);

#endif
