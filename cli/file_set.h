/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Output files that belong together, such as the traces of all ranks. All files get their final
 * names at the end or none does: after an error the old files are unchanged, and no run reads a set
 * of new and old files.
 *
 *     asim_file_set_begin; asim_file_set_rank or asim_file_set_add for each file, then write the
 *     file under the temporary name; asim_file_set_end on every path, with the code so far.
 */
#ifndef ASIM_CLI_FILE_SET_H
#define ASIM_CLI_FILE_SET_H

#include <stdint.h>
#include "asim/err.h"
#include "base/io/inputs.h"
#include "base/mem.h"

struct asim_out;

struct asim_file_set_file {
    char *path, *temp_name; /* NULL temp_name: path is written directly */
    int is_old;             /* path is removed at the end */
};

struct asim_file_set_folder {
    char *parent, *path; /* of the temporary folder in it */
    int lock;
};

struct asim_file_set {
    ASIM_VEC(struct asim_file_set_folder) folder;
    ASIM_VEC(struct asim_file_set_file) file;
    struct asim_inputs inputs;
    int force; /* files that go with the traces may be replaced */
};

/* Optional: declares a set of ranks 0 … ranks - 1, <prefix>.<rank>.et. Traces of higher ranks
 * would later count as part of the set: they are an error or, with force, are removed at the end.
 */
int asim_file_set_begin(struct asim_file_set *set, const char *prefix, uint32_t ranks, int force,
                        struct asim_err *err);
/* Adds an output file; one of set->inputs is refused. *temp_name is the name to write; it is valid
 * until the end. "-" stays "-".
 */
int asim_file_set_add(struct asim_file_set *set, const char *path, const char **temp_name,
                      struct asim_err *err);
/* The same for <prefix>.<rank>.et. */
int asim_file_set_rank(struct asim_file_set *set, const char *prefix, uint32_t rank,
                       const char **temp_name, struct asim_err *err);
/* Opens <prefix><tail> of the set for writing; without force none is replaced. The caller commits
 * or discards *out. */
int asim_file_set_open(struct asim_file_set *set, struct asim_out *out, const char *prefix,
                       const char *tail, struct asim_err *err);
/* Fails if both names stand for one file, which would be read and written; NULL is allowed. */
int asim_file_set_refuse_overwrite(const char *input, const char *output, struct asim_err *err);
/* Fails if the file is there and force is 0. Standard output, devices and pipes are no files. */
int asim_file_set_refuse_existing(const char *path, int force, struct asim_err *err);
/* Fails if there is a trace <prefix>.<rank>.et of any rank; NULL is allowed. */
int asim_file_set_refuse_existing_set(const char *prefix, struct asim_err *err);
/* Fails if two outputs are one file. */
int asim_file_set_refuse_duplicate(const char *a, const char *b, struct asim_err *err);
/* Renames all files to their final names if code is 0, else removes the temporary files. Returns
 * code or the failure of a rename, and empties the set. */
int asim_file_set_end(struct asim_file_set *set, int code, struct asim_err *err);

#endif
