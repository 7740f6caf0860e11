/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inflates a gzip file into a temporary one. zlib checks length and CRC at the end of each member,
 * so a file that is cut, followed by other data, or damaged is refused before any record is read.
 * The limit stops a small hostile file (gzip reaches 1000:1) from filling the disk.
 *
 * Cost: the inflated size in disk space and one pass of zlib per rank at opening. A plain .et costs
 * neither: for large jobs gunzip the traces once.
 */
#include "base/io/inflate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/text.h"

#define BLOCK_BYTES   65536u
#define GZIP_ONLY     16 /* of inflateInit2 */
#define CEILING_BYTES (16ull << 30)

/* In the environment, as TMPDIR: both belong to the process and not to one of many readers. */
uint64_t asim_inflate_limit(void)
{
    const char *text = getenv("ASIM_MAX_TRACE_SIZE");
    uint64_t bytes;

    return text && !asim_text_size(text, &bytes) && bytes ? bytes : CEILING_BYTES;
}

int asim_inflate_refuse_size(const char *path, struct asim_err *err)
{
    return asim_err_set(err, ASIM_ENOMEM,
                        "'%s' inflates to more than %.6g GiB, the limit; if it is a trace and no "
                        "damage, raise the limit, as with --max-trace-size=64GiB",
                        path, (double)asim_inflate_limit() / 1073741824.0);
}

/* Jobs of thousands of ranks run out of file descriptors first, so this cause gets advice. */
int asim_inflate_refuse_open(const char *path, int why, struct asim_err *err)
{
    const char *hint = "";
    if (why == EMFILE || why == ENFILE)
        hint = "; raise the limit of open files (ulimit -n) or gunzip the traces: each gzip trace "
               "holds one, plain traces hold none";
    return asim_err_set(err, ASIM_EIO, "cannot open trace '%s': %s%s", path, strerror(why), hint);
}

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
        rc = asim_inflate_refuse_open(path, errno, err);
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

/* The ways the inflation ends. */
enum end { WHOLE, DAMAGED, FOLLOWED, NO_MEMORY, TOO_LARGE, UNREADABLE, NO_ROOM };

struct source {
    int fd;
    int between; /* a member has ended, and no byte of the next was read */
    int full;    /* the bytes read so far may give more output */
    int members; /* members that have ended */
    uint64_t limit;
    z_stream z;
    unsigned char in[BLOCK_BYTES], out[BLOCK_BYTES];
};

/* Returns the number of bytes to inflate, 0 at the end of the file, or -1 with errno. */
static ssize_t fill(struct source *from)
{
    ssize_t n;
    if (from->z.avail_in)
        return (ssize_t)from->z.avail_in;
    do
        n = read(from->fd, from->in, sizeof from->in);
    while (n < 0 && errno == EINTR);
    from->z.next_in = from->in;
    from->z.avail_in = n > 0 ? (uInt)n : 0;
    return n;
}

/* Zeros after a member are padding, as in gzip. Returns 1 if something else follows. */
static int begin_member(struct source *from)
{
    while (from->z.avail_in && !*from->z.next_in) {
        from->z.next_in++;
        from->z.avail_in--;
    }
    if (!from->z.avail_in)
        return 0;
    from->between = 0;
    return inflateReset(&from->z) == Z_OK;
}

/* After a complete member, bytes that begin no other member are foreign. */
static enum end damage(const struct source *from)
{
    return from->members && !from->z.total_out ? FOLLOWED : DAMAGED;
}

/* Inflates one piece of at most BLOCK_BYTES. */
static enum end piece(struct source *from, int to, uint64_t *size)
{
    from->z.next_out = from->out;
    from->z.avail_out = BLOCK_BYTES;
    int code = inflate(&from->z, Z_NO_FLUSH);
    size_t n = BLOCK_BYTES - from->z.avail_out;
    if (code == Z_MEM_ERROR)
        return NO_MEMORY;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return damage(from);
    from->between = code == Z_STREAM_END;
    from->full = !from->between && !from->z.avail_out;
    from->members += from->between;
    *size += n;
    if (*size > from->limit)
        return TOO_LARGE;
    return write_all(to, from->out, n) ? NO_ROOM : WHOLE;
}

/* zlib's gzread would silently stop at foreign bytes after the last member. */
static enum end copy(struct source *from, int to, uint64_t *size)
{
    enum end end = WHOLE;
    ssize_t n;
    while (end == WHOLE && ((n = fill(from)) != 0 || from->full)) {
        if (n < 0)
            return UNREADABLE;
        if (!from->between || begin_member(from))
            end = piece(from, to, size);
    }
    return end == WHOLE && !from->between ? damage(from) : end;
}

static int say_end(enum end end, const char *path, uint64_t size, struct asim_err *err)
{
    switch (end) {
    case DAMAGED:
        return asim_err_set(err, ASIM_EINVAL,
                            "trace '%s' is a damaged or cut gzip file: inflating stops after %llu "
                            "bytes; copy it again from its source",
                            path, (unsigned long long)size);
    case FOLLOWED:
        return asim_err_set(err, ASIM_EINVAL,
                            "trace '%s' is a gzip file with something else behind its end, after "
                            "%llu inflated bytes; copy it again from its source, or cut that off",
                            path, (unsigned long long)size);
    case NO_MEMORY:
        return asim_err_nomem(err, "inflating a trace");
    case TOO_LARGE:
        return asim_inflate_refuse_size(path, err);
    case UNREADABLE:
        return asim_err_set(err, ASIM_EIO, "cannot read trace '%s': %s", path, strerror(errno));
    default:
        return asim_err_set(
            err, ASIM_EIO,
            "cannot write the inflated copy of '%s': %s; set TMPDIR to a folder with room", path,
            strerror(errno));
    }
}

static int inflate_into(const char *path, int fd, uint64_t *size, struct asim_err *err)
{
    struct source *from = calloc(1, sizeof *from);
    enum end end = WHOLE;
    int rc = 0;
    if (!from)
        return asim_err_nomem(err, "inflating a trace");
    *size = 0;
    from->limit = asim_inflate_limit();
    from->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (from->fd < 0)
        rc = asim_inflate_refuse_open(path, errno, err);
    else if (inflateInit2(&from->z, MAX_WBITS + GZIP_ONLY) != Z_OK)
        rc = asim_err_nomem(err, "inflating a trace");
    else
        end = copy(from, fd, size);
    if (end != WHOLE)
        rc = say_end(end, path, *size, err);
    inflateEnd(&from->z);
    if (from->fd >= 0)
        close(from->fd);
    free(from);
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
