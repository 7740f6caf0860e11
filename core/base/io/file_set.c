/* SPDX-License-Identifier: GPL-2.0-only
 *
 * base/io/out.h writes each file as "<path>.whole.partial" and closes it as "<path>.whole", its
 * temporary name here; the end of the set renames it. No file stays open, because a set may have
 * more ranks than a process may have open files. As in base/io/out.h, /dev/null and pipes are
 * written directly, and a symbolic link is followed.
 */
#define _XOPEN_SOURCE 700 /* realpath, which glibc does not count to POSIX */
#include "base/io/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/io/rank_path.h"
#include "base/text.h"

/* Takes ownership of the names. */
static int keep(struct asim_file_set *set, struct asim_file_set_file file, struct asim_err *err)
{
    if (file.path && !ASIM_VEC_PUSH(set->file, file))
        return 0;
    free(file.path);
    free(file.temp_name);
    return asim_err_nomem(err, "listing traces to write");
}

/* Handles the trace of a rank beyond the set. Takes ownership of path. */
static int leftover(struct asim_file_set *set, char *path, uint32_t ranks, int force,
                    struct asim_err *err)
{
    int code;

    if (!path || force)
        return keep(set, (struct asim_file_set_file){path, NULL, 1}, err);
    code = asim_err_set(err, ASIM_EINVAL,
                        "'%s' exists, and this set has %" PRIu32 " rank%s: a simulation would take "
                        "the file for one of the set; remove it or give another prefix.",
                        path, ranks, ranks == 1 ? "" : "s");
    free(path);
    return code;
}

/* Reads the folder once. A folder that does not exist or cannot be read is no error here: the later
 * write reports the reason. */
int asim_file_set_begin(struct asim_file_set *set, const char *prefix, uint32_t ranks, int force,
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

        if (asim_rank_path_parse(entry->d_name, prefix + n) < (int64_t)ranks)
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

/* Returns path followed by tail, or NULL if out of memory. The caller frees it. */
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
    return asim_err_set(
        err, ASIM_EINVAL,
        "%s is an input and an output of this command. Give the output another name.", output);
}

/* Ignores pipes and files that do not exist: a write cannot destroy them. */
int asim_file_set_reads(struct asim_file_set *set, const char *path, struct asim_err *err)
{
    struct asim_file_id id = asim_file_id_of(path);

    if (*id.name || !id.is_regular)
        return 0;
    set->is_sorted = 0;
    return ASIM_VEC_PUSH(set->input, id) ? asim_err_nomem(err, "listing traces to write") : 0;
}

static int by_id(const void *a, const void *b)
{
    return asim_file_id_compare(a, b);
}

/* 1 if path is one of the inputs. Sorts the inputs after an addition: a set has many files, and
 * each file is looked up among all inputs. */
static int is_input(struct asim_file_set *set, const char *path)
{
    struct asim_file_id id;

    if (!set->input.n)
        return 0;
    if (!set->is_sorted)
        qsort(set->input.at, set->input.n, sizeof *set->input.at, by_id);
    set->is_sorted = 1;
    id = asim_file_id_of(path);
    return bsearch(&id, set->input.at, set->input.n, sizeof id, by_id) != NULL;
}

/* Keeps the real path of an existing file: the rename then replaces the target of a link, not the
 * link. */
int asim_file_set_add(struct asim_file_set *set, const char *path, const char **temp_name,
                      struct asim_err *err)
{
    struct stat st;
    int exists = stat(path, &st) == 0;
    int is_direct = (exists && !S_ISREG(st.st_mode)) || !strcmp(path, "-");
    struct asim_file_set_file file = {0};

    if (is_input(set, path))
        return refuse_input(path, err);
    file.path = exists && !is_direct ? realpath(path, NULL) : join(path, "");
    if (file.path && !is_direct)
        file.temp_name = join(file.path, ".whole");
    *temp_name = is_direct ? file.path : file.temp_name;
    if (!*temp_name) {
        free(file.path);
        return asim_err_nomem(err, "listing traces to write");
    }
    return keep(set, file, err);
}

int asim_file_set_rank(struct asim_file_set *set, const char *prefix, uint32_t rank,
                       const char **temp_name, struct asim_err *err)
{
    char tail[24], *path;
    int code;

    snprintf(tail, sizeof tail, ".%" PRIu32 ".et", rank);
    path = join(prefix, tail);
    code = path ? asim_file_set_add(set, path, temp_name, err)
                : asim_err_nomem(err, "listing traces to write");
    free(path);
    return code;
}

int asim_file_set_refuse_overwrite(const char *input, const char *output, struct asim_err *err)
{
    return asim_file_same(input, output) ? refuse_input(output, err) : 0;
}

int asim_file_set_refuse_duplicate(const char *a, const char *b, struct asim_err *err)
{
    if (!asim_file_same(a, b))
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "%s and %s name one file for two outputs; give each output its own name.",
                        a, b);
}

/* A file to remove may be gone already. */
static int finish(const struct asim_file_set_file *file, struct asim_err *err)
{
    if (file->is_old ? !unlink(file->path) || errno == ENOENT
                     : !file->temp_name || !rename(file->temp_name, file->path))
        return 0;
    return asim_err_set(err, ASIM_EIO, "cannot %s %s: %s.", file->is_old ? "remove" : "write",
                        file->path, strerror(errno));
}

/* After a failure, also of a rename, removes the temporary files that are left. */
int asim_file_set_end(struct asim_file_set *set, int code, struct asim_err *err)
{
    for (size_t i = 0; i < set->file.n; i++) {
        struct asim_file_set_file *file = &set->file.at[i];

        if (!code)
            code = finish(file, err);
        if (code && file->temp_name)
            unlink(file->temp_name);
        free(file->path);
        free(file->temp_name);
    }
    free(set->file.at);
    free(set->input.at);
    memset(set, 0, sizeof *set);
    return code;
}
