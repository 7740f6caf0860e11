/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inflates a gzip file into a temporary one (unpack.h), so a file that is cut, followed by other
 * data, or damaged is refused before any record is read.
 *
 * Cost: the inflated size in disk space and one pass of zlib per rank at opening. A plain .et costs
 * neither: for large jobs gunzip the traces once.
 */
#include "base/io/inflate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/io/unpack.h"

#define PIECE_BYTES 65536u

/* An unlinked file: it disappears at close, even if the run is killed. TMPDIR chooses the folder,
 * because a small /tmp may not hold a trace of gigabytes. */
static int temporary(const char *path, int *fd, struct asim_err *err)
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
    if (*fd < 0 && (errno == EMFILE || errno == ENFILE))
        rc = asim_unpack_refuse_open(path, errno, err);
    else if (*fd < 0)
        rc = asim_err_set(err, ASIM_EIO,
                          "cannot make a temporary file in '%s' to inflate a gzip trace: %s; set "
                          "TMPDIR to a folder with room, or gunzip the traces",
                          folder, strerror(errno));
    else
        unlink(name);
    free(name);
    return rc;
}

/* Handles short writes and interrupts. Returns -1 with errno on failure. */
static int write_all(int fd, const char *data, size_t n)
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

static int inflate_into(const char *path, int fd, uint64_t *size, struct asim_err *err)
{
    char *piece = malloc(PIECE_BYTES);
    struct asim_unpack *from = NULL;
    size_t got = 1;
    int rc = piece ? asim_unpack_open(&from, path, err) : asim_err_nomem(err, "inflating a trace");

    for (*size = 0; !rc && got; *size += got) {
        rc = asim_unpack_read(from, piece, PIECE_BYTES, &got, err);
        if (!rc && write_all(fd, piece, got))
            rc = asim_err_set(err, ASIM_EIO,
                              "cannot write the inflated copy of '%s': %s; set TMPDIR to a folder "
                              "with room",
                              path, strerror(errno));
    }
    asim_unpack_close(from);
    free(piece);
    return rc;
}

/* The caller closes *fd, which is readable at any offset; -1 after a failure. */
int asim_inflate(const char *path, int *fd, uint64_t *size, struct asim_err *err)
{
    int rc = temporary(path, fd, err);
    if (rc)
        return rc;
    rc = inflate_into(path, *fd, size, err);
    if (rc) {
        close(*fd);
        *fd = -1;
    }
    return rc;
}
