/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Open addressing with linear probing. A deletion shifts the following used slots back (Knuth,
 * TAOCP volume 3, 6.4, algorithm R), so there are no tombstones, and look-ups do not get slower.
 * Keys are often (rank, running number): the hash multiplies both words by odd constants and folds
 * the high half down; the position in the table is a mask.
 *
 * Values are 64 bits: a number, an index, or a pointer as uintptr_t. The map does not own what they
 * point to.
 */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { MAP_FIRST = 16 };

void asim_map_init(struct asim_map *map)
{
    memset(map, 0, sizeof *map);
}

/* Odd constants with well mixed bits; the first is 2^64 over the golden ratio (Knuth 6.4). The fold
 * brings bits of the high word under the mask. */
static inline size_t map_home(const struct asim_map *map, uint64_t hi, uint64_t lo)
{
    uint64_t h = lo * UINT64_C(0x9E3779B97F4A7C15) + hi * UINT64_C(0xC2B2AE3D27D4EB4F);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 32;
    return (size_t)h & (map->cap - 1);
}

/* The slot of the key, or the free slot where it belongs. Terminates because there is always a free
 * slot. */
static inline size_t map_slot(const struct asim_map *map, uint64_t hi, uint64_t lo)
{
    size_t i = map_home(map, hi, lo);
    while (map->used[i] && (map->slots[i].lo != lo || map->slots[i].hi != hi))
        i = (i + 1) & (map->cap - 1);
    return i;
}

uint64_t *asim_map_get(const struct asim_map *map, uint64_t hi, uint64_t lo)
{
    if (!map->n)
        return NULL;
    size_t i = map_slot(map, hi, lo);
    return map->used[i] ? &map->slots[i].value : NULL;
}

/* Doubles the table. Allocates both arrays before it moves anything, so that a failure leaves the
 * map unchanged. O(1) amortised per put. */
static int map_grow(struct asim_map *map)
{
    struct asim_map bigger = {.cap = map->cap ? map->cap * 2 : MAP_FIRST, .n = map->n};
    if (map->cap > SIZE_MAX / 4 / sizeof *map->slots)
        return 0;
    bigger.slots = malloc(bigger.cap * sizeof *bigger.slots);
    bigger.used = calloc(bigger.cap, 1);
    if (!bigger.slots || !bigger.used) {
        free(bigger.slots);
        free(bigger.used);
        return 0;
    }
    for (size_t i = 0; i < map->cap; i++) {
        if (!map->used[i])
            continue;
        size_t to = map_slot(&bigger, map->slots[i].hi, map->slots[i].lo);
        bigger.slots[to] = map->slots[i];
        bigger.used[to] = 1;
    }
    asim_map_fini(map);
    *map = bigger;
    return 1;
}

/* Never grows the table for an existing key, so an update cannot fail. */
uint64_t *asim_map_put(struct asim_map *map, uint64_t hi, uint64_t lo)
{
    size_t i = 0;
    if (map->cap) {
        i = map_slot(map, hi, lo);
        if (map->used[i])
            return &map->slots[i].value;
    }
    if (map->n >= map->cap - (map->cap >> 2)) {
        if (!map_grow(map))
            return NULL;
        i = map_slot(map, hi, lo);
    }
    map->used[i] = 1;
    map->slots[i] = (struct asim_map_slot){hi, lo, 0};
    map->n++;
    return &map->slots[i].value;
}

/* Goes through the used slots behind the hole and moves back each entry that the hole would cut off
 * from its home slot. At 3/4 load these are a few slots. */
int asim_map_delete(struct asim_map *map, uint64_t hi, uint64_t lo)
{
    if (!map->n)
        return 0;
    size_t mask = map->cap - 1, hole = map_slot(map, hi, lo);
    if (!map->used[hole])
        return 0;
    for (size_t i = (hole + 1) & mask; map->used[i]; i = (i + 1) & mask) {
        size_t home = map_home(map, map->slots[i].hi, map->slots[i].lo);
        /* The entry may move into the hole only if its home is not behind the hole. */
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->used[hole] = 0;
    map->n--;
    return 1;
}

void asim_map_fini(struct asim_map *map)
{
    free(map->slots);
    free(map->used);
    asim_map_init(map);
}
