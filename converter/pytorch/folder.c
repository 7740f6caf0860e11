/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Maps file names to ranks and roles. If a tag is given and some file has it, only such files
 * count; if none has it, the tag names only the output, as in the AMD tool chain.
 */
#include "pytorch/folder.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "json/access.h"
#include "json/reader.h"

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

/* rank3_trace.json, as torchtitan names what torch.profiler writes. */
static int is_rank_first(const char *name, uint32_t *rank)
{
    size_t from = 4 + (size_t)(!strncmp(name, "rank", 4) && is_separator(name[4]));
    size_t n = strncmp(name, "rank", 4) ? 0 : strspn(name + from, "0123456789");
    const char *rest = name + from + n;

    if (!n || n > 9 || !is_separator(*rest) || strncmp(rest + 1, "trace.json", 10) ||
        (rest[11] && strcmp(rest + 11, ".gz")))
        return 0;
    *rank = (uint32_t)strtoul(name + from, NULL, 10);
    return 1;
}

/* WORKER.TIME.pt.trace.json, as torch.profiler's tensorboard_trace_handler names traces: WORKER is
 * the host and a process number, or what the user calls it. */
static int is_handler_name(const char *name)
{
    const char *tail = strstr(name, ".pt.trace.json"), *time = tail;

    while (time && time > name && time[-1] >= '0' && time[-1] <= '9')
        time--;
    return tail && tail - time > 9 && time > name + 1 && time[-1] == '.' &&
           (!tail[14] || !strcmp(tail + 14, ".gz"));
}

/* distributedInfo.rank of a device trace, -1 where it is not there. */
static int read_rank(const char *path, int64_t *rank, struct asim_err *err)
{
    struct asim_jreader reader;
    struct asim_jdoc doc = {0};
    int code = asim_jreader_open(&reader, path, "traceEvents", err);

    *rank = -1;
    if (code)
        return code;
    while ((code = asim_jreader_member(&reader, err)) == 1) {
        if (strcmp(reader.key, "distributedInfo") != 0) {
            if ((code = asim_jreader_skip(&reader, err)))
                break;
            continue;
        }
        code = asim_jreader_value(&reader, &doc, err);
        if (!code && (asim_jv_i64(&doc, asim_jv_get(&doc, &doc.at[0], "rank"), rank) ||
                      *rank > UINT32_MAX - 1))
            *rank = -1;
        break;
    }
    asim_jdoc_fini(&doc);
    asim_jreader_close(&reader);
    return code;
}

/* The length of what stands for the rank at the start of a pattern, 0 = nothing. */
static size_t rank_mark(const char *pattern)
{
    return !strncmp(pattern, "{rank}", 6) ? 6 : !strncmp(pattern, "%d", 2) ? 2 : 0;
}

static int has_mark(const char *pattern)
{
    return strstr(pattern, "{rank}") || strstr(pattern, "%d");
}

/* Digits of a rank at *text, and the pattern behind its mark. A second mark has the same number. */
static int fits(const char *pattern, const char *text, int is_star, int64_t *rank);

static int fits_rank(const char *pattern, const char *text, int64_t *rank)
{
    size_t n = strspn(text, "0123456789");
    int64_t before = *rank;

    for (; n; n--) {
        int64_t value = n > 9 ? -1 : (int64_t)strtoul(text, NULL, 10);

        for (size_t cut = strspn(text, "0123456789"); value >= 0 && cut > n; cut--)
            value /= 10;
        *rank = value;
        if (value >= 0 && (before < 0 || before == value) && fits(pattern, text + n, 0, rank))
            return 1;
        *rank = before;
    }
    return 0;
}

/* Any text of a name, then the pattern. */
static int fits_any(const char *pattern, const char *text, int64_t *rank)
{
    for (; !fits(pattern, text, 0, rank); text++)
        if (!*text || *text == '/')
            return 0;
    return 1;
}

static int fits(const char *pattern, const char *text, int is_star, int64_t *rank)
{
    for (; *pattern; pattern++, text++) {
        size_t mark = rank_mark(pattern);

        if (mark)
            return fits_rank(pattern + mark, text, rank);
        if (*pattern == '*' && is_star)
            return fits_rank(pattern + 1, text, rank);
        if (*pattern == '*')
            return fits_any(pattern + 1, text, rank);
        if (!*text || (*pattern != '?' && *pattern != *text))
            return 0;
    }
    return !*text;
}

int asim_folder_fits(const char *pattern, const char *path, uint32_t *rank)
{
    int64_t found = -1;

    if (!fits(pattern, path, !has_mark(pattern), &found) || found < 0)
        return 0;
    *rank = (uint32_t)found;
    return 1;
}

int asim_folder_name(const char *name, const char *tag, uint32_t *rank)
{
    int before = tag ? take(&name, tag) : 0;

    if (!tag && is_rank_first(name, rank))
        return 'd';
    if (!tag && is_handler_name(name)) {
        *rank = ASIM_FOLDER_INSIDE;
        return 'd';
    }

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

static int put(struct asim_folder *folder, const char *path, const char *name, int role,
               uint32_t rank, struct asim_err *err)
{
    struct asim_folder_rank *at = rank_of(folder, rank);
    size_t size = strlen(path) + strlen(name) + 2;
    char **slot;

    if (!at)
        return asim_err_nomem(err, "listing a folder");
    slot = role == 'h' ? &at->host : &at->device;
    if (*slot)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: rank %" PRIu32
                            " has two %s traces, %s and %s; remove one, name a --model-tag, or "
                            "say --%s=PATTERN.",
                            path, rank, role == 'h' ? "host" : "device", *slot, name,
                            role == 'h' ? "host" : "device");
    *slot = malloc(size);
    if (!*slot)
        return asim_err_nomem(err, "listing a folder");
    snprintf(*slot, size, "%s/%s", path, name);
    return 0;
}

/* A job of one process has no distributedInfo: the only trace without one is rank 0's. */
static int add_handler(struct asim_folder *folder, const char *path, const char *name,
                       struct asim_err *err)
{
    char full[4096];
    int64_t rank;

    if ((size_t)snprintf(full, sizeof full, "%s/%s", path, name) >= sizeof full)
        return asim_err_set(err, ASIM_EINVAL, "%s: the path of %s is too long.", path, name);
    if (read_rank(full, &rank, err))
        return err->code;
    if (rank >= 0)
        return put(folder, path, name, 'd', (uint32_t)rank, err);
    if (!folder->without_rank++)
        snprintf(folder->alone, sizeof folder->alone, "%s", name);
    return 0;
}

static int add(struct asim_folder *folder, const char *path, const char *name,
               const struct asim_folder_names *names, struct asim_err *err)
{
    uint32_t rank;
    int role = asim_folder_name(name, names->tag, &rank);

    if ((role == 'h' && names->host) || (role == 'd' && names->device))
        return 0;
    if (role && rank == ASIM_FOLDER_INSIDE)
        return add_handler(folder, path, name, err);
    if (role)
        return put(folder, path, name, role, rank, err);
    folder->other += strstr(name, ".json") != NULL;
    return 0;
}

/* Files of a pattern, also in sub-folders. */
static int add_pattern(struct asim_folder *folder, const char *path, const char *pattern, int role,
                       struct asim_err *err)
{
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof text, "%s/", path), skip = n;
    glob_t found;
    uint32_t rank;
    int code = 0;

    if (n + strlen(pattern) >= sizeof text)
        return asim_err_set(err, ASIM_EINVAL, "the pattern %.60s… is too long.", pattern);
    for (const char *at = pattern; *at; at += rank_mark(at) ? rank_mark(at) : 1)
        text[n++] = rank_mark(at) ? '*' : *at;
    text[n] = 0;
    code = glob(text, GLOB_NOESCAPE, NULL, &found);
    if (code == GLOB_NOSPACE)
        return asim_err_nomem(err, "listing a folder");
    if (code)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && !code; i++)
        if (asim_folder_fits(pattern, found.gl_pathv[i] + skip, &rank))
            code = put(folder, path, found.gl_pathv[i] + skip, role, rank, err);
    globfree(&found);
    return code;
}

/* Skips other files; counts .json files for the message. */
static int scan(struct asim_folder *folder, const char *path, const struct asim_folder_names *names,
                struct asim_err *err)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int code = 0;

    if (!dir)
        return asim_err_set(err, ASIM_EIO, "%s: cannot open this folder: %s.", path,
                            strerror(errno));
    while (!code && (entry = readdir(dir)))
        code = add(folder, path, entry->d_name, names, err);
    closedir(dir);
    if (!code && names->host)
        code = add_pattern(folder, path, names->host, 'h', err);
    if (!code && names->device)
        code = add_pattern(folder, path, names->device, 'd', err);
    return code;
}

ASIM_ORDER(by_rank, struct asim_folder_rank, ->rank)

int asim_folder_read(struct asim_folder *folder, const char *path,
                     const struct asim_folder_names *names, struct asim_err *err)
{
    struct asim_folder_names plain = {NULL, names->host, names->device};
    const char *tag = names->tag;
    struct stat st;
    char inner[4096];
    int code = 0;

    memset(folder, 0, sizeof *folder);
    if (tag && (size_t)snprintf(inner, sizeof inner, "%s/%s", path, tag) < sizeof inner &&
        !stat(inner, &st) && S_ISDIR(st.st_mode))
        code = scan(folder, inner, &plain, err);
    else if (tag)
        code = scan(folder, path, names, err);
    if (!code && !folder->n) {
        folder->lacks_tag = tag != NULL;
        code = scan(folder, path, &plain, err);
    }
    if (!code && !folder->n && folder->without_rank == 1)
        code = put(folder, path, folder->alone, 'd', 0, err);
    else if (!code && folder->without_rank)
        code = asim_err_set(err, ASIM_EINVAL,
                            "%s: neither the name of %s nor its distributedInfo says a rank; "
                            "--device='rank{rank}.*.pt.trace.json' takes names that say it, as "
                            "worker_name='rank0' of tensorboard_trace_handler makes them.",
                            path, folder->alone);
    if (!code && !folder->n)
        code = asim_err_set(
            err, ASIM_EINVAL,
            "%s: no traces here; host_0.json with device_0.json, host.0.json, pytorch_et_0.json "
            "with kineto_0.json, or rank0_trace.json (and so on for each rank) are looked for, and "
            "%zu other .json files were found; --host=PATTERN and --device=PATTERN take other "
            "names, as --device='rank{rank}.pt.trace.json'.",
            path, folder->other);
    if (folder->n)
        qsort(folder->at, folder->n, sizeof *folder->at, by_rank);
    return code;
}

void asim_folder_fini(struct asim_folder *folder)
{
    for (size_t i = 0; i < folder->n; i++) {
        ASIM_FREE(folder->at[i].host, folder->at[i].device);
    }
    free(folder->at);
    memset(folder, 0, sizeof *folder);
}
