/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a JSON file of any size: the members of its top-level object one by one, and arrays element
 * by element, with one element in memory at a time. A gzip file is recognised by its first bytes.
 * An element can be read again by its position; a gzip file is inflated once into an unnamed
 * temporary file for that.
 */
#ifndef ASIM_CONVERTER_JSON_READER_H
#define ASIM_CONVERTER_JSON_READER_H

#include <stdio.h>
#include "base/io/unpack.h"
#include "json/value.h"

#define ASIM_JREADER_BUFFER ((size_t)1 << 20) /* bytes of the buffer at the start */

struct asim_jreader {
    const char *path; /* borrowed */
    struct asim_unpack *file;
    char *buffer; /* cap + 1 bytes */
    size_t at, n, cap;
    uint64_t base;         /* offset of the buffer in the inflated file */
    int ended;             /* no bytes after the buffer */
    int state;             /* state of the top-level value */
    int bare;              /* the file is an array, not an object */
    unsigned seen;         /* bits of asim_jreader_once */
    uint64_t element;      /* index of the last element, from 0 */
    char key[128];         /* name of the last member, its first 127 bytes */
    struct asim_jbuf name; /* the complete name, which may contain a NUL */
    FILE *spool;           /* for reading elements again */
};

/* Fails if the file cannot be opened, is empty, or begins with neither an object nor an array. An
 * array counts as one member with the name `bare_key`. */
int asim_jreader_open(struct asim_jreader *r, const char *path, const char *bare_key,
                      struct asim_err *err);
/* 1 = the name of the next member is in r->key: read its value with exactly one of _value, _skip,
 * or _array and then _element until 0. 0 = the object is complete and the file ends. */
int asim_jreader_member(struct asim_jreader *r, struct asim_err *err);
int asim_jreader_value(struct asim_jreader *r, struct asim_jdoc *doc, struct asim_err *err);
int asim_jreader_skip(struct asim_jreader *r, struct asim_err *err);
int asim_jreader_array(struct asim_jreader *r, struct asim_err *err);
/* 1 = an element in doc, 0 = the array is complete. */
int asim_jreader_element(struct asim_jreader *r, struct asim_jdoc *doc, struct asim_err *err);
/* Refuses a second member of a name that the caller gives this bit. */
int asim_jreader_once(struct asim_jreader *r, unsigned bit, struct asim_err *err);
void asim_jreader_close(struct asim_jreader *r);

/* "path: key[element] at byte N: <phrase>" as ASIM_EINVAL. */
int asim_jreader_fail(const struct asim_jreader *r, const struct asim_jdoc *doc,
                      struct asim_err *err, const char *fmt, ...) ASIM_PRINTF(4, 5);

/* Parses the `size` bytes at `offset` again. */
int asim_jreader_reread(struct asim_jreader *r, uint64_t offset, size_t size, struct asim_jdoc *doc,
                        struct asim_err *err);

#endif
