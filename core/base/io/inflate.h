/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A gzip file inflated once, so that its bytes have offsets one can go back to.
 *
 * Called once per gzip trace, when it is opened.
 */
#ifndef ASIM_BASE_IO_INFLATE_H
#define ASIM_BASE_IO_INFLATE_H

#include <stdint.h>
#include "asim/err.h"

/* Inflates the file at path into a temporary file under $TMPDIR (else /tmp) that has no name any
 * more; *fd is open for reading and the caller's to close, *size its bytes. Ceiling 64 GiB. */
int asim_inflate(const char *path, int *fd, uint64_t *size, struct asim_err *err);

/* "cannot open trace 'PATH': ..." for an errno, with advice where files have run out. */
int asim_inflate_refuse_open(const char *path, int why, struct asim_err *err);

#endif
