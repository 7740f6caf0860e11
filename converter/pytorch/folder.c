/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Maps file names to ranks and roles. If a tag is given and some file has it, only such files
 * count; if none has it, the tag names only the output, as in the AMD tool chain.
 */
#include "pytorch/folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct stem {
    const char *word;
    int role;
};

static const struct stem stems[] = {
    {"host", 'h'},   {"pytorch_et", 'h'}, {"host_trace", 'h'},   {"pytorch_host", 'h'},
    {"device", 'd'}, {"kineto", 'd'},     {"device_trace", 'd'}, {"kineto_trace", 'd'}};

static int is_separator(char c)
{
    return c == '_' || c == '.' || c == '-';
}

/* Takes word and a separator off the front of *s. */
static int take(const char **s, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(*s, word, n) || !is_separator((*s)[n]))
        return 0;
    *s += n + 1;
    return 1;
}

/* "3", "3_TAG" or "TAG_3" and then ".json" or ".json.gz". *tagged is set if there is a tag. */
static int rest_fits(const char *s, const char *tag, int *tagged, uint32_t *rank)
{
    uint64_t value = 0;
    const char *from;

    if (tag && !*tagged)
        *tagged = take(&s, tag);
    if (!strncmp(s, "rank", 4))
        s += 4 + is_separator(s[4]);
    for (from = s; *s >= '0' && *s <= '9' && s - from < 9; s++)
        value = value * 10 + (uint64_t)(*s - '0');
    if (s == from)
        return 0;
    if (tag && !*tagged && is_separator(*s) && !strncmp(s + 1, tag, strlen(tag)) &&
        s[1 + strlen(tag)] == '.') {
        *tagged = 1;
        s += 1 + strlen(tag);
    }
    *rank = (uint32_t)value;
    return !strcmp(s, ".json") || !strcmp(s, ".json.gz") || !strcmp(s, ".pt.trace.json") ||
           !strcmp(s, ".pt.trace.json.gz");
}

int asim_folder_name(const char *name, const char *tag, uint32_t *rank)
{
    int before = tag ? take(&name, tag) : 0;

    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        const char *s = name;
        int tagged = before;

        if (take(&s, stems[i].word) && rest_fits(s, tag, &tagged, rank) && tagged == (tag != NULL))
            return stems[i].role;
    }
    return 0;
}

static struct asim_folder_rank *rank_of(struct asim_folder *folder, uint32_t rank)
{
    struct asim_folder_rank fresh = {rank, NULL, NULL};

    for (size_t i = 0; i < folder->n; i++)
        if (folder->at[i].rank == rank)
            return &folder->at[i];
    return ASIM_VEC_PUSH(*folder, fresh) ? NULL : &folder->at[folder->n - 1];
}

static int add(struct asim_folder *folder, const char *path, const char *name, const char *tag,
               struct asim_err *err)
{
    uint32_t rank;
    int role = asim_folder_name(name, tag, &rank);
    struct asim_folder_rank *at;
    size_t size = strlen(path) + strlen(name) + 2;
    char **slot;

    if (!role) {
        folder->other += strstr(name, ".json") != NULL;
        return 0;
    }
    at = rank_of(folder, rank);
    if (!at)
        return asim_err_nomem(err, "listing a folder");
    slot = role == 'h' ? &at->host : &at->device;
    if (*slot)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: rank %" PRIu32
                            " has two %s traces, %s and %s; remove one or name a --model-tag.",
                            path, rank, role == 'h' ? "host" : "device", *slot, name);
    *slot = malloc(size);
    if (!*slot)
        return asim_err_nomem(err, "listing a folder");
    snprintf(*slot, size, "%s/%s", path, name);
    return 0;
}

/* Skips other files; counts .json files for the message. */
static int scan(struct asim_folder *folder, const char *path, const char *tag, struct asim_err *err)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int code = 0;

    if (!dir)
        return asim_err_set(err, ASIM_EIO, "%s: cannot open this folder: %s.", path,
                            strerror(errno));
    while (!code && (entry = readdir(dir)))
        code = add(folder, path, entry->d_name, tag, err);
    closedir(dir);
    return code;
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = ((const struct asim_folder_rank *)a)->rank;
    uint32_t y = ((const struct asim_folder_rank *)b)->rank;

    return (x > y) - (x < y);
}

int asim_folder_read(struct asim_folder *folder, const char *path, const char *tag,
                     struct asim_err *err)
{
    struct stat st;
    char inner[4096];
    int code = 0;

    memset(folder, 0, sizeof *folder);
    if (tag && (size_t)snprintf(inner, sizeof inner, "%s/%s", path, tag) < sizeof inner &&
        !stat(inner, &st) && S_ISDIR(st.st_mode))
        code = scan(folder, inner, NULL, err);
    else if (tag)
        code = scan(folder, path, tag, err);
    if (!code && !folder->n) {
        folder->lacks_tag = tag != NULL;
        code = scan(folder, path, NULL, err);
    }
    if (!code && !folder->n)
        code = asim_err_set(err, ASIM_EINVAL,
                            "%s: no traces here; host_0.json with device_0.json, host.0.json, or "
                            "pytorch_et_0.json with kineto_0.json (and so on for each rank) are "
                            "looked for, and %zu other .json files were found.",
                            path, folder->other);
    if (folder->n)
        qsort(folder->at, folder->n, sizeof *folder->at, by_rank);
    return code;
}

void asim_folder_fini(struct asim_folder *folder)
{
    for (size_t i = 0; i < folder->n; i++) {
        free(folder->at[i].host);
        free(folder->at[i].device);
    }
    free(folder->at);
    memset(folder, 0, sizeof *folder);
}
