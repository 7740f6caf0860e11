/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Each file is written into a temporary folder (cli/temporary.h) beside its place; the end of the
 * set renames it. No file stays open, because a set may have more ranks than a process may have
 * open files. As in base/io/out.h, /dev/null and pipes are written directly, and a symbolic link is
 * followed.
 */
#define _XOPEN_SOURCE 700 /* realpath, which glibc does not count to POSIX */
#include "base/io/file_id.h"
#include "cli/file_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/io/out.h"
#include "base/io/rank_path.h"
#include "base/text.h"
#include "cli/temporary.h"

enum { ROOM = 32 }; /* of the name of a temporary folder */

/* Takes ownership of the names. */
static int keep(struct asim_file_set *set, struct asim_file_set_file file, struct asim_err *err)
{
    if (file.path && !ASIM_VEC_PUSH(set->file, file))
        return 0;
    if (file.temp_name)
        unlink(file.temp_name);
    ASIM_FREE(file.path, file.temp_name);
    return asim_err_nomem(err, "listing traces to write");
}

struct beyond { /* the ranks that a set does not have */
    struct asim_file_set *set;
    uint32_t ranks;
    int force;
};

/* Handles a trace of the prefix that exists. */
static int leftover(void *self, const char *path, uint32_t rank, struct asim_err *err)
{
    const struct beyond *beyond = self;

    if (rank < beyond->ranks)
        return 0;
    if (beyond->force)
        return keep(beyond->set, (struct asim_file_set_file){strdup(path), NULL, 1}, err);
    return asim_err_set(err, ASIM_EINVAL,
                        "'%s' exists, and this set has %" PRIu32 " rank%s: a simulation would take "
                        "the file for one of the set; remove it or give another prefix.",
                        path, beyond->ranks, beyond->ranks == 1 ? "" : "s");
}

int asim_file_set_begin(struct asim_file_set *set, const char *prefix, uint32_t ranks, int force,
                        struct asim_err *err)
{
    struct beyond beyond = {set, ranks, force};

    set->force = force;
    return asim_rank_path_each(prefix, leftover, &beyond, err);
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

/* The temporary folder beside a file. Returns NULL with errno. */
static const struct asim_file_set_folder *folder_of(struct asim_file_set *set, const char *path)
{
    size_t n = asim_text_dirlen(path);
    struct asim_file_set_folder made = {.parent = n ? strndup(path, n) : strdup(".")};
    char *where;

    for (size_t i = 0; i < set->folder.n && made.parent; i++)
        if (!strcmp(set->folder.at[i].parent, made.parent)) {
            free(made.parent);
            return &set->folder.at[i];
        }
    where = made.parent ? malloc(strlen(made.parent) + ROOM) : NULL;
    made.path = where;
    made.lock = where ? asim_temporary_in(made.parent, where, strlen(made.parent) + ROOM) : -1;
    if (made.lock >= 0 && !ASIM_VEC_PUSH(set->folder, made))
        return &set->folder.at[set->folder.n - 1];
    if (made.lock >= 0) {
        rmdir(made.path);
        close(made.lock);
        errno = ENOMEM;
    }
    ASIM_FREE(made.parent, made.path);
    return NULL;
}

/* The name for the time of writing. Returns NULL with errno. */
static char *temporary_name(struct asim_file_set *set, const char *path)
{
    const struct asim_file_set_folder *folder = folder_of(set, path);
    const char *name = strrchr(path, '/');
    char tail[300];

    snprintf(tail, sizeof tail, "/%s", name ? name + 1 : path);
    return folder ? join(folder->path, tail) : NULL;
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
    int code = asim_inputs_refuse(&set->inputs, path, err);

    if (code)
        return code;
    file.path = exists && !is_direct ? realpath(path, NULL) : join(path, "");
    if (!file.path)
        return asim_err_nomem(err, "listing traces to write");
    code = is_direct ? 0 : asim_out_mkparent(file.path, err);
    errno = 0;
    if (!code && !is_direct && !(file.temp_name = temporary_name(set, file.path)))
        code = !errno || errno == ENOMEM
                   ? asim_err_nomem(err, "listing traces to write")
                   : asim_err_set(err, ASIM_EIO, "cannot write %s: %s.", path, strerror(errno));
    if (code) {
        free(file.path);
        return code;
    }
    *temp_name = is_direct ? file.path : file.temp_name;
    return keep(set, file, err);
}

static int add_joined(struct asim_file_set *set, const char *prefix, const char *tail,
                      const char **temp_name, struct asim_err *err)
{
    char *path = join(prefix, tail);
    int code = path ? asim_file_set_add(set, path, temp_name, err)
                    : asim_err_nomem(err, "listing traces to write");

    free(path);
    return code;
}

int asim_file_set_rank(struct asim_file_set *set, const char *prefix, uint32_t rank,
                       const char **temp_name, struct asim_err *err)
{
    char tail[24];

    snprintf(tail, sizeof tail, ".%" PRIu32 ".et", rank);
    return add_joined(set, prefix, tail, temp_name, err);
}

int asim_file_set_open(struct asim_file_set *set, struct asim_out *out, const char *prefix,
                       const char *tail, struct asim_err *err)
{
    const char *temp_name;
    int code = add_joined(set, prefix, tail, &temp_name, err);

    if (!code)
        code = asim_file_set_refuse_existing(set->file.at[set->file.n - 1].path, set->force, err);
    return code ? code : asim_out_open(out, temp_name, err);
}

int asim_file_set_refuse_overwrite(const char *input, const char *output, struct asim_err *err)
{
    struct asim_inputs inputs = {0};
    int code = asim_inputs_add(&inputs, input, err);

    if (!code)
        code = asim_inputs_refuse(&inputs, output, err);
    asim_inputs_fini(&inputs);
    return code;
}

int asim_file_set_refuse_existing(const char *path, int force, struct asim_err *err)
{
    struct stat st;

    if (force || !path || !strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
        return 0;
    return asim_err_set(err, ASIM_EINVAL, "'%s' exists already; give --force to replace it.", path);
}

struct lowest { /* of the traces that are there, in whatever order the folder has them */
    char path[4096];
    uint32_t rank;
};

static int keep_lowest(void *self, const char *path, uint32_t rank, struct asim_err *err)
{
    struct lowest *lowest = self;

    (void)err;
    if (!*lowest->path || rank < lowest->rank) {
        lowest->rank = rank;
        snprintf(lowest->path, sizeof lowest->path, "%s", path);
    }
    return 0;
}

int asim_file_set_refuse_existing_set(const char *prefix, struct asim_err *err)
{
    struct lowest lowest = {.rank = 0};
    int code =
        prefix && strcmp(prefix, "-") ? asim_rank_path_each(prefix, keep_lowest, &lowest, err) : 0;

    if (code || !*lowest.path)
        return code;
    return asim_err_set(err, ASIM_EINVAL,
                        "'%s' exists already; give --force to replace the traces of that prefix.",
                        lowest.path);
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

/* The first file to be written, such as the trace of rank 0, without which there is no workload;
 * NULL in a set of one. */
static const struct asim_file_set_file *first_of(const struct asim_file_set *set)
{
    for (size_t i = 0; i < set->file.n && set->file.n > 1; i++)
        if (set->file.at[i].temp_name)
            return &set->file.at[i];
    return NULL;
}

/* The old first file goes before the others change and the new one comes last: whoever ends the
 * process in between leaves no set that looks whole. */
static int finish_all(const struct asim_file_set *set, struct asim_err *err)
{
    const struct asim_file_set_file *first = first_of(set);
    int code = 0;

    if (first && unlink(first->path) && errno != ENOENT)
        return asim_err_set(err, ASIM_EIO, "cannot write %s: %s.", first->path, strerror(errno));
    for (size_t i = 0; i < set->file.n && !code; i++)
        if (&set->file.at[i] != first)
            code = finish(&set->file.at[i], err);
    return code || !first ? code : finish(first, err);
}

/* After a failure, also of a rename, removes the temporary files that are left. */
int asim_file_set_end(struct asim_file_set *set, int code, struct asim_err *err)
{
    if (!code)
        code = finish_all(set, err);
    for (size_t i = 0; i < set->file.n; i++) {
        struct asim_file_set_file *file = &set->file.at[i];

        if (code && file->temp_name)
            unlink(file->temp_name);
        ASIM_FREE(file->path, file->temp_name);
    }
    for (size_t i = 0; i < set->folder.n; i++) {
        rmdir(set->folder.at[i].path);
        close(set->folder.at[i].lock);
        ASIM_FREE(set->folder.at[i].parent, set->folder.at[i].path);
    }
    ASIM_FREE(set->file.at, set->folder.at);
    asim_inputs_fini(&set->inputs);
    memset(set, 0, sizeof *set);
    return code;
}
