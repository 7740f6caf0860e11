/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The bytes of a file in order; a gzip file, recognised by its first bytes, is inflated. A file
 * that is cut, damaged or followed by foreign data is an error.
 */
#ifndef ASIM_BASE_IO_UNPACK_H
#define ASIM_BASE_IO_UNPACK_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

struct asim_unpack;

/* path is borrowed. A gzip file may inflate to at most ASIM_MAX_TRACE_SIZE (the environment
 * variable, "64GiB"; the tool's --max-trace-size sets it), else 16 GiB. */
int asim_unpack_open(struct asim_unpack **unpack, const char *path, struct asim_err *err);
/* *got: size, or fewer bytes at the end of the file. */
int asim_unpack_read(struct asim_unpack *unpack, char *to, size_t size, size_t *got,
                     struct asim_err *err);
int asim_unpack_is_packed(const struct asim_unpack *unpack);
/* Starts again from the first byte. */
int asim_unpack_rewind(struct asim_unpack *unpack, struct asim_err *err);
/* "cannot open trace 'PATH': ..." for an errno, with advice if file descriptors have run out. */
int asim_unpack_refuse_open(const char *path, int why, struct asim_err *err);
/* NULL is allowed. */
void asim_unpack_close(struct asim_unpack *unpack);

#endif
