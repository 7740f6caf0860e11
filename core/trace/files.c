/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the files of a workload: <prefix>.<rank>.et or, unlike ASTRA-sim, <prefix>.<rank>.et.gz.
 * Ranks are decimal without padding and have no gaps. Where a rank has both files, the plain one is
 * read.
 *
 * Counting the ranks reads the folder once, and calls access() per rank where some files are
 * compressed. Finding one rank's file calls access(); asim_trace_open_plain avoids this after
 * asim_trace_count. No file is opened here.
 */
#include "trace/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/rank_path.h"
#include "base/text.h"
#include "trace/format.h"
#include "trace/shared.h"

const char *asim_op_type_name(int type)
{
    static const char *const names[ASIM_OP_TYPES] = {
        "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",   "MEM_STORE_NODE",
        "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE",  "COMM_COLL_NODE",
        "STORAGE_NODE", "BATCH_NODE",     "CHECKPOINT_NODE",
    };
    return type >= 0 && type < ASIM_OP_TYPES ? names[type] : "?";
}

/* Returns 1 and *path if the rank's file exists, else 0. The plain file goes before the compressed
 * one: it costs less to read. */
static int find_file(const char *prefix, uint32_t rank, char **path, struct asim_err *err)
{
    static const char *const suffixes[] = {"et", "et.gz"};
    for (size_t i = 0; i < 2; i++) {
        int rc = asim_rank_path_make(prefix, rank, suffixes[i], path, err);
        if (rc)
            return rc;
        if (access(*path, F_OK) == 0)
            return 1;
        free(*path);
    }
    *path = NULL;
    return 0;
}

/* The contents of a folder for one stem. */
struct folder {
    int64_t highest;  /* highest rank of that stem, -1 = none */
    uint64_t plain;   /* files of that stem that are not compressed, one a rank */
    int64_t packed;   /* lowest rank with a compressed file, -1 = none */
    char other[256];  /* stem of another workload in the folder, "" = none */
    char unread[256]; /* a file of that stem whose number is no rank's, "" = none */
};

/* 1 for STEM.007.et and STEM.4294967296.et.gz: they look like traces, and no rank reads them. */
static int is_unread(const char *name, const char *stem)
{
    size_t n = strlen(stem), digits;
    if (strncmp(name, stem, n) || name[n] != '.')
        return 0;
    name += n + 1;
    digits = strspn(name, "0123456789");
    return digits && (!strcmp(name + digits, ".et") || !strcmp(name + digits, ".et.gz"));
}

/* The lowest name: the order of a folder must not show. */
static void note_unread(struct folder *seen, const char *name)
{
    if (strlen(name) < sizeof seen->unread && (!seen->unread[0] || strcmp(name, seen->unread) < 0))
        snprintf(seen->unread, sizeof seen->unread, "%s", name);
}

/* Records one name of the folder. */
static void note(struct folder *seen, const char *name, const char *stem)
{
    int64_t rank = asim_rank_path_parse(name, stem);
    if (rank > seen->highest)
        seen->highest = rank;
    int is_packed = name[strlen(name) - 1] == 'z';
    seen->plain += rank >= 0 && !is_packed;
    if (rank >= 0 && is_packed && (seen->packed < 0 || rank < seen->packed))
        seen->packed = rank;
    if (rank < 0 && is_unread(name, stem))
        note_unread(seen, name);
    const char *dot = strstr(name, ".0.et");
    if (rank < 0 && dot && !seen->other[0] && strlen(name) < sizeof seen->other)
        snprintf(seen->other, sizeof seen->other, "%.*s", (int)(dot - name), name);
}

/* Reads the whole folder. */
static int scan_folder(const char *prefix, struct folder *seen, struct asim_err *err)
{
    *seen = (struct folder){.highest = -1, .packed = -1};
    size_t n = asim_text_dirlen(prefix);
    char *folder = malloc(n + 2);
    if (!folder)
        return asim_err_nomem(err, "looking for traces");
    snprintf(folder, n + 2, "%.*s", n ? (int)n : 1, n ? prefix : ".");
    errno = 0;
    DIR *dir = opendir(folder);
    int why = errno;
    if (dir) {
        for (struct dirent *entry; (entry = readdir(dir));)
            note(seen, entry->d_name, prefix + n);
        closedir(dir);
    }
    int rc = 0;
    if (!dir)
        rc = asim_err_set(err, ASIM_EINVAL, "no traces '%s.0.et': cannot open the folder '%s': %s.",
                          prefix, folder, strerror(why));
    free(folder);
    return rc;
}

/* The forms of Chakra in JSON are read, under the names of traces. */
static int refuse_json(const char *prefix, uint32_t rank, struct asim_err *err)
{
    char *path;
    int rc = asim_rank_path_make(prefix, rank, "json", &path, err);

    if (!rc && access(path, F_OK) == 0)
        rc = asim_err_set(err, ASIM_EINVAL,
                          "no file '%s.%lu.et' (or .et.gz), but '%s'; traces in JSON are read, "
                          "where their names end as those of traces: rename them.",
                          prefix, (unsigned long)rank, path);
    free(path);
    return rc;
}

/* A gap among the ranks, a text with a slip, a wrong prefix and a folder without traces are
 * different mistakes; each has its own sentence. */
static int missing(const char *prefix, uint32_t rank, struct asim_err *err)
{
    struct folder seen;
    unsigned long r = rank;
    int rc = scan_folder(prefix, &seen, err);
    if (rc)
        return rc;
    if (seen.highest >= 0)
        return asim_err_set(err, ASIM_EINVAL,
                            "no file '%s.%lu.et' (or .et.gz), although traces up to rank %lld are "
                            "there; every rank from 0 needs one.",
                            prefix, r, (long long)seen.highest);
    rc = refuse_json(prefix, rank, err);
    if (!rc)
        rc = asim_trace_shared_refuse(prefix, err);
    if (rc)
        return rc;
    if (seen.other[0])
        return asim_err_set(err, ASIM_EINVAL,
                            "no file '%s.%lu.et' (or .et.gz); that folder has '%s.0.et', so a "
                            "prefix ending in '%s' would work.",
                            prefix, r, seen.other, seen.other);
    return asim_err_set(err, ASIM_EINVAL,
                        "no file '%s.%lu.et' (or .et.gz); give the path without '.<rank>.et'.",
                        prefix, r);
}

int asim_trace_path(const char *prefix, uint32_t rank, char **path, struct asim_err *err)
{
    int rc = find_file(prefix, rank, path, err);
    if (rc)
        return rc < 0 ? rc : 0;
    return missing(prefix, rank, err);
}

static int refuse_unread(const char *prefix, const struct folder *seen, struct asim_err *err)
{
    return asim_err_set(err, ASIM_EINVAL,
                        "'%.*s%s' has the name of a trace, but its number is no rank's: ranks go "
                        "from 0 to %lu, without leading zeros. Rename the file or move it away.",
                        (int)asim_text_dirlen(prefix), prefix, seen->unread,
                        (unsigned long)UINT32_MAX - 1);
}

/* Whether the rank's compressed file is there; only asked where it has a plain one. */
static int is_packed_too(const char *prefix, uint32_t rank, struct asim_err *err)
{
    char *path;
    int rc = asim_rank_path_make(prefix, rank, "et.gz", &path, err);
    if (rc)
        return rc;
    rc = access(path, F_OK) == 0;
    free(path);
    return rc;
}

/* The first rank with both files, UINT32_MAX = none. Asks the file system only if the folder has
 * files of both kinds. */
static int find_both(const char *prefix, const struct folder *seen, uint32_t ranks, uint32_t *both,
                     struct asim_err *err)
{
    int rc = 0;
    *both = UINT32_MAX;
    if (seen->packed < 0 || !seen->plain)
        return 0;
    for (uint32_t r = (uint32_t)seen->packed; r < ranks && *both == UINT32_MAX; r++) {
        char *path;
        if ((rc = find_file(prefix, r, &path, err)) < 0)
            return rc;
        if (rc && path[strlen(path) - 1] == 't' && (rc = is_packed_too(prefix, r, err)) > 0)
            *both = r;
        free(path);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* If there are as many files as the highest rank says, there is no gap. Otherwise counts up from 0
 * to the first missing file; a file of a higher rank then means a gap. ASTRA-sim silently stops at
 * the gap or exits (system-layer.md#command-lines). */
int asim_trace_count(const char *prefix, struct asim_trace_files *files, struct asim_err *err)
{
    const struct asim_trace_format *shared = asim_trace_shared(prefix);
    struct folder seen;
    char *path;
    uint32_t n = 0;
    int rc;
    files->plain = 0;
    files->both = UINT32_MAX;
    if (shared)
        return shared->ranks(prefix, &files->ranks, err);
    rc = scan_folder(prefix, &seen, err);
    if (rc)
        return rc;
    if (seen.unread[0])
        return refuse_unread(prefix, &seen, err);
    files->plain = seen.plain == (uint64_t)(seen.highest + 1);
    if (files->plain)
        n = (uint32_t)seen.plain;
    while ((int64_t)n <= seen.highest && (rc = find_file(prefix, n, &path, err)) > 0) {
        free(path);
        n++;
    }
    if (rc < 0)
        return rc;
    if (!n || (int64_t)n <= seen.highest)
        return missing(prefix, n, err);
    files->ranks = n;
    return find_both(prefix, &seen, n, &files->both, err);
}

int asim_trace_ranks(const char *prefix, uint32_t *ranks, struct asim_err *err)
{
    struct asim_trace_files files;
    int rc = asim_trace_count(prefix, &files, err);
    if (!rc)
        *ranks = files.ranks;
    return rc;
}
