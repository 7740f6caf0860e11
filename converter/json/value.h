/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One JSON value as a flat list of spans over its own text: nothing is copied and nothing is
 * converted until asked, so a node passes through the tools with its numbers written as they
 * were. jansson is not used for traces because it refuses integers beyond 63 bits, forgets
 * whether a number was written 1 or 1.0, and allocates for every member; on a multi-gigabyte
 * Kineto file that is most of the time. Strictness is RFC 8259's, except that bytes which are
 * not UTF-8 inside strings are let through (kernel names carry them), and so are NaN, Infinity and
 * -Infinity, which Python writes.
 */
#ifndef ASIM_CONVERTER_JSON_VALUE_H
#define ASIM_CONVERTER_JSON_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

enum asim_jkind {
    ASIM_J_NULL,
    ASIM_J_FALSE,
    ASIM_J_TRUE,
    ASIM_J_INT,
    ASIM_J_REAL,
    ASIM_J_STRING,
    ASIM_J_ARRAY,
    ASIM_J_OBJECT
};

/* key and text are spans without their quotes, escapes still in place; for arrays and objects
 * the span is the whole value with its brackets. Children follow their parent in the list. */
struct asim_jv {
    uint8_t kind, escaped, key_escaped;
    uint32_t key, key_n, text, text_n;
    uint32_t next; /* index of the next sibling, 0 = last */
    uint32_t n;    /* children */
};

struct asim_jdoc {
    const char *text; /* borrowed from the reader until its next call */
    size_t size;
    uint64_t offset; /* of text in the (unpacked) file */
    struct asim_jv *at;
    size_t n, cap;
};

enum asim_jresult { ASIM_J_OK = 0, ASIM_J_MORE = 1, ASIM_J_BAD = 2, ASIM_J_NOMEM = 3 };

/* Parses the value at the start of text (leading blanks allowed, text[size] readable and 0).
 * *used = bytes taken. ASIM_J_MORE when the text ends inside the value. On ASIM_J_BAD, *used is
 * where and *why says what is wrong, as a phrase. */
enum asim_jresult asim_jdoc_parse(struct asim_jdoc *doc, const char *text, size_t size,
                                  size_t *used, const char **why);
void asim_jdoc_fini(struct asim_jdoc *doc);

/* Member of an object by name (the last of equal names, as Python's dict has it), or NULL. v may
 * be NULL or no object: then NULL. */
const struct asim_jv *asim_jv_get(const struct asim_jdoc *doc, const struct asim_jv *v,
                                  const char *name);
const struct asim_jv *asim_jv_first(const struct asim_jdoc *doc, const struct asim_jv *v);
const struct asim_jv *asim_jv_next(const struct asim_jdoc *doc, const struct asim_jv *v);
/* Element i of an array, or NULL. */
const struct asim_jv *asim_jv_item(const struct asim_jdoc *doc, const struct asim_jv *v, size_t i);
int asim_jv_is(const struct asim_jdoc *doc, const struct asim_jv *v, const char *text);
/* For sentences: the beginning as it was written, strings in quotes; "nothing" for NULL. buf has
 * ASIM_JV_SHOWN bytes. Returns buf. */
enum { ASIM_JV_SHOWN = 80 };
const char *asim_jv_show(const struct asim_jdoc *doc, const struct asim_jv *v, char *buf);
/* Raw text, not terminated. */
const char *asim_jv_text(const struct asim_jdoc *doc, const struct asim_jv *v);

/* 0, or ASIM_EINVAL when v is NULL, no number, or does not fit. Integers may also stand in a
 * string ("12"), as some writers do, or be real but whole (3.0). */
int asim_jv_i64(const struct asim_jdoc *doc, const struct asim_jv *v, int64_t *out);
int asim_jv_double(const struct asim_jdoc *doc, const struct asim_jv *v, double *out);

/* A byte buffer that grows: decoded strings, printed values. */
struct asim_jbuf {
    char *at;
    size_t n, cap;
    int failed; /* out of memory at some point */
};
void asim_jbuf_put(struct asim_jbuf *buf, const char *data, size_t size);
void asim_jbuf_text(struct asim_jbuf *buf, const char *text);
void asim_jbuf_fini(struct asim_jbuf *buf);
/* Decoded string (escapes resolved, lone surrogates kept as three bytes), NUL-terminated at the
 * end of buf, whose content is replaced. NULL when out of memory. */
const char *asim_jv_string(const struct asim_jdoc *doc, const struct asim_jv *v,
                           struct asim_jbuf *buf);

#endif
