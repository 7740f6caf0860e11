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

/* The most bytes that a gzip file may inflate to: the environment variable ASIM_MAX_TRACE_SIZE
 * ("64GiB"; the tool's --max-trace-size sets it), else 16 GiB. */
uint64_t asim_inflate_limit(void);
/* "… inflates to more than …, the limit; …". */
int asim_inflate_refuse_size(const char *path, struct asim_err *err);

/* "cannot open trace 'PATH': ..." for an errno, with advice if file descriptors have run out. */
int asim_inflate_refuse_open(const char *path, int why, struct asim_err *err);

#endif
