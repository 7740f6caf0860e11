/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One JSON value as a flat list of spans over its own text: nothing is copied and nothing is
 * converted until asked, so a node passes through the tools with its numbers written as they
 * were. jansson is not used for traces because it refuses integers beyond 63 bits, forgets
 * whether a number was written 1 or 1.0, and allocates for every member; on a multi-gigabyte
 * Kineto file that is most of the time. Strictness is RFC 8259's, except that bytes which are
 * not UTF-8 inside strings are let through and counted (kernel names carry them; decoded, each is
 * U+FFFD), and so are NaN, Infinity and
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
    uint64_t repeats; /* keys that an object has twice with two values, in all values parsed */
    uint64_t no_utf8; /* strings and keys with bytes that are not UTF-8, in all values parsed */
};

enum asim_jresult { ASIM_J_OK = 0, ASIM_J_MORE = 1, ASIM_J_BAD = 2, ASIM_J_NOMEM = 3 };

/* Parses the value at the start of text (leading blanks allowed, text[size] readable and 0).
 * *used = bytes taken. ASIM_J_MORE when the text ends inside the value. On ASIM_J_BAD, *used
 * is the place of the fault and *why names the fault in a phrase. */
enum asim_jresult asim_jdoc_parse(struct asim_jdoc *doc, const char *text, size_t size,
                                  size_t *used, const char **why);
void asim_jdoc_fini(struct asim_jdoc *doc);

/* For sentences: the beginning as it was written, strings in quotes; "nothing" for NULL. buf has
 * ASIM_JV_SHOWN bytes. Returns buf. */
enum { ASIM_JV_SHOWN = 80 };

/* A byte buffer that grows: decoded strings, printed values. */
struct asim_jbuf {
    char *at;
    size_t n, cap;
    int failed; /* out of memory at some point */
};

#endif
