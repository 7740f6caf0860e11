/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Every file is written under "<path>.whole.partial", as base/io/out.h does, stands closed as
 * "<path>.whole" and is renamed only at the end: a set may have more ranks than a process may have
 * files open. What is no regular file (/dev/null, a pipe) is written directly, and a symbolic link
 * is followed, both as base/io/out.h does.
 */
#define _XOPEN_SOURCE 700 /* realpath, which glibc does not count to POSIX */
#include "trace/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/text.h"
#include "trace/op.h"

/* The names are taken over. */
static int keep(struct asim_outset *set, struct asim_outset_file file, struct asim_err *err)
{
    if (file.path && !ASIM_VEC_PUSH(set->file, file))
        return 0;
    free(file.path);
    free(file.made);
    return asim_err_nomem(err, "listing traces to write");
}

/* A trace of a rank that is not written. */
static int leftover(struct asim_outset *set, char *path, uint32_t ranks, int force,
                    struct asim_err *err)
{
    int code;

    if (!path || force)
        return keep(set, (struct asim_outset_file){path, NULL, 1}, err);
    code = asim_err_set(err, ASIM_EINVAL,
                        "'%s' is there already, and %" PRIu32 " rank%s to be written: a simulation "
                        "would take it for one of this set; remove it or give another prefix.",
                        path, ranks, ranks == 1 ? " is" : "s are");
    free(path);
    return code;
}

/* The folder is read once. One that is not there yet, or cannot be read, holds nothing in the way:
 * writing into it tells what is wrong. */
int asim_outset_begin(struct asim_outset *set, const char *prefix, uint32_t ranks, int force,
                      struct asim_err *err)
{
    size_t n = asim_text_dirlen(prefix), size = strlen(prefix) + 300;
    char *folder = malloc(size);
    DIR *dir;
    int code = 0;

    if (!folder)
        return asim_err_nomem(err, "looking for older traces");
    snprintf(folder, size, "%.*s", n ? (int)n : 1, n ? prefix : ".");
    dir = opendir(folder);
    free(folder);
    for (struct dirent *entry; dir && !code && (entry = readdir(dir));) {
        char *path;

        if (asim_trace_rank_of(entry->d_name, prefix + n) < (int64_t)ranks)
            continue;
        path = malloc(size);
        if (path)
            snprintf(path, size, "%.*s%s", (int)n, prefix, entry->d_name);
        code = leftover(set, path, ranks, force, err);
    }
    if (dir)
        closedir(dir);
    return code;
}

/* The caller's to free; NULL when out of memory. */
static char *join(const char *path, const char *tail)
{
    size_t size = strlen(path) + strlen(tail) + 1;
    char *joined = malloc(size);

    if (joined)
        snprintf(joined, size, "%s%s", path, tail);
    return joined;
}

static int refuse_input(const char *output, struct asim_err *err)
{
    return asim_err_set(err, ASIM_EINVAL,
                        "%s is both read and to be written; it would be lost. Give another name "
                        "for the output.",
                        output);
}

/* Pipes and what is not there yet cannot be lost by writing. */
int asim_outset_reads(struct asim_outset *set, const char *path, struct asim_err *err)
{
    struct asim_place place = asim_place_of(path);

    if (*place.name || !place.is_regular)
        return 0;
    set->is_sorted = 0;
    return ASIM_VEC_PUSH(set->input, place) ? asim_err_nomem(err, "listing traces to write") : 0;
}

static int by_place(const void *a, const void *b)
{
    return asim_place_order(a, b);
}

/* Inputs are sorted at the first question after one was added: sets have many files, and each is
 * looked for among all that are read. */
static int is_input(struct asim_outset *set, const char *path)
{
    struct asim_place place;

    if (!set->input.n)
        return 0;
    if (!set->is_sorted)
        qsort(set->input.at, set->input.n, sizeof *set->input.at, by_place);
    set->is_sorted = 1;
    place = asim_place_of(path);
    return bsearch(&place, set->input.at, set->input.n, sizeof place, by_place) != NULL;
}

/* Of a path that exists the real one is kept, so that a link stays and its file is replaced. */
int asim_outset_add(struct asim_outset *set, const char *path, const char **made,
                    struct asim_err *err)
{
    struct stat st;
    int exists = stat(path, &st) == 0;
    int is_direct = (exists && !S_ISREG(st.st_mode)) || !strcmp(path, "-");
    struct asim_outset_file file = {0};

    if (is_input(set, path))
        return refuse_input(path, err);
    file.path = exists && !is_direct ? realpath(path, NULL) : join(path, "");
    if (file.path && !is_direct)
        file.made = join(file.path, ".whole");
    *made = is_direct ? file.path : file.made;
    if (!*made) {
        free(file.path);
        return asim_err_nomem(err, "listing traces to write");
    }
    return keep(set, file, err);
}

int asim_outset_rank(struct asim_outset *set, const char *prefix, uint32_t rank, const char **made,
                     struct asim_err *err)
{
    char tail[24], *path;
    int code;

    snprintf(tail, sizeof tail, ".%" PRIu32 ".et", rank);
    path = join(prefix, tail);
    code = path ? asim_outset_add(set, path, made, err)
                : asim_err_nomem(err, "listing traces to write");
    free(path);
    return code;
}

int asim_outset_not_same(const char *input, const char *output, struct asim_err *err)
{
    return asim_place_same(input, output) ? refuse_input(output, err) : 0;
}

int asim_outset_not_twice(const char *a, const char *b, struct asim_err *err)
{
    if (!asim_place_same(a, b))
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "%s and %s are one file, and two are to be written; give each a name of "
                        "its own.",
                        a, b);
}

/* Removing what is gone already is as good as removing it. */
static int finish(const struct asim_outset_file *file, struct asim_err *err)
{
    if (file->is_old ? !unlink(file->path) || errno == ENOENT
                     : !file->made || !rename(file->made, file->path))
        return 0;
    return asim_err_set(err, ASIM_EIO, "cannot %s %s: %s.", file->is_old ? "remove" : "write",
                        file->path, strerror(errno));
}

/* After a failure, of the set or of naming it, what was not renamed yet goes. */
int asim_outset_end(struct asim_outset *set, int code, struct asim_err *err)
{
    for (size_t i = 0; i < set->file.n; i++) {
        struct asim_outset_file *file = &set->file.at[i];

        if (!code)
            code = finish(file, err);
        if (code && file->made)
            unlink(file->made);
        free(file->path);
        free(file->made);
    }
    free(set->file.at);
    free(set->input.at);
    memset(set, 0, sizeof *set);
    return code;
}
