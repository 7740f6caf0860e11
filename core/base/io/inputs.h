/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The files that a run or a command reads. Every output asks here before it opens its file: a path
 * that is one of the inputs, by device and inode and so through links, is refused.
 */
#ifndef ASIM_BASE_IO_INPUTS_H
#define ASIM_BASE_IO_INPUTS_H

#include "asim/err.h"
#include "base/mem.h"

struct asim_file_id;

struct asim_inputs { /* all zero = no files */
    ASIM_VEC(struct asim_file_id) file;
    int is_sorted; /* file is ascending */
};

/* Adds a file; NULL, a file that is not there and a pipe are ignored: no write can destroy them. */
int asim_inputs_add(struct asim_inputs *inputs, const char *path, struct asim_err *err);
/* Adds the traces <prefix>.<rank>.et and .et.gz, and the file `prefix` itself if there is one. */
int asim_inputs_add_set(struct asim_inputs *inputs, const char *prefix, struct asim_err *err);
/* 1 if the path is one of the files. */
int asim_inputs_has(struct asim_inputs *inputs, const char *path);
/* Fails if an output of that path (NULL: none) would be written over one of the files. */
int asim_inputs_refuse(struct asim_inputs *inputs, const char *output, struct asim_err *err);
/* The same for the existing traces <prefix>.<rank>.et and .et.gz, and for what is made beside them:
 * <prefix>.system.json and <prefix>.groups.json. */
int asim_inputs_refuse_set(struct asim_inputs *inputs, const char *prefix, struct asim_err *err);
void asim_inputs_fini(struct asim_inputs *inputs);

#endif
