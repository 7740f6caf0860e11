/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Merge sort, hash index, string table. The hash index stores record numbers and compares the keys
 * in the records. At most three quarters of its slots are used, with linear probing.
 */
#include "lib/index.h"

#include <stdlib.h>
#include <string.h>
#include "asim/err.h"

uint32_t *asim_iota_u32(size_t n)
{
    uint32_t *at = malloc((n ? n : 1) * sizeof *at);

    for (size_t i = 0; at && i < n; i++)
        at[i] = (uint32_t)i;
    return at;
}

int asim_sort_u32(uint32_t *at, size_t n, int (*before)(const void *ctx, uint32_t a, uint32_t b),
                  const void *ctx)
{
    uint32_t *from = at, *to = malloc((n ? n : 1) * sizeof *to), *scratch = to;

    if (!to)
        return ASIM_ENOMEM;
    for (size_t width = 1; width < n; width *= 2) {
        uint32_t *swap = from;

        for (size_t start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n;
            size_t end = middle + width < n ? middle + width : n;
            size_t a = start, b = middle;

            for (size_t k = start; k < end; k++)
                to[k] = a < middle && (b >= end || !before(ctx, from[b], from[a])) ? from[a++]
                                                                                   : from[b++];
        }
        from = to;
        to = swap;
    }
    if (from != at)
        memcpy(at, from, n * sizeof *at);
    free(scratch);
    return 0;
}

/* Ids are running numbers: without mixing, neighbours would fill the table in long runs. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

static int64_t key_of(const struct asim_key_index *index, uint32_t record)
{
    int64_t key;

    memcpy(&key, index->keys + record * index->stride, sizeof key);
    return key;
}

int asim_index_init(struct asim_key_index *index, const void *keys, size_t stride, size_t n)
{
    size_t cap = 16;

    while (cap / 4 * 3 < n)
        cap *= 2;
    index->keys = keys;
    index->stride = stride;
    index->mask = cap - 1;
    index->slots = malloc(cap * sizeof *index->slots);
    if (!index->slots)
        return ASIM_ENOMEM;
    memset(index->slots, 0xff, cap * sizeof *index->slots);
    return 0;
}

static uint32_t *slot_of(const struct asim_key_index *index, int64_t key)
{
    size_t i = (size_t)mix((uint64_t)key) & index->mask;

    while (index->slots[i] != ASIM_NONE && key_of(index, index->slots[i]) != key)
        i = (i + 1) & index->mask;
    return &index->slots[i];
}

void asim_index_put(struct asim_key_index *index, uint32_t record)
{
    *slot_of(index, key_of(index, record)) = record;
}

uint32_t asim_index_get(const struct asim_key_index *index, int64_t key)
{
    return index->slots ? *slot_of(index, key) : ASIM_NONE;
}

void asim_index_fini(struct asim_key_index *index)
{
    free(index->slots);
    index->slots = NULL;
}

void asim_names_init(struct asim_names *names, size_t limit_bytes)
{
    memset(names, 0, sizeof *names);
    asim_arena_init(&names->arena, limit_bytes);
}

static uint64_t hash_text(const char *text, size_t size)
{
    uint64_t h = size;

    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return mix(h);
}

/* Doubles the table and inserts every name again. */
static int names_grow(struct asim_names *names)
{
    size_t cap = names->cap ? names->cap * 2 : 64;
    uint32_t *slots = malloc(cap * sizeof *slots);

    if (!slots)
        return ASIM_ENOMEM;
    memset(slots, 0xff, cap * sizeof *slots);
    for (uint32_t i = 0; i < names->all.n; i++) {
        size_t s = (size_t)hash_text(names->all.at[i], strlen(names->all.at[i])) & (cap - 1);

        while (slots[s] != ASIM_NONE)
            s = (s + 1) & (cap - 1);
        slots[s] = i;
    }
    free(names->slots);
    names->slots = slots;
    names->cap = cap;
    return 0;
}

uint32_t asim_names_put(struct asim_names *names, const char *text, size_t size)
{
    const char *zero = memchr(text, 0, size);
    char *copy;
    size_t s;

    if (zero) /* a name ends at a NUL for every user of the string */
        size = (size_t)(zero - text);
    if (names->all.n * 2 >= names->cap && names_grow(names))
        return ASIM_NONE;
    s = (size_t)hash_text(text, size) & (names->cap - 1);
    for (; names->slots[s] != ASIM_NONE; s = (s + 1) & (names->cap - 1)) {
        const char *known = names->all.at[names->slots[s]];

        if (!strncmp(known, text, size) && !known[size])
            return names->slots[s];
    }
    copy = asim_arena_strndup(&names->arena, text, size);
    if (!copy || ASIM_VEC_PUSH(names->all, copy))
        return ASIM_NONE;
    return names->slots[s] = (uint32_t)names->all.n - 1;
}

const char *asim_names_get(const struct asim_names *names, uint32_t number)
{
    return number < names->all.n ? names->all.at[number] : "";
}

void asim_names_fini(struct asim_names *names)
{
    ASIM_FREE(names->all.at, names->slots);
    asim_arena_fini(&names->arena);
    memset(names, 0, sizeof *names);
}
