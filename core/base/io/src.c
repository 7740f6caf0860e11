/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a text file whole and cuts it into words in place. The delimiter of a word becomes its NUL.
 * If the delimiter was the end of the line, the cursor stays on it; the file has no NUL bytes of
 * its own, so a NUL under the cursor is always the end of a line. CR counts as blank, so CRLF files
 * work; a UTF-8 byte order mark is skipped.
 */
#include "base/io/src.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/foreign.h"
#include "base/mem.h"

#define SRC_LIMIT_BYTES ((size_t)1 << 30)
#define SRC_FIRST_BYTES ((size_t)1 << 16)

/* Messages name the file after the caller's string may be gone. */
static char *copy_name(const char *name)
{
    size_t n = strlen(name) + 1;
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, name, n);
    return copy;
}

/* Appends the file to src->data, without asking for its size: pipes and /proc have none. Keeps one
 * byte for the NUL of the last word. */
static int read_all(struct asim_src *src, FILE *file, struct asim_err *err)
{
    size_t cap = 0;
    for (;;) {
        if (src->size >= SRC_LIMIT_BYTES)
            return asim_err_set(err, ASIM_ENOMEM,
                                "the file %s is larger than 1 GiB, the limit for a text input.",
                                src->name);
        if (asim_grow(&src->data, &cap, src->size + SRC_FIRST_BYTES + 1, 1))
            return asim_err_nomem(err, "reading a text file");
        size_t got = fread(src->data + src->size, 1, cap - src->size - 1, file);
        src->size += got;
        if (ferror(file))
            return asim_err_set(err, ASIM_EIO, "cannot read %s: %s.", src->name, strerror(errno));
        if (!got)
            break;
    }
    src->data[src->size] = '\0';
    return 0;
}

/* Refuses NUL bytes, with their line, and skips a byte order mark. */
static int start(struct asim_src *src, struct asim_err *err)
{
    const char *nul = memchr(src->data, '\0', src->size);
    if (nul) {
        const char *what = asim_foreign_binary(src->data, src->size);
        struct asim_where at = {src->name, 1, 0};

        if (what)
            return asim_err_set(err, ASIM_EINVAL, "%s is %s.", src->name, what);
        for (const char *c = src->data; c < nul; c++)
            at.line += *c == '\n';
        return asim_err_at(err, ASIM_EINVAL, at,
                           "found a NUL byte at offset %zu: this is not a text file.",
                           (size_t)(nul - src->data));
    }
    if (src->size >= 3 && !memcmp(src->data, "\xEF\xBB\xBF", 3))
        src->at = src->line_start = 3;
    src->line = 1;
    return 0;
}

/* After a failure nothing has to be closed. */
int asim_src_open(struct asim_src *src, const char *path, struct asim_err *err)
{
    memset(src, 0, sizeof *src);
    src->name = copy_name(path);
    if (!src->name)
        return asim_err_nomem(err, "opening a text file");
    FILE *file = fopen(path, "rb");
    int code;
    if (!file) {
        code = asim_err_set(err, ASIM_EIO, "cannot open %s: %s.", path, strerror(errno));
    } else {
        code = read_all(src, file, err);
        fclose(file);
    }
    if (!code)
        code = start(src, err);
    if (code)
        asim_src_close(src);
    return code;
}

/* For texts in memory; copies data, because reading words writes into it. */
int asim_src_open_bytes(struct asim_src *src, const char *name, const char *data, size_t size,
                        struct asim_err *err)
{
    memset(src, 0, sizeof *src);
    if (size > SRC_LIMIT_BYTES)
        return asim_err_set(err, ASIM_ENOMEM,
                            "%s is larger than 1 GiB, the limit for a text input.", name);
    src->name = copy_name(name);
    src->data = malloc(size + 1);
    int code = src->name && src->data ? 0 : asim_err_nomem(err, "copying a text");
    if (!code) {
        if (size)
            memcpy(src->data, data, size);
        src->data[size] = '\0';
        src->size = size;
        code = start(src, err);
    }
    if (code)
        asim_src_close(src);
    return code;
}

/* A NUL here is a newline that the end of a word has replaced. */
static int is_line_end(const struct asim_src *src)
{
    return src->data[src->at] == '\n' || src->data[src->at] == '\0';
}

/* Skips blanks and a comment; 1 if a word begins here, 0 at the end of line or file. A comment
 * begins with # or // where a word could begin, never inside a word. */
static int skip_blanks(struct asim_src *src)
{
    while (src->at < src->size && asim_src_is_blank(src->data[src->at]))
        src->at++;
    if (src->at >= src->size || is_line_end(src))
        return 0;
    const char *here = src->data + src->at;
    if (here[0] != '#' && (here[0] != '/' || here[1] != '/'))
        return 1;
    while (src->at < src->size && !is_line_end(src))
        src->at++;
    return 0;
}

/* The only place that counts lines. A file of 2^32 lines exceeds the size limit. */
static void pass_line_end(struct asim_src *src)
{
    src->at++;
    src->line++;
    src->line_start = src->at;
}

/* Moves behind the delimiter unless it ends the line: the next call must find the end of the
 * line. */
char *asim_src_word_in_line(struct asim_src *src)
{
    if (!skip_blanks(src))
        return NULL;
    char *word = src->data + src->at;
    src->word_line = src->line;
    src->word_column = (unsigned)(src->at - src->line_start) + 1;
    while (src->at < src->size && !asim_src_is_blank(src->data[src->at]) && !is_line_end(src))
        src->at++;
    if (src->at < src->size) {
        int ends_line = is_line_end(src);
        src->data[src->at] = '\0';
        src->at += !ends_line;
    }
    return word;
}

/* For formats without meaning of line ends, such as HPCC topologies. Skips comments and empty
 * lines. */
char *asim_src_word(struct asim_src *src)
{
    while (!skip_blanks(src)) {
        if (src->at >= src->size)
            return NULL;
        pass_line_end(src);
    }
    return asim_src_word_in_line(src);
}

/* Sets word_line to the line it finds: a second call without a word in between goes on, and
 * asim_src_where has a useful line for "this line is empty". */
int asim_src_next_line(struct asim_src *src)
{
    if (src->word_line) {
        while (src->at < src->size && !is_line_end(src))
            src->at++;
    }
    while (!skip_blanks(src)) {
        if (src->at >= src->size)
            return 0;
        pass_line_end(src);
    }
    src->word_line = src->line;
    src->word_column = 0;
    return 1;
}

/* name is borrowed from the source. */
struct asim_where asim_src_where(const struct asim_src *src)
{
    return (struct asim_where){src->name, src->word_line, src->word_column};
}

/* Words point into the text and end with it. */
void asim_src_close(struct asim_src *src)
{
    ASIM_FREE(src->name, src->data);
    memset(src, 0, sizeof *src);
}
