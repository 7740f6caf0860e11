/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Orders and look-ups over big arrays of records at four bytes a record: a stable sort of their
 * numbers, a hash index by an int64_t field, and strings kept once. Traces have tens of millions
 * of records, so what is kept beside them must be small.
 */
#ifndef ASIM_CONVERTER_LIB_INDEX_H
#define ASIM_CONVERTER_LIB_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

#define ASIM_NONE UINT32_MAX /* no record */

/* Sorts n record numbers, stably. before(ctx, a, b): record a goes strictly before b. 0 or
 * ASIM_ENOMEM. Merge sort from the bottom up: n log n, no recursion. */
int asim_sort_u32(uint32_t *at, size_t n, int (*before)(const void *ctx, uint32_t a, uint32_t b),
                  const void *ctx);
/* malloc'ed 0, 1, … n-1, or NULL. */
uint32_t *asim_iota_u32(size_t n);

/* Hash index from an int64_t field of records to the record put last under that key. */
struct asim_key_index {
    const char *keys; /* first record's key field */
    size_t stride;    /* bytes between records */
    uint32_t *slots;
    size_t mask; /* number of slots - 1 */
};
/* Room for n records. The record array must not move while the index is used. */
int asim_index_init(struct asim_key_index *index, const void *keys, size_t stride, size_t n);
void asim_index_put(struct asim_key_index *index, uint32_t record);
/* Record, or ASIM_NONE. */
uint32_t asim_index_get(const struct asim_key_index *index, int64_t key);
void asim_index_fini(struct asim_key_index *index);

/* Strings, each kept once, numbered from 0. */
struct asim_names {
    struct asim_arena arena;
    ASIM_VEC(const char *) all;
    uint32_t *slots;
    size_t cap;
};
/* limit_bytes: ceiling on their text. */
void asim_names_init(struct asim_names *names, size_t limit_bytes);
/* Number of that string, or ASIM_NONE when out of memory. */
uint32_t asim_names_put(struct asim_names *names, const char *text, size_t size);
/* Text of a number; "" for ASIM_NONE. */
const char *asim_names_get(const struct asim_names *names, uint32_t number);
void asim_names_fini(struct asim_names *names);

#endif
