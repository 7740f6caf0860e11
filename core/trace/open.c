/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Opens a trace in the format that its name says. A Chakra file has no magic number, so the name
 * decides: it ends in the suffix of a format, with or without .gz. A file of any other name is read
 * as Chakra, whose reader reports errors.
 *
 * struct asim_trace is a format's row and its reader. asim_trace_close also accepts a trace whose
 * opening failed.
 */
#include "trace/open.h"

#include <stdlib.h>
#include <string.h>
#include "base/io/rank_path.h"
#include "trace/format.h"
#include "trace/shared.h"

#define DEFAULT_SUFFIX "et"

/* A name that consists of the suffix only does not count. */
static int ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    if (n > 3 && !strcmp(path + n - 3, ".gz"))
        n -= 3;
    return n > m && path[n - m - 1] == '.' && !strncmp(path + n - m, suffix, m);
}

/* Rows without a suffix serve all ranks from one file; asim_trace_shared finds them. */
static const struct asim_trace_format *format_of(const char *path)
{
    const struct asim_trace_format *fallback = NULL;
    for (size_t i = 0; asim_trace_format_table[i]; i++) {
        const struct asim_trace_format *row =
            (const struct asim_trace_format *)asim_trace_format_table[i];
        if (!row->suffix)
            continue;
        if (ends_in(path, row->suffix))
            return row;
        if (!strcmp(row->suffix, DEFAULT_SUFFIX))
            fallback = row;
    }
    return fallback;
}

/* Takes ownership of path. format NULL: the name decides. */
static int open_with(struct asim_trace *trace, char *path, uint32_t rank,
                     const struct asim_trace_format *format, struct asim_err *err)
{
    trace->path = path;
    trace->format = format ? format : format_of(path);
    int rc = trace->format ? trace->format->open(&trace->reader, path, rank, err)
                           : asim_err_set(err, ASIM_EBUG, "no trace format reads '%s'.", path);
    if (rc)
        asim_trace_close(trace);
    return rc;
}

static int open_copy(struct asim_trace *trace, const char *path, uint32_t rank,
                     const struct asim_trace_format *format, struct asim_err *err)
{
    size_t n = strlen(path) + 1;
    char *copy = malloc(n);
    if (!copy)
        return asim_err_nomem(err, "opening a trace");
    memcpy(copy, path, n);
    return open_with(trace, copy, rank, format, err);
}

/* A prefix that is itself a file serves every rank. The suffix decides the format of a rank's own
 * file. */
int asim_trace_open(struct asim_trace *trace, const char *prefix, uint32_t rank,
                    struct asim_err *err)
{
    const struct asim_trace_format *shared = asim_trace_shared(prefix);
    char *path;
    *trace = (struct asim_trace){0};
    if (shared)
        return open_copy(trace, prefix, rank, shared, err);
    int rc = asim_trace_path(prefix, rank, &path, err);
    return rc ? rc : open_with(trace, path, rank, NULL, err);
}

int asim_trace_open_plain(struct asim_trace *trace, const char *prefix, uint32_t rank,
                          struct asim_err *err)
{
    char *path;
    *trace = (struct asim_trace){0};
    int rc = asim_rank_path_make(prefix, rank, "et", &path, err);
    return rc ? rc : open_with(trace, path, rank, NULL, err);
}

int asim_trace_serves_all(const struct asim_trace *trace)
{
    return trace->format && trace->format->open_like;
}

int asim_trace_open_like(struct asim_trace *trace, const struct asim_trace *like, uint32_t rank,
                         struct asim_err *err)
{
    size_t n = strlen(like->path) + 1;
    *trace = (struct asim_trace){.format = like->format, .path = malloc(n)};
    if (!trace->path)
        return asim_err_nomem(err, "opening a trace");
    memcpy(trace->path, like->path, n);
    int rc = like->format->open_like(&trace->reader, like->reader, rank, err);
    if (rc)
        asim_trace_close(trace);
    return rc;
}

int asim_trace_is_alike(const struct asim_trace *a, const struct asim_trace *b)
{
    return a->format == b->format && a->format->is_alike &&
           a->format->is_alike(a->reader, b->reader);
}

/* Opens the file as rank 0. */
int asim_trace_open_file(struct asim_trace *trace, const char *path, struct asim_err *err)
{
    *trace = (struct asim_trace){0};
    return open_copy(trace, path, 0, asim_trace_shared(path), err);
}

int asim_trace_next(struct asim_trace *trace, struct asim_op *op, struct asim_err *err)
{
    return trace->format->next(trace->reader, op, err);
}

/* Nodes have had their present fields since schema 0.0.4; versions released since then begin with 0
 * or 1. Any other may have other fields. */
int asim_trace_version_known(const struct asim_trace *trace, const char **version)
{
    static const char *const before[] = {"0.0.1", "0.0.2", "0.0.3"};
    const char *text = trace->format->version ? trace->format->version(trace->reader) : "";
    *version = text;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (!strcmp(text, before[i]))
            return 0;
    if (!*text)
        return 1;
    return (text[0] == '0' || text[0] == '1') && text[1] == '.' &&
           !text[strspn(text, "0123456789.")];
}

uint64_t asim_trace_tell(const struct asim_trace *trace)
{
    return trace->format->tell(trace->reader);
}

int asim_trace_at(struct asim_trace *trace, uint64_t position, struct asim_op *op,
                  struct asim_err *err)
{
    return trace->format->at(trace->reader, position, op, err);
}

void asim_trace_close(struct asim_trace *trace)
{
    if (trace->reader)
        trace->format->close(trace->reader);
    free(trace->path);
    *trace = (struct asim_trace){0};
}
