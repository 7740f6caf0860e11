/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a file in pieces, at any position. A refill is one pread at the position; a record that
 * straddles two buffers is read twice (a few bytes in 64 KiB). Reopening compares the file's
 * identity: a trace that was replaced during a run would make the stored positions meaningless.
 *
 * Three states: sequential (a 64 KiB buffer, file open), idle (no buffer, plain files closed),
 * single records (a small buffer, reopened per read). A gzip trace keeps its temporary file open in
 * all of them.
 */
#include "base/io/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/inflate.h"
#include "base/io/unpack.h"

#define GZIP_MAGIC_0 0x1f
#define GZIP_MAGIC_1 0x8b

/* errno holds the reason. */
static int open_error(const char *path, struct asim_err *err)
{
    return asim_unpack_refuse_open(path, errno, err);
}

/* The first call stores the file's identity, later calls compare it. */
static int check_same(struct asim_bytes *bytes, int first, struct asim_err *err)
{
    struct stat st;
    if (fstat(bytes->fd, &st))
        return open_error(bytes->path, err);
    if (!S_ISREG(st.st_mode))
        return asim_err_set(err, ASIM_EINVAL,
                            "cannot read trace '%s': it is not a regular file; give a file", //
                            bytes->path);
    if (first) {
        bytes->size = (uint64_t)st.st_size;
        bytes->device = (uint64_t)st.st_dev;
        bytes->inode = (uint64_t)st.st_ino;
        bytes->changed = st.st_mtim;
        return 0;
    }
    if (bytes->size != (uint64_t)st.st_size || bytes->device != (uint64_t)st.st_dev ||
        bytes->inode != (uint64_t)st.st_ino || bytes->changed.tv_sec != st.st_mtim.tv_sec ||
        bytes->changed.tv_nsec != st.st_mtim.tv_nsec)
        return asim_err_set(err, ASIM_EIO,
                            "trace '%s' changed while it was in use; run again with files that "
                            "stay as they are",
                            bytes->path);
    return 0;
}

/* first = 0 reopens a file and checks that it is the same one. A pipe is refused at once. */
static int open_plain(struct asim_bytes *bytes, int first, struct asim_err *err)
{
    bytes->fd = open(bytes->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (bytes->fd < 0)
        return open_error(bytes->path, err);
    return check_same(bytes, first, err);
}

/* Does nothing if no file is open. */
static void close_fd(struct asim_bytes *bytes)
{
    if (bytes->fd >= 0)
        close(bytes->fd);
    bytes->fd = -1;
}

/* Reads n bytes at an offset, or fewer at the end of the file. */
static ssize_t read_at(int fd, unsigned char *to, size_t n, uint64_t at)
{
    size_t have = 0;
    while (have < n) {
        ssize_t got = pread(fd, to + have, n - have, (off_t)(at + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

/* Makes room for n bytes in the buffer; shrinks a buffer that a huge record has left. */
static int fit_buffer(struct asim_bytes *bytes, size_t n, struct asim_err *err)
{
    if (bytes->buffer_cap >= n && bytes->buffer_cap / 2 <= n)
        return 0;
    free(bytes->buffer);
    bytes->buffer_n = bytes->buffer_cap = 0;
    bytes->buffer = malloc(n);
    if (!bytes->buffer)
        return asim_err_nomem(err, "reading a trace");
    bytes->buffer_cap = n;
    return 0;
}

/* The buffer is large while the file is read in order and small for single records later, and
 * always holds the whole record. Never reads behind the end. */
static int refill(struct asim_bytes *bytes, struct asim_bytes_ask ask, struct asim_err *err)
{
    uint64_t left = bytes->size - ask.at;
    size_t n = ask.want > ASIM_BYTES_SEQUENTIAL || bytes->is_sequential ? ASIM_BYTES_SEQUENTIAL
                                                                        : ASIM_BYTES_RANDOM;
    if (n < ask.want)
        n = ask.want;
    if (n > left)
        n = (size_t)left;
    int rc = fit_buffer(bytes, n, err);
    if (!rc && bytes->fd < 0)
        rc = open_plain(bytes, 0, err);
    if (rc)
        return rc;
    ssize_t got = read_at(bytes->fd, bytes->buffer, n, ask.at);
    if (got < 0)
        rc = asim_err_set(err, ASIM_EIO, "cannot read trace '%s' at byte %llu: %s", bytes->path,
                          (unsigned long long)ask.at, strerror(errno));
    bytes->buffer_at = ask.at;
    bytes->buffer_n = got < 0 ? 0 : (size_t)got;
    if (!bytes->is_sequential && !bytes->is_gzip)
        close_fd(bytes);
    return rc;
}

/* *data is borrowed until the next call. */
int asim_bytes_get(struct asim_bytes *bytes, struct asim_bytes_ask ask, const unsigned char **data,
                   size_t *got, struct asim_err *err)
{
    *data = NULL;
    *got = 0;
    if (ask.at >= bytes->size)
        return 0;
    if (ask.want > bytes->size - ask.at)
        ask.want = (size_t)(bytes->size - ask.at);
    int inside = ask.at >= bytes->buffer_at && ask.at - bytes->buffer_at <= bytes->buffer_n &&
                 ask.want <= bytes->buffer_n - (ask.at - bytes->buffer_at);
    int rc = inside ? 0 : refill(bytes, ask, err);
    if (rc)
        return rc;
    size_t skip = (size_t)(ask.at - bytes->buffer_at);
    *data = bytes->buffer + skip;
    *got = bytes->buffer_n - skip < ask.want ? bytes->buffer_n - skip : ask.want;
    return 0;
}

static void drop_buffer(struct asim_bytes *bytes)
{
    free(bytes->buffer);
    bytes->buffer = NULL;
    bytes->buffer_n = bytes->buffer_cap = 0;
}

/* Inflates a gzip file at once, so that records have offsets. After a failure nothing stays
 * open. */
int asim_bytes_open(struct asim_bytes *bytes, const char *path, struct asim_err *err)
{
    *bytes = (struct asim_bytes){.fd = -1, .is_sequential = 1};
    size_t n = strlen(path) + 1;
    bytes->path = malloc(n);
    if (!bytes->path)
        return asim_err_nomem(err, "opening a trace");
    memcpy(bytes->path, path, n);
    const unsigned char *magic;
    size_t got = 0;
    int rc = open_plain(bytes, 1, err);
    if (!rc)
        rc = asim_bytes_get(bytes, (struct asim_bytes_ask){.want = 2}, &magic, &got, err);
    if (got == 2 && magic[0] == GZIP_MAGIC_0 && magic[1] == GZIP_MAGIC_1) {
        drop_buffer(bytes);
        close_fd(bytes);
        bytes->is_gzip = 1;
        rc = asim_inflate(path, &bytes->fd, &bytes->size, err);
    }
    if (rc)
        asim_bytes_close(bytes);
    return rc;
}

void asim_bytes_replace(struct asim_bytes *bytes, int fd, uint64_t size)
{
    drop_buffer(bytes);
    close_fd(bytes);
    bytes->is_gzip = 1;
    bytes->fd = fd;
    bytes->size = size;
}

/* An idle plain trace holds no descriptor and almost no memory: one process can have tens of
 * thousands of ranks. */
void asim_bytes_end_sequential(struct asim_bytes *bytes)
{
    bytes->is_sequential = 0;
    if (bytes->buffer_n != bytes->size || bytes->size > ASIM_BYTES_SMALL)
        drop_buffer(bytes);
    if (!bytes->is_gzip)
        close_fd(bytes);
}

/* Also takes a struct whose open failed, and a second call. */
void asim_bytes_close(struct asim_bytes *bytes)
{
    if (!bytes->path)
        return;
    drop_buffer(bytes);
    close_fd(bytes);
    free(bytes->path);
    bytes->path = NULL;
}
