/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names of the files of a workload: the trace of rank r is <prefix>.<r>.et or <prefix>.<r>.et.gz,
 * the rank in decimal digits without padding.
 */
#ifndef ASIM_BASE_IO_RANK_PATH_H
#define ASIM_BASE_IO_RANK_PATH_H

#include <stdint.h>
#include "asim/err.h"

/* Makes <prefix>.<rank>.<suffix>, whether the file exists or not. The caller frees *path. */
int asim_rank_path_make(const char *prefix, uint32_t rank, const char *suffix, char **path,
                        struct asim_err *err);
/* Returns the rank in the file name "<stem>.<rank>.et" or "<stem>.<rank>.et.gz", or -1 if the name
 * has another form. */
int64_t asim_rank_path_parse(const char *name, const char *stem);
/* Calls see(self, path) for each file <prefix>.<rank>.et or .et.gz, in the order of the folder,
 * until it returns a code other than 0, which is returned. A folder that is not there or cannot be
 * read has no files: the later open or write reports the reason. */
int asim_rank_path_each(const char *prefix,
                        int (*see)(void *self, const char *path, uint32_t rank,
                                   struct asim_err *err),
                        void *self, struct asim_err *err);

#endif
