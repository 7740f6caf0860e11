/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Orders and look-ups over large arrays of records at four bytes a record: a stable sort of record
 * numbers, a hash index by an int64_t field, and a string table. Traces have tens of millions of
 * records, so auxiliary data must be small.
 */
#ifndef ASIM_CONVERTER_LIB_INDEX_H
#define ASIM_CONVERTER_LIB_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

#define ASIM_NONE UINT32_MAX /* no record */

/* Sorts n record numbers, stably. before(ctx, a, b): record a goes strictly before b. Returns 0 or
 * ASIM_ENOMEM. Bottom-up merge sort: n log n, no recursion. */
int asim_sort_u32(uint32_t *at, size_t n, int (*before)(const void *ctx, uint32_t a, uint32_t b),
                  const void *ctx);
/* Returns malloc'ed 0, 1, … n-1, or NULL. */
uint32_t *asim_iota_u32(size_t n);

/* Hash index from an int64_t field to the record that was added last under that key. */
struct asim_key_index {
    const char *keys; /* first record's key field */
    size_t stride;    /* bytes between records */
    uint32_t *slots;
    size_t mask; /* number of slots - 1 */
};
/* Allocates for n records. The record array must not move while the index is in use. */
int asim_index_init(struct asim_key_index *index, const void *keys, size_t stride, size_t n);
void asim_index_put(struct asim_key_index *index, uint32_t record);
/* Returns the record, or ASIM_NONE. */
uint32_t asim_index_get(const struct asim_key_index *index, int64_t key);
void asim_index_fini(struct asim_key_index *index);

/* Distinct strings, numbered from 0. */
struct asim_names {
    struct asim_arena arena;
    ASIM_VEC(const char *) all;
    uint32_t *slots;
    size_t cap;
};
/* limit_bytes: limit on the total text. */
void asim_names_init(struct asim_names *names, size_t limit_bytes);
/* Returns the number of the string, or ASIM_NONE if out of memory. */
uint32_t asim_names_put(struct asim_names *names, const char *text, size_t size);
/* Returns the text of a number; "" for ASIM_NONE. */
const char *asim_names_get(const struct asim_names *names, uint32_t number);
void asim_names_fini(struct asim_names *names);

#endif
