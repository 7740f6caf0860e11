/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inflates a gzip file once, so that its bytes have offsets.
 */
#ifndef ASIM_BASE_IO_INFLATE_H
#define ASIM_BASE_IO_INFLATE_H

#include <stdint.h>
#include "asim/err.h"

/* Inflates the file at path into an unlinked temporary file under $TMPDIR (else /tmp). The caller
 * closes *fd, which is open for reading; *size is its size. Limit 64 GiB. */
int asim_inflate(const char *path, int *fd, uint64_t *size, struct asim_err *err);

/* "cannot open trace 'PATH': ..." for an errno, with advice if file descriptors have run out. */
int asim_inflate_refuse_open(const char *path, int why, struct asim_err *err);

#endif
