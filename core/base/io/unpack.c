/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inflates gzip input piece by piece. zlib's gzread does not serve: it accepts a missing check sum
 * and foreign data after the last member, and takes a cut header for an empty file. The limit stops
 * a small hostile file (gzip reaches 1000:1) from filling the disk.
 */
#define _XOPEN_SOURCE 700
#include "base/io/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/text.h"

#define BLOCK_BYTES   ((size_t)1 << 17) /* larger blocks are not faster */
#define GZIP_ONLY     16                /* of inflateInit2 */
#define CEILING_BYTES (16ull << 30)

/* In the environment, as TMPDIR: both belong to the process and not to one of many readers. */
static uint64_t size_limit(void)
{
    const char *text = getenv("ASIM_MAX_TRACE_SIZE");
    uint64_t bytes;

    return text && !asim_text_size(text, &bytes) && bytes ? bytes : CEILING_BYTES;
}

static int refuse_size(const char *path, struct asim_err *err)
{
    return asim_err_set(err, ASIM_ENOMEM,
                        "'%s' inflates to more than %.6g GiB, the limit; if it is a trace and no "
                        "damage, raise the limit, as with --max-trace-size=64GiB",
                        path, (double)size_limit() / 1073741824.0);
}

/* Jobs of thousands of ranks run out of file descriptors first, so this cause gets advice. */
int asim_unpack_refuse_open(const char *path, int why, struct asim_err *err)
{
    const char *hint = "";
    if (why == EMFILE || why == ENFILE)
        hint = "; raise the limit of open files (ulimit -n) or gunzip the traces: each gzip trace "
               "holds one, plain traces hold none";
    return asim_err_set(err, ASIM_EIO, "cannot open trace '%s': %s%s", path, strerror(why), hint);
}

struct asim_unpack {
    const char *path;
    int fd;
    int is_packed, is_ended; /* is_ended: the file has no bytes after `in` */
    int between;             /* a gzip member has ended, and the next has not begun */
    uint64_t members, bytes; /* members that have ended; bytes delivered */
    uint64_t limit;          /* of the bytes of a gzip file */
    z_stream z;
    unsigned char in[BLOCK_BYTES];
};

static int fail(const struct asim_unpack *u, struct asim_err *err)
{
    return asim_err_set(err, ASIM_EIO, "%s: reading failed behind byte %llu%s: %s.", u->path,
                        (unsigned long long)u->bytes, u->is_packed ? " (unpacked)" : "",
                        strerror(errno));
}

/* Reads until size or the end of the file: pipes give pieces. Returns -1 with errno on failure. */
static int64_t take(struct asim_unpack *u, void *to, size_t size)
{
    size_t n = 0;

    while (n < size && !u->is_ended) {
        ssize_t got = read(u->fd, (char *)to + n, size - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        u->is_ended = !got;
        n += (size_t)got;
    }
    return (int64_t)n;
}

static int fill(struct asim_unpack *u, struct asim_err *err)
{
    int64_t n = u->z.avail_in ? (int64_t)u->z.avail_in : take(u, u->in, sizeof u->in);

    if (n < 0)
        return fail(u, err);
    if (!u->z.avail_in)
        u->z.next_in = u->in;
    u->z.avail_in = (uInt)n;
    return 0;
}

/* After a complete member, bytes that begin no other member are foreign. */
static int damage(const struct asim_unpack *u, struct asim_err *err)
{
    if (u->members && !u->z.total_out)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: something else stands behind the end of this gzip file, after "
                            "%llu unpacked bytes; copy it again from its source, or cut that off.",
                            u->path, (unsigned long long)u->bytes);
    return asim_err_set(err, ASIM_EINVAL,
                        "%s: this gzip file is damaged or cut: unpacking stops after %llu bytes; "
                        "copy it again from its source.",
                        u->path, (unsigned long long)u->bytes);
}

/* Zeros after a member are padding, as in gzip. */
static void begin_member(struct asim_unpack *u)
{
    while (u->z.avail_in && !*u->z.next_in) {
        u->z.next_in++;
        u->z.avail_in--;
    }
    if (u->z.avail_in) {
        u->between = 0;
        inflateReset(&u->z);
    }
}

/* One call of zlib; it may hold output back when no input is left. */
static int step(struct asim_unpack *u, struct asim_err *err)
{
    uInt room = u->z.avail_out;
    int code = inflate(&u->z, Z_NO_FLUSH), is_stuck = code == Z_BUF_ERROR && u->is_ended;

    u->bytes += room - u->z.avail_out;
    if (code == Z_MEM_ERROR)
        return asim_err_nomem(err, "unpacking a file");
    if ((code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) || is_stuck)
        return damage(u, err);
    u->between = code == Z_STREAM_END;
    u->members += code == Z_STREAM_END;
    return 0;
}

static int inflate_some(struct asim_unpack *u, size_t size, struct asim_err *err)
{
    int code = 0;

    u->z.avail_out = (uInt)size;
    while (u->z.avail_out && !code) {
        code = fill(u, err);
        if (!code && u->between)
            begin_member(u);
        if (u->between && u->is_ended && !u->z.avail_in)
            break;
        if (!code && !u->between)
            code = step(u, err);
    }
    return code;
}

int asim_unpack_read(struct asim_unpack *u, char *to, size_t size, size_t *got,
                     struct asim_err *err)
{
    size_t n = u->is_packed ? 0 : u->z.avail_in < size ? u->z.avail_in : size;
    int64_t more;
    int code = 0;

    if (u->is_packed) {
        u->z.next_out = (unsigned char *)to;
        code = inflate_some(u, size, err);
        *got = size - u->z.avail_out;
        if (!code && u->bytes > u->limit)
            code = refuse_size(u->path, err);
    } else { /* first the bytes that open has read */
        memcpy(to, u->z.next_in, n);
        u->z.next_in += n;
        u->z.avail_in -= (uInt)n;
        more = take(u, to + n, size - n);
        code = more < 0 ? fail(u, err) : 0;
        *got = n + (size_t)(more < 0 ? 0 : more);
        u->bytes += *got;
    }
    return code;
}

/* Two bytes identify a gzip file. */
static int begin(struct asim_unpack *u, struct asim_err *err)
{
    int64_t n;

    u->is_ended = u->between = u->is_packed = 0;
    u->members = u->bytes = 0;
    u->limit = size_limit();
    n = take(u, u->in, 2);
    if (n < 0)
        return fail(u, err);
    u->z.next_in = u->in;
    u->z.avail_in = (uInt)n;
    u->is_packed = n == 2 && u->in[0] == 0x1f && u->in[1] == 0x8b;
    return 0;
}

int asim_unpack_open(struct asim_unpack **unpack, const char *path, struct asim_err *err)
{
    struct asim_unpack *u = calloc(1, sizeof *u);
    struct stat st;
    int code;

    *unpack = u;
    if (!u)
        return asim_err_nomem(err, "opening a file");
    u->path = path;
    u->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (u->fd < 0)
        code = asim_unpack_refuse_open(path, errno, err);
    else if (!fstat(u->fd, &st) && S_ISDIR(st.st_mode))
        code = asim_err_set(err, ASIM_EIO, "%s: this is a folder; give the name of a file.", path);
    else if (inflateInit2(&u->z, MAX_WBITS + GZIP_ONLY) != Z_OK)
        code = asim_err_nomem(err, "opening a file");
    else
        code = begin(u, err);
    if (code) {
        asim_unpack_close(u);
        *unpack = NULL;
    }
    return code;
}

int asim_unpack_is_packed(const struct asim_unpack *u)
{
    return u->is_packed;
}

int asim_unpack_rewind(struct asim_unpack *u, struct asim_err *err)
{
    if (lseek(u->fd, 0, SEEK_SET) || inflateReset(&u->z) != Z_OK)
        return asim_err_set(err, ASIM_EIO, "%s: cannot be read a second time.", u->path);
    return begin(u, err);
}

void asim_unpack_close(struct asim_unpack *u)
{
    if (!u)
        return;
    inflateEnd(&u->z);
    if (u->fd >= 0)
        close(u->fd);
    free(u);
}
