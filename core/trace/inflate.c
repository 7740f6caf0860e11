/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See inflate.h. zlib checks length and CRC at the end of each member; a file cut short or
 * damaged is therefore refused here, before any record of it is looked at. The ceiling stops a
 * small hostile file (gzip reaches 1000:1) from filling the disk.
 *
 * Cost: the inflated size in disk space and one pass of zlib per rank at opening. A plain .et costs
 * neither: for large jobs gunzip the traces once.
 */
#include "trace/inflate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define BLOCK_BYTES   65536u
#define CEILING_BYTES (64ull << 30)

/* A file without a name: gone when it is closed, even if the run is killed.
 * TMPDIR decides where; a trace of gigabytes may not fit a small /tmp, hence the advice in the
 * message. */
static int temporary(int *fd, struct asim_err *err)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    size_t n = strlen(folder) + sizeof "/asim-XXXXXX";
    char *name = malloc(n);
    if (!name)
        return asim_err_nomem(err, "inflating a trace");
    snprintf(name, n, "%s/asim-XXXXXX", folder);
    *fd = mkstemp(name);
    int rc = 0;
    if (*fd < 0)
        rc = asim_err_set(err, ASIM_EIO,
                          "cannot make a temporary file in '%s' to inflate a gzip trace: %s; set "
                          "TMPDIR to a folder with room, or gunzip the traces",
                          folder, strerror(errno));
    else
        unlink(name);
    free(name);
    return rc;
}

/* Short writes and interrupts are normal; -1 with errno set is not. */
static int write_all(int fd, const unsigned char *data, size_t n)
{
    while (n) {
        ssize_t put = write(fd, data, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        data += put;
        n -= (size_t)put;
    }
    return 0;
}

/* ASIM_ENOMEM stands for the ceiling, ASIM_EIO for the disk, ASIM_EINVAL for the gzip data. */
static int copy(gzFile from, int to, uint64_t *size)
{
    unsigned char block[BLOCK_BYTES];
    int n;
    *size = 0;
    while ((n = gzread(from, block, sizeof block)) > 0) {
        *size += (uint64_t)n;
        if (*size > CEILING_BYTES)
            return ASIM_ENOMEM;
        if (write_all(to, block, (size_t)n))
            return ASIM_EIO;
    }
    return n < 0 ? ASIM_EINVAL : 0;
}

/* zlib leaves errno at 0 when only memory was missing. */
static int inflate_into(const char *path, int fd, uint64_t *size, struct asim_err *err)
{
    errno = 0;
    gzFile from = gzopen(path, "rb");
    if (!from && errno == 0)
        return asim_err_nomem(err, "inflating a trace");
    if (!from)
        return asim_err_set(err, ASIM_EIO, "cannot open trace '%s': %s", path, strerror(errno));
    int rc = copy(from, fd, size);
    int saved = errno;
    if (gzclose(from) != Z_OK && !rc)
        rc = ASIM_EINVAL;
    if (rc == ASIM_EINVAL)
        asim_err_set(err, rc,
                     "trace '%s' is a damaged or cut gzip file: inflating stops after %llu bytes; "
                     "copy it again from its source",
                     path, (unsigned long long)*size);
    else if (rc == ASIM_ENOMEM)
        asim_err_set(err, rc, "trace '%s' inflates to more than %llu GiB, the most asim accepts",
                     path, CEILING_BYTES >> 30);
    else if (rc)
        asim_err_set(err, rc,
                     "cannot write the inflated copy of '%s': %s; set TMPDIR to a folder with room",
                     path, strerror(saved));
    return rc;
}

/* *fd is the caller's, readable at any offset; -1 on failure. Costs the inflated size on disk. */
int asim_inflate(const char *path, int *fd, uint64_t *size, struct asim_err *err)
{
    int rc = temporary(fd, err);
    if (rc)
        return rc;
    rc = inflate_into(path, *fd, size, err);
    if (rc) {
        close(*fd);
        *fd = -1;
    }
    return rc;
}
