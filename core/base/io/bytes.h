/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A file as bytes at offsets, for traces: read once in order, later at single positions. A buffer
 * holds 64 KiB while the file is read in order, and 16 KiB (or the whole file, if smaller)
 * afterwards; a file of at most ASIM_BYTES_SMALL bytes is read once. No descriptor of a plain file
 * stays open between reads, so that one process can hold 16,384 traces. Size and times of a file
 * show whether it has changed in between.
 *
 * A gzip file (recognised by its first bytes) is inflated at open into an unlinked temporary file
 * under $TMPDIR (else /tmp), whose descriptor stays open until close.
 */
#ifndef ASIM_BASE_IO_BYTES_H
#define ASIM_BASE_IO_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "asim/err.h"

#define ASIM_BYTES_SEQUENTIAL (64u << 10) /* buffer while reading in order */
#define ASIM_BYTES_RANDOM     (16u << 10) /* buffer for single positions */
#define ASIM_BYTES_SMALL      1024u       /* files of one or two ops stay in memory */

struct asim_bytes {
    char *path;        /* as the user wrote it */
    int fd;            /* -1 between reads of a plain file */
    int is_gzip;       /* or replaced: the descriptor stays open */
    int is_sequential; /* until asim_bytes_end_sequential */
    uint64_t size;     /* of the content, inflated */
    uint64_t device, inode;
    struct timespec changed;
    unsigned char *buffer;
    uint64_t buffer_at; /* offset of buffer[0] */
    size_t buffer_n, buffer_cap;
};

/* The error names the path. */
int asim_bytes_open(struct asim_bytes *bytes, const char *path, struct asim_err *err);

/* Other content in the place of the file's: an open descriptor, which close ends. */
void asim_bytes_replace(struct asim_bytes *bytes, int fd, uint64_t size);

struct asim_bytes_ask {
    uint64_t at;
    size_t want;
};
/* Sets *data to `want` bytes from `at`, or fewer at the end of the file; *got is their number.
 * Borrowed until the next call. */
int asim_bytes_get(struct asim_bytes *bytes, struct asim_bytes_ask ask, const unsigned char **data,
                   size_t *got, struct asim_err *err);
/* Ends the reading in order: frees the buffer (unless the file is small) and closes the descriptor
 * of a plain file. */
void asim_bytes_end_sequential(struct asim_bytes *bytes);
/* Also closes an all-zero struct. */
void asim_bytes_close(struct asim_bytes *bytes);

#endif
