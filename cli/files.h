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

/* Fails if the file of that name in an output folder (NULL: none) is one of the files that the
 * command reads. */
int asim_files_check_inside(const struct asim_args *args, unsigned words, const char *folder,
                            const char *name, struct asim_err *err);

#endif
