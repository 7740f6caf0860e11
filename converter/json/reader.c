/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A buffer moves over the file. If an element does not fit, the buffer grows (to 256 MiB, then the
 * element is an error) and the element is parsed again; with 1 MiB at the start this is rare.
 * Members that the caller skips are not stored: a foreign array of gigabytes takes time but no
 * memory.
 */
#include "json/reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "cli/interrupt.h"
#include "json/access.h"

#define ELEMENT_LIMIT ((size_t)256 << 20)

enum { AT_FIRST, AT_NEXT, AT_DONE };

/* Drops the bytes already read, doubles the buffer if that frees nothing, and fills it. 1 = there
 * are new bytes, 0 = the file has ended. */
static int refill(struct asim_jreader *r, struct asim_err *err)
{
    size_t got;
    int code;

    if (r->ended)
        return 0;
    if (r->at) {
        memmove(r->buffer, r->buffer + r->at, r->n - r->at);
        r->base += r->at;
        r->n -= r->at;
        r->at = 0;
    }
    if (r->n == r->cap) {
        size_t cap = r->cap * 2;
        char *bigger = cap > ELEMENT_LIMIT ? NULL : realloc(r->buffer, cap + 1);

        if (cap > ELEMENT_LIMIT)
            return asim_err_set(err, ASIM_ENOMEM,
                                "%s: the JSON value at byte %llu is longer than 256 MiB, which no "
                                "trace writer produces; check the file.",
                                r->path, (unsigned long long)r->base);
        if (!bigger)
            return asim_err_nomem(err, "reading a JSON file");
        r->buffer = bigger;
        r->cap = cap;
    }
    if (asim_interrupted())
        return asim_err_set(err, ASIM_EINTR, "interrupted.");
    code = asim_unpack_read(r->file, r->buffer + r->n, r->cap - r->n, &got, err);
    if (code)
        return code;
    r->ended = got < r->cap - r->n;
    r->n += got;
    r->buffer[r->n] = 0;
    return got > 0;
}

static int fail_at(const struct asim_jreader *r, uint64_t offset, struct asim_err *err,
                   const char *why)
{
    char key[64];

    if (r->key[0] && r->element == UINT64_MAX)
        return asim_err_set(err, ASIM_EINVAL, "%s: %s, at byte %llu: %s.", r->path,
                            asim_text_safe(key, sizeof key, r->key), (unsigned long long)offset,
                            why);
    if (r->key[0])
        return asim_err_set(err, ASIM_EINVAL, "%s: %s, element %llu, at byte %llu: %s.", r->path,
                            asim_text_safe(key, sizeof key, r->key), (unsigned long long)r->element,
                            (unsigned long long)offset, why);
    return asim_err_set(err, ASIM_EINVAL, "%s: at byte %llu: %s.", r->path,
                        (unsigned long long)offset, why);
}

int asim_jreader_fail(const struct asim_jreader *r, const struct asim_jdoc *doc,
                      struct asim_err *err, const char *fmt, ...)
{
    char why[600];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return fail_at(r, doc->offset, err, why);
}

/* The next byte that is not blank, without taking it; 0 at the end, negative on failure. */
static int peek(struct asim_jreader *r, struct asim_err *err)
{
    for (;;) {
        int more;

        if (!r->base && !r->at && r->n >= 3 && !memcmp(r->buffer, "\xEF\xBB\xBF", 3))
            r->at = 3; /* a byte order mark */
        while (r->at < r->n && strchr(" \t\r\n", r->buffer[r->at]) && r->buffer[r->at])
            r->at++;
        if (r->at < r->n)
            return (unsigned char)r->buffer[r->at] ? (unsigned char)r->buffer[r->at] : 1;
        more = refill(r, err);
        if (more <= 0)
            return more;
    }
}

static int expect(struct asim_jreader *r, const char *why, struct asim_err *err)
{
    int c = peek(r, err);

    if (c < 0)
        return c;
    return fail_at(r, r->base + r->at, err, c ? why : "the file ends here, it seems cut off");
}

int asim_jreader_open(struct asim_jreader *r, const char *path, const char *bare_key,
                      struct asim_err *err)
{
    int c;

    memset(r, 0, sizeof *r);
    r->path = path;
    r->element = UINT64_MAX;
    r->buffer = malloc(ASIM_JREADER_BUFFER + 1);
    if (!r->buffer)
        return asim_err_nomem(err, "opening a JSON file");
    r->cap = ASIM_JREADER_BUFFER;
    r->buffer[0] = 0;
    c = asim_unpack_open(&r->file, path, err);
    if (c) {
        asim_jreader_close(r);
        return c;
    }
    c = peek(r, err);
    if (c == '{' || c == '[') {
        r->at += c == '{';
        r->bare = c == '[';
        if (r->bare)
            snprintf(r->key, sizeof r->key, "%s", bare_key);
        return 0;
    }
    if (c >= 0)
        fail_at(r, r->base + r->at, err,
                c ? "a JSON object in { } is expected here" : "the file is empty");
    asim_jreader_close(r);
    return c < 0 ? c : ASIM_EINVAL;
}

int asim_jreader_value(struct asim_jreader *r, struct asim_jdoc *doc, struct asim_err *err)
{
    for (;;) {
        size_t used, start;
        const char *why;
        enum asim_jresult result;
        int c = peek(r, err);

        if (c < 0)
            return c;
        start = r->at;
        doc->offset = r->base + start;
        result = asim_jdoc_parse(doc, r->buffer + start, r->n - start, &used, &why);
        if (result == ASIM_J_OK) {
            r->at += used;
            return 0;
        }
        if (result == ASIM_J_NOMEM)
            return asim_err_nomem(err, "parsing a JSON value");
        if (result == ASIM_J_MORE && !r->ended) {
            c = refill(r, err);
            if (c < 0)
                return c;
            continue;
        }
        if (result == ASIM_J_BAD)
            return fail_at(r, doc->offset + used, err, why);
        return fail_at(r, r->base + r->n, err, "the file ends inside a value, it seems cut off");
    }
}

/* A name with a NUL must not match the name that is its beginning. */
static int take_name(struct asim_jreader *r, const struct asim_jdoc *doc, struct asim_err *err)
{
    const struct asim_jv *v = &doc->at[0];

    if (!asim_jv_string(doc, v, &r->name))
        return asim_err_nomem(err, "reading a JSON file");
    if (strlen(r->name.at) == r->name.n)
        snprintf(r->key, sizeof r->key, "%s", r->name.at);
    else
        snprintf(r->key, sizeof r->key, "%.*s", (int)v->text_n, asim_jv_text(doc, v));
    return 0;
}

/* Reads the name as a value, because it may have escapes. */
int asim_jreader_member(struct asim_jreader *r, struct asim_err *err)
{
    struct asim_jdoc doc = {0};
    int c, code;

    if (r->bare) {
        if (r->state != AT_FIRST && peek(r, err) != 0)
            return expect(r, "nothing is expected behind the end of the array", err);
        return r->state++ == AT_FIRST;
    }
    c = peek(r, err);
    r->key[0] = 0;
    r->element = UINT64_MAX;
    if (c == '}') {
        r->at++;
        return peek(r, err) == 0 ? 0 : expect(r, "nothing is expected behind the object", err);
    }
    if (r->state == AT_NEXT) {
        if (c != ',')
            return expect(r, "a comma or the end of the object is expected", err);
        r->at++;
        c = peek(r, err);
    }
    if (c != '"')
        return expect(r, "a member name in quotes is expected", err);
    code = asim_jreader_value(r, &doc, err);
    if (!code)
        code = take_name(r, &doc, err);
    asim_jdoc_fini(&doc);
    if (code)
        return code;
    if (peek(r, err) != ':')
        return expect(r, "a colon is expected behind the member name", err);
    r->at++;
    r->state = AT_NEXT;
    return 1;
}

int asim_jreader_once(struct asim_jreader *r, unsigned bit, struct asim_err *err)
{
    if (r->seen & bit)
        return fail_at(r, r->base + r->at, err, "the file has this member a second time");
    r->seen |= bit;
    return 0;
}

int asim_jreader_array(struct asim_jreader *r, struct asim_err *err)
{
    if (peek(r, err) != '[')
        return expect(r, "an array in [ ] is expected here", err);
    r->at++;
    r->element = UINT64_MAX;
    return 0;
}

int asim_jreader_element(struct asim_jreader *r, struct asim_jdoc *doc, struct asim_err *err)
{
    int c = peek(r, err);

    if (c == ']') {
        r->at++;
        return 0;
    }
    if (r->element != UINT64_MAX) {
        if (c != ',')
            return expect(r, "a comma or the end of the array is expected", err);
        r->at++;
    }
    r->element++;
    c = asim_jreader_value(r, doc, err);
    return c ? c : 1;
}

/* Updates depth and string state for one byte of a skipped value. */
static void skip_byte(char c, int *depth, int *in_string, int *escaped)
{
    if (*in_string) {
        if (*escaped)
            *escaped = 0;
        else if (c == '\\')
            *escaped = 1;
        else if (c == '"')
            *in_string = 0;
        return;
    }
    if (c == '"')
        *in_string = 1;
    else if (c == '{' || c == '[')
        ++*depth;
    else if (c == '}' || c == ']')
        --*depth;
}

/* Checks only brackets and strings of a skipped value. */
int asim_jreader_skip(struct asim_jreader *r, struct asim_err *err)
{
    int depth = 0, in_string = 0, escaped = 0, c = peek(r, err);

    if (c != '{' && c != '[') {
        struct asim_jdoc doc = {0};

        c = asim_jreader_value(r, &doc, err);
        asim_jdoc_fini(&doc);
        return c;
    }
    do {
        if (r->at == r->n) {
            c = refill(r, err);
            if (c < 0)
                return c;
            if (!c)
                return fail_at(r, r->base + r->n, err, "the file ends inside brackets");
        }
        skip_byte(r->buffer[r->at++], &depth, &in_string, &escaped);
    } while (depth);
    return 0;
}

void asim_jreader_close(struct asim_jreader *r)
{
    asim_unpack_close(r->file);
    if (r->spool)
        fclose(r->spool);
    free(r->buffer);
    asim_jbuf_fini(&r->name);
    r->file = NULL;
    r->spool = NULL;
    r->buffer = NULL;
}
