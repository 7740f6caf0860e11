/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inflates a gzip file once, so that its bytes have offsets.
 */
#ifndef ASIM_BASE_IO_INFLATE_H
#define ASIM_BASE_IO_INFLATE_H

#include <stdint.h>
#include "asim/err.h"

/* Inflates the file at path into an unlinked temporary file under $TMPDIR (else /tmp). The caller
 * closes *fd, which is open for reading; *size is its size. */
int asim_inflate(const char *path, int *fd, uint64_t *size, struct asim_err *err);

#endif
