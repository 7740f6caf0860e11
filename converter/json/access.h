/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Members, numbers and strings of a parsed value; a buffer for text.
 */
#ifndef ASIM_CONVERTER_JSON_ACCESS_H
#define ASIM_CONVERTER_JSON_ACCESS_H

#include "json/value.h"

/* The member of an object by name (the last of equal names, as in Python's dict), or NULL. NULL
 * also if v is NULL or not an object. */
const struct asim_jv *asim_jv_get(const struct asim_jdoc *doc, const struct asim_jv *v,
                                  const char *name);
const struct asim_jv *asim_jv_first(const struct asim_jdoc *doc, const struct asim_jv *v);
const struct asim_jv *asim_jv_next(const struct asim_jdoc *doc, const struct asim_jv *v);
/* Element i of an array, or NULL. */
const struct asim_jv *asim_jv_item(const struct asim_jdoc *doc, const struct asim_jv *v, size_t i);
int asim_jv_is(const struct asim_jdoc *doc, const struct asim_jv *v, const char *text);
const char *asim_jv_show(const struct asim_jdoc *doc, const struct asim_jv *v, char *buf);
/* Raw text, not terminated. */
const char *asim_jv_text(const struct asim_jdoc *doc, const struct asim_jv *v);
/* Returns 0, or ASIM_EINVAL if v is NULL, not a number, or does not fit. An integer may also be in
 * a string ("12"), as some tools write it, or be a whole real (3.0). */
int asim_jv_i64(const struct asim_jdoc *doc, const struct asim_jv *v, int64_t *out);
int asim_jv_double(const struct asim_jdoc *doc, const struct asim_jv *v, double *out);
void asim_jbuf_put(struct asim_jbuf *buf, const char *data, size_t size);
void asim_jbuf_text(struct asim_jbuf *buf, const char *text);
/* With U+FFFD for each byte that is not UTF-8. */
void asim_jbuf_utf8(struct asim_jbuf *buf, const char *text, size_t size);
void asim_jbuf_fini(struct asim_jbuf *buf);
/* The decoded string (escapes resolved, single surrogates kept as three bytes) with a NUL; replaces
 * the content of buf. NULL if out of memory. */
const char *asim_jv_string(const struct asim_jdoc *doc, const struct asim_jv *v,
                           struct asim_jbuf *buf);

#endif
