/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Walking a JSON file of any size: the members of its top-level object one by one, arrays among
 * them element by element, with one element in memory at a time. Files packed with gzip are
 * known by their first bytes, whatever their name. A file can also be read again at the place
 * of an element; a packed one is then unpacked once into an unnamed temporary file.
 */
#ifndef ASIM_CONVERTER_JSON_READER_H
#define ASIM_CONVERTER_JSON_READER_H

#include <stdio.h>
#include "json/unpack.h"
#include "json/value.h"

#define ASIM_JREADER_WINDOW ((size_t)1 << 20) /* bytes of the window to begin with */

struct asim_jreader {
    const char *path; /* borrowed */
    struct asim_unpack *file;
    char *window; /* cap + 1 bytes */
    size_t at, n, cap;
    uint64_t base;         /* offset of window[0] in the unpacked file */
    int ended;             /* no bytes behind the window */
    int state;             /* how far in the top-level value */
    int bare;              /* the file is an array without an object around it */
    uint64_t element;      /* index of the last element given, from 0 */
    char key[128];         /* of the member last given, to its first 127 bytes */
    struct asim_jbuf name; /* the same whole, which may hold a NUL */
    FILE *spool;           /* for reading again */
};

/* Fails when the file cannot be opened, is empty, or begins neither with an object nor with an
 * array. A bare array appears as one member, called `bare_key`. */
int asim_jreader_open(struct asim_jreader *r, const char *path, const char *bare_key,
                      struct asim_err *err);
/* 1 = the next member's name is in r->key and its value comes next: take it with exactly one of
 * _value, _skip or _array + _element until 0. 0 = the object is complete and the file ends. */
int asim_jreader_member(struct asim_jreader *r, struct asim_err *err);
int asim_jreader_value(struct asim_jreader *r, struct asim_jdoc *doc, struct asim_err *err);
int asim_jreader_skip(struct asim_jreader *r, struct asim_err *err);
int asim_jreader_array(struct asim_jreader *r, struct asim_err *err);
/* 1 = an element in doc, 0 = the array is complete. */
int asim_jreader_element(struct asim_jreader *r, struct asim_jdoc *doc, struct asim_err *err);
/* Parses again the `size` bytes at `offset` that a doc came from. */
int asim_jreader_again(struct asim_jreader *r, uint64_t offset, size_t size, struct asim_jdoc *doc,
                       struct asim_err *err);
void asim_jreader_close(struct asim_jreader *r);

/* "path: key[element] at byte N: <phrase>" as ASIM_EINVAL. */
int asim_jreader_fail(const struct asim_jreader *r, const struct asim_jdoc *doc,
                      struct asim_err *err, const char *fmt, ...) ASIM_PRINTF(4, 5);

#endif
