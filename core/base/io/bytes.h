/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A file as bytes at offsets, for traces read once in order and later here and there. A buffer of
 * it is kept in memory: 64 KiB while reading in order, 16 KiB (or the whole file, if smaller)
 * afterwards; a file of ASIM_BYTES_SMALL at most is read once. No descriptor stays open between
 * reads of a plain file, so one process can hold 16,384 traces; a file that changed in between is
 * noticed by its size and times.
 *
 * A gzip file (by its first bytes, whatever its name) is inflated at open into an unlinked
 * temporary file under $TMPDIR (else /tmp), whose descriptor stays open until close.
 *
 * One struct per open trace, owned by its reader; path and buffer are freed by asim_bytes_close.
 */
#ifndef ASIM_BASE_IO_BYTES_H
#define ASIM_BASE_IO_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "asim/err.h"

#define ASIM_BYTES_SEQUENTIAL (64u << 10) /* buffer while reading in order */
#define ASIM_BYTES_RANDOM     (16u << 10) /* and afterwards */
#define ASIM_BYTES_SMALL      1024u       /* whole files of one op or two: not read again */

struct asim_bytes {
    char *path; /* as the user wrote it */
    int fd;     /* -1 between reads of a plain file */
    int is_gzip;
    int is_sequential; /* until asim_bytes_end_sequential */
    uint64_t size;     /* of the content, inflated */
    uint64_t device, inode;
    struct timespec changed;
    unsigned char *buffer;
    uint64_t buffer_at; /* offset of buffer[0] */
    size_t buffer_n, buffer_cap;
};

/* Fails with one sentence that names the path. */
int asim_bytes_open(struct asim_bytes *bytes, const char *path, struct asim_err *err);

struct asim_bytes_ask {
    uint64_t at;
    size_t want;
};
/* Points *data at `want` bytes from `at`, or fewer where the file ends; *got says how many.
 * Borrowed until the next call. */
int asim_bytes_get(struct asim_bytes *bytes, struct asim_bytes_ask ask, const unsigned char **data,
                   size_t *got, struct asim_err *err);
/* The reading in order is over: gives the buffer's memory (but of a file that is small) and a plain
 * file's descriptor back. */
void asim_bytes_end_sequential(struct asim_bytes *bytes);
/* Safe on a zeroed struct. */
void asim_bytes_close(struct asim_bytes *bytes);

#endif
