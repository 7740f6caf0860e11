/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hash map from a 128-bit key to a 64-bit value (a number or a pointer): open addressing with
 * backward-shift deletion. No strings: names are resolved while files are read. The order of
 * iteration is that of the table and must not decide anything that a user can see.
 *
 * Pointers to values move when the map grows or a key is deleted. Constant expected cost per call,
 * 25 bytes a slot, at most 3/4 of the slots in use.
 */
#ifndef ASIM_BASE_MAP_H
#define ASIM_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

/* 24 bytes; hi and lo are the key. */
struct asim_map_slot {
    uint64_t hi, lo, value;
};

/* The finalizer of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * 2014): every bit of x reaches every bit of the result. */
static inline uint64_t asim_mix64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

struct asim_map {
    struct asim_map_slot *slots;
    /* One byte per slot, apart from the slots, so that a probe of free slots touches little
     * memory. */
    uint8_t *used;
    size_t n, cap; /* cap is 0 or a power of two */
};

void asim_map_init(struct asim_map *map);
/* Returns a pointer to the value, or NULL. Valid until the next put or delete. */
uint64_t *asim_map_get(const struct asim_map *map, uint64_t hi, uint64_t lo);
/* Returns a pointer to the value, created as 0 if absent; NULL if out of memory. */
uint64_t *asim_map_put(struct asim_map *map, uint64_t hi, uint64_t lo);
/* Returns 1 if the key existed. */
int asim_map_delete(struct asim_map *map, uint64_t hi, uint64_t lo);
void asim_map_fini(struct asim_map *map);

#endif
