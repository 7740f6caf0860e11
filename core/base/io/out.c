/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Output files that are complete or absent: rename is atomic within a folder (POSIX), so no reader
 * sees a half-written report. An existing path that is not a regular file (/dev/null, a pipe) is
 * written directly, because a rename would replace it.
 *
 * The sibling is made by exclusive creation, which follows no link and opens nothing that is there.
 * A file that has the name already is the user's or was left by a run that was killed: it stays,
 * and a number follows; a sibling that a killed process left is known by its mark and goes. An open
 * sibling is locked. If two outputs open one path at once, the second
 * finds the lock and is refused.
 */
#define _XOPEN_SOURCE 700 /* S_ISVTX */
#include "base/io/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/text.h"

/* Returns the first n bytes of path followed by tail; NULL if out of memory. */
static char *join(const char *path, size_t n, const char *tail)
{
    size_t m = strlen(tail);
    char *joined = malloc(n + m + 1);
    if (joined) {
        memcpy(joined, path, n);
        memcpy(joined + n, tail, m + 1);
    }
    return joined;
}

/* Another process may create the folder between a test and the call, so the call comes first, and
 * an existing folder counts as success. Other failures keep mkdir's reason. */
static int make_folder(const char *path, struct asim_err *err)
{
    struct stat st;
    if (mkdir(path, 0777) == 0)
        return 0;
    int why = errno;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    if (why == EEXIST)
        return asim_err_set(err, ASIM_EIO,
                            "cannot make the folder %s: a file has that name; give another.", path);
    return asim_err_set(err, ASIM_EIO, "cannot make the folder %s: %s.", path, strerror(why));
}

/* Accepts "a//b/" and "./a". Folders that were made stay if a later one fails. */
int asim_out_mkdir(const char *path, struct asim_err *err)
{
    struct stat st;
    size_t n = strlen(path);
    if (!n || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    char *copy = join(path, n, "");
    if (!copy)
        return asim_err_nomem(err, "making a folder");
    int code = 0;
    for (size_t i = 1; i <= n && !code; i++) {
        if ((copy[i] != '/' && copy[i] != '\0') || copy[i - 1] == '/')
            continue;
        char end = copy[i];
        copy[i] = '\0';
        code = make_folder(copy, err);
        copy[i] = end;
    }
    free(copy);
    return code;
}

size_t asim_out_missing(const char *path)
{
    size_t n = strlen(path);
    struct stat st;

    for (size_t i = 1; i <= n; i++) {
        char *part;
        int is_there;

        if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
            continue;
        part = join(path, i, "");
        is_there = !part || stat(part, &st) == 0;
        free(part);
        if (!is_there)
            return i;
    }
    return 0;
}

void asim_out_remove_empty(const char *path, size_t from)
{
    for (size_t n = strlen(path); from && n >= from; n--) {
        char *part;

        if ((path[n] != '/' && path[n] != '\0') || path[n - 1] == '/')
            continue;
        part = join(path, n, "");
        if (part)
            rmdir(part);
        free(part);
    }
}

int asim_out_mkparent(const char *path, struct asim_err *err)
{
    size_t n = asim_text_dirlen(path);
    if (!n)
        return 0;
    char *parent = join(path, n, "");
    if (!parent)
        return asim_err_nomem(err, "opening an output file");
    int code = asim_out_mkdir(parent, err);
    free(parent);
    return code;
}

/* "-" duplicates the standard output: closing it closes nothing of the caller's, and a file to
 * which stdout appends keeps its content. */
static int open_stdout(struct asim_out *out, struct asim_err *err)
{
    int fd = dup(STDOUT_FILENO);
    out->path = join("-", 1, "");
    out->file = fd < 0 || !out->path ? NULL : fdopen(fd, "wb");
    if (out->file)
        return 0;
    int why = errno;
    if (fd >= 0)
        close(fd);
    asim_out_discard(out);
    return asim_err_set(err, ASIM_EIO, "cannot write to the standard output: %s.", strerror(why));
}

/* A symbolic link is written through: /dev/stdout is one, also where it leads to a regular file. */
static int is_direct(const char *path, const struct stat *st)
{
    struct stat link;
    return !S_ISREG(st->st_mode) || (lstat(path, &link) == 0 && S_ISLNK(link.st_mode));
}

/* 1 if an output that is being written has that name. Some file systems have no locks. */
static int is_locked(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), is;

    if (fd < 0)
        return 0;
    is = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    close(fd);
    return is;
}

/* 1 if a process that was killed has left the file: an output marks its sibling with the sticky
 * bit, which no file of a user has, and locks it. */
static int is_left(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), is;
    struct stat st;

    if (fd < 0)
        return 0;
    is = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mode & S_ISVTX &&
         !flock(fd, LOCK_SH | LOCK_NB);
    close(fd);
    return is;
}

static void mark(int fd, int is_on)
{
    struct stat st;

    if (!fstat(fd, &st))
        (void)!fchmod(fd, is_on ? st.st_mode | S_ISVTX : st.st_mode & ~(mode_t)S_ISVTX);
}

/* Makes a file <path><tail>, or <path><tail>-2 and so on where the name is taken. Returns its
 * descriptor and the malloc'ed *name, or -1 with errno, EWOULDBLOCK if another output writes it. */
static int create_beside(const char *path, const char *tail, char **name)
{
    for (int k = 1; k < 1000; k++) {
        char full[64];
        int fd, why;

        snprintf(full, sizeof full, k > 1 ? "%s-%d" : "%s", tail, k);
        *name = join(path, strlen(path), full);
        if (!*name) {
            errno = ENOMEM;
            return -1;
        }
        if (is_left(*name))
            unlink(*name);
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        why = errno == EEXIST && is_locked(*name) ? EWOULDBLOCK : errno;
        free(*name);
        *name = NULL;
        errno = why;
        if (why != EEXIST)
            return -1;
    }
    return -1;
}

char *asim_out_reserve(const char *path, const char *tail)
{
    char *name;
    int fd = create_beside(path, tail, &name);

    if (fd >= 0)
        close(fd);
    return name;
}

/* Returns NULL with errno. */
static FILE *open_alone(struct asim_out *out)
{
    int fd = create_beside(out->path, ".partial", &out->partial);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");

    if (file) {
        flock(fd, LOCK_EX | LOCK_NB);
        mark(fd, 1);
    } else if (fd >= 0)
        close(fd);
    return file;
}

/* Parent folders stay if a later step fails: they may hold other outputs by then. */
int asim_out_open(struct asim_out *out, const char *path, struct asim_err *err)
{
    struct stat st;
    memset(out, 0, sizeof *out);
    if (!*path)
        return asim_err_set(err, ASIM_EINVAL, "the name of an output file is empty.");
    if (!strcmp(path, "-"))
        return open_stdout(out, err);
    int code = asim_out_mkparent(path, err);
    if (code)
        return code;
    int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return asim_err_set(err, ASIM_EIO,
                            "cannot write %s: it is a folder. Give the name of a file.", path);
    int direct = exists && is_direct(path, &st);
    out->path = join(path, strlen(path), "");
    if (!out->path)
        return asim_err_nomem(err, "opening an output file");
    out->file = direct ? fopen(out->path, "wb") : open_alone(out);
    if (!out->file) {
        int why = errno;
        asim_out_discard(out);
        if (why == EWOULDBLOCK)
            return asim_err_set(err, ASIM_EIO,
                                "%s is open for writing, by another output of this run or by "
                                "another run; give each output its own name.",
                                path);
        return why == ENOMEM
                   ? asim_err_nomem(err, "opening an output file")
                   : asim_err_set(err, ASIM_EIO, "cannot write %s: %s.", path, strerror(why));
    }
    return 0;
}

/* Keeps the first errno for the sentence of commit. */
static void latch(struct asim_out *out)
{
    if (!out->failed)
        out->failed = errno ? errno : EIO;
}

/* Does nothing after a failure. */
void asim_out_printf(struct asim_out *out, const char *fmt, ...)
{
    if (!out->file || out->failed)
        return;
    va_list args;
    va_start(args, fmt);
    errno = 0;
    if (vfprintf(out->file, fmt, args) < 0)
        latch(out);
    va_end(args);
}

void asim_out_write(struct asim_out *out, const void *data, size_t size)
{
    if (!out->file || out->failed || !size)
        return;
    errno = 0;
    if (fwrite(data, 1, size, out->file) != size)
        latch(out);
}

int asim_out_check(const struct asim_out *out, struct asim_err *err)
{
    if (!out->failed)
        return 0;
    return asim_err_set(err, ASIM_EIO, "cannot write %s: %s%s.", out->path, strerror(out->failed),
                        out->failed == EFBIG ? "; the limit of the process for files is reached "
                                               "(--max-output-size, ulimit -f)"
                                             : "");
}

/* fclose may be the first call to report a full disk, so it comes before the rename. Another handle
 * keeps the lock until the rename, so that no other writer takes the file. No fsync: a result that
 * a power failure destroys can be computed again. */
int asim_out_commit(struct asim_out *out, struct asim_err *err)
{
    int code, lock;
    if (!out->file)
        return 0;
    errno = 0;
    if (fflush(out->file))
        latch(out);
    if (out->partial)
        mark(fileno(out->file), 0);
    lock = dup(fileno(out->file));
    errno = 0;
    if (fclose(out->file))
        latch(out);
    out->file = NULL;
    errno = 0;
    if (!out->failed && out->partial && rename(out->partial, out->path))
        latch(out);
    if (lock >= 0)
        close(lock);
    code = asim_out_check(out, err);
    if (!code) {
        free(out->partial); /* the rename has removed it */
        out->partial = NULL;
    }
    asim_out_discard(out);
    return code;
}

/* Never removes the final file. */
void asim_out_discard(struct asim_out *out)
{
    if (out->file)
        fclose(out->file);
    if (out->partial)
        remove(out->partial);
    free(out->path);
    free(out->partial);
    memset(out, 0, sizeof *out);
}
