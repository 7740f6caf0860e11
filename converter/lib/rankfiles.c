/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lists the files of a workload. A single file has the rank in its name ("x.3.et" is rank 3);
 * several files without a rank are numbered in order.
 */
#include "lib/rankfiles.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "asim/trace.h"
#include "base/io/file_id.h"
#include "cli/file_set.h"

static size_t stem(const char *path)
{
    size_t n = strlen(path);

    if (n > 6 && !strcmp(path + n - 6, ".et.gz"))
        return n - 6;
    return n > 3 && !strcmp(path + n - 3, ".et") ? n - 3 : 0;
}

static uint32_t rank_of(const char *path, size_t number)
{
    size_t end = stem(path), at = end;
    uint64_t rank = 0;

    while (at && path[at - 1] >= '0' && path[at - 1] <= '9')
        at--;
    if (at == end || !at || path[at - 1] != '.' || end - at > 9)
        return (uint32_t)number;
    for (; at < end; at++)
        rank = rank * 10 + (uint64_t)(path[at] - '0');
    return (uint32_t)rank;
}

int asim_rankfiles_pair(struct asim_rankfiles *files, const char *in, const char *out,
                        uint32_t rank, struct asim_err *err)
{
    struct asim_rankfile file = {.in = strdup(in), .rank = rank};

    file.out = out ? strdup(out) : file.in;
    if (!file.in || !file.out || ASIM_VEC_PUSH(*files, file)) {
        if (file.out != file.in)
            free(file.out);
        free(file.in);
        return asim_err_nomem(err, "listing traces");
    }
    return 0;
}

static int add(struct asim_rankfiles *files, const char *in, uint32_t rank, const char *output,
               struct asim_err *err)
{
    size_t size = output ? strlen(output) + 24 : 0;
    char *out = output ? malloc(size) : NULL;
    int code;

    if (output && !out)
        return asim_err_nomem(err, "listing traces");
    if (out)
        snprintf(out, size, "%s.%" PRIu32 ".et", output, rank);
    code = asim_rankfiles_pair(files, in, out, rank, err);
    free(out);
    return code;
}

static int add_prefix(struct asim_rankfiles *files, const char *prefix, const char *output,
                      struct asim_err *err)
{
    uint32_t ranks;
    int code = asim_trace_ranks(prefix, &ranks, err);

    for (uint32_t r = 0; r < ranks && !code; r++) {
        char *path = NULL;

        code = asim_trace_path(prefix, r, &path, err);
        if (!code)
            code = add(files, path, r, output, err);
        free(path);
    }
    return code;
}

struct written {
    struct asim_file_id id;
    const struct asim_rankfile *file;
};

static int by_id(const void *a, const void *b)
{
    return asim_file_id_compare(&((const struct written *)a)->id, &((const struct written *)b)->id);
}

static int twice(const struct asim_rankfile *a, const struct asim_rankfile *b, struct asim_err *err)
{
    if (asim_file_same(a->in, b->in))
        return asim_err_set(err, ASIM_EINVAL, "%s and %s are one file; name it once.", a->in,
                            b->in);
    return asim_err_set(
        err, ASIM_EINVAL,
        "%s and %s would both be written to %s; name them in two commands with an --output each.",
        a->in, b->in, b->out);
}

/* Refuses two outputs that are one file: the first would be lost. */
static int check_outputs(const struct asim_rankfiles *files, struct asim_err *err)
{
    struct written *sorted = malloc((files->n + 1) * sizeof *sorted);
    int code = sorted ? 0 : asim_err_nomem(err, "listing traces");

    for (size_t i = 0; i < files->n && sorted; i++)
        sorted[i] = (struct written){asim_file_id_of(files->at[i].out), &files->at[i]};
    if (sorted)
        qsort(sorted, files->n, sizeof *sorted, by_id);
    for (size_t i = 1; i < files->n && !code; i++)
        if (sorted[i].id.is_regular && !by_id(&sorted[i - 1], &sorted[i]))
            code = twice(sorted[i - 1].file, sorted[i].file, err);
    free(sorted);
    return code;
}

/* A file may be rewritten in place, but no output may replace the input of another file. */
static int check_inputs(const struct asim_rankfiles *files, struct asim_err *err)
{
    struct asim_inputs inputs = {0};
    int code = 0;

    for (size_t i = 0; i < files->n && !code; i++)
        code = asim_inputs_add(&inputs, files->at[i].in, err);
    for (size_t i = 0; i < files->n && !code; i++)
        if (!asim_file_same(files->at[i].in, files->at[i].out))
            code = asim_inputs_refuse(&inputs, files->at[i].out, err);
    asim_inputs_fini(&inputs);
    return code;
}

static int check(const struct asim_rankfiles *files, int is_prefix, const char *output,
                 struct asim_err *err)
{
    struct asim_file_set set = {0};
    int code = check_outputs(files, err);

    if (!code && output)
        code = check_inputs(files, err);
    if (!code && output && is_prefix)
        code = asim_file_set_begin(&set, output, (uint32_t)files->n, 0, err);
    return asim_file_set_end(&set, code, err);
}

int asim_rankfiles_add(struct asim_rankfiles *files, const char **words, size_t n,
                       const char *output, struct asim_err *err)
{
    int code = 0;

    for (size_t i = 0; i < n && !code; i++) {
        if (!stem(words[i]))
            code = add_prefix(files, words[i], output, err);
        else if (output && n == 1 && stem(output))
            code = asim_rankfiles_pair(files, words[i], output, rank_of(words[i], 0), err);
        else
            code = add(files, words[i], rank_of(words[i], files->n), output, err);
    }
    return code ? code : check(files, n == 1 && !stem(words[0]), output, err);
}

void asim_rankfiles_fini(struct asim_rankfiles *files)
{
    for (size_t i = 0; i < files->n; i++) {
        if (files->at[i].out != files->at[i].in)
            free(files->at[i].out);
        free(files->at[i].in);
    }
    free(files->at);
    memset(files, 0, sizeof *files);
}

void asim_rankfiles_clean(const struct asim_rankfiles *files, const char *dir_name,
                          const char *stem, const struct asim_diagnostics *notes)
{
    DIR *dir = opendir(dir_name);
    size_t n = strlen(stem);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        const char *name = entry->d_name;
        char path[4096], *end;
        unsigned long rank;
        size_t i = 0;

        if (strncmp(name, stem, n) || name[n] != '.' || name[n + 1] < '0' || name[n + 1] > '9')
            continue;
        rank = strtoul(name + n + 1, &end, 10);
        while (i < files->n && files->at[i].rank != rank)
            i++;
        if (strcmp(end, ".et") || i < files->n)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir_name, name);
        if (!unlink(path))
            asim_diagnose(
                notes, "removed %s, left from an earlier conversion (--no-clean keeps such files).",
                path);
    }
    if (dir)
        closedir(dir);
}
