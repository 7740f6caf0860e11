/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Files of neighbours, recognised by their first bytes where another file was expected.
 */
#ifndef ASIM_BASE_IO_FOREIGN_H
#define ASIM_BASE_IO_FOREIGN_H

#include <stddef.h>
#include "asim/err.h"

/* "an algorithm of MSCCL; 'asim trace msccl' …" for the start of a file, or NULL. */
const char *asim_foreign(const char *data, size_t size);
/* The same, for what is no text. */
const char *asim_foreign_binary(const char *data, size_t size);
/* The same for a file; NULL also where it cannot be read. */
const char *asim_foreign_file(const char *path);
/* For what a reader of files of one kind returns, rc: where it refused the file, err says what it is
 * instead, unless that is the kind itself (the first words of a row of foreign.c, or NULL). Returns
 * rc. */
int asim_foreign_instead(int rc, const char *path, const char *kind, struct asim_err *err);
/* For a file that was refused, err (or NULL): says what it is instead, where that is known. Returns
 * the code of err. */
int asim_foreign_say(const char *name, const char *data, size_t size, struct asim_err *err);

#endif
