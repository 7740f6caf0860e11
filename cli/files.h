/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The files that a command's options name: none is read and written, none is written twice, and
 * none is replaced without --force but results (ASIM_F_RESULT).
 */
#ifndef ASIM_CLI_FILES_H
#define ASIM_CLI_FILES_H

#include "cli/args.h"

/* Checks the rows of the first table that have ASIM_F_WRITES against those of all tables that have
 * ASIM_F_READS. words: such flags for
 * the arguments that are no options. */
int asim_files_check(const struct asim_args *args, unsigned words, struct asim_err *err);

/* 1 after --force, or --compat of commands that have it. */
int asim_files_force(const struct asim_args *args);

/* Folders of the first table's outputs that are not there before a command's work. */
struct asim_files_new {
    struct {
        const char *path; /* borrowed */
        size_t from;
    } at[8];
    size_t n;
};
void asim_files_begin(struct asim_files_new *files, const struct asim_args *args);
/* After a failure, removes the empty ones. */
void asim_files_end(const struct asim_files_new *files, int failed);

/* Fails if the file of that name in an output folder (NULL: none) is one of the files that the
 * command reads. */
int asim_files_check_inside(const struct asim_args *args, unsigned words, const char *folder,
                            const char *name, struct asim_err *err);

#endif
