/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sorts keys of 64 bits. The caller packs the sort key into the high bits and an index into the low
 * bits: all keys differ, and equal sort keys keep their order of insertion.
 */
#ifndef ASIM_BASE_SORT_U64_H
#define ASIM_BASE_SORT_U64_H

#include <stddef.h>
#include <stdint.h>

/* Number of bits that hold the values 0 … most. */
static inline unsigned asim_bits_of(uint64_t most)
{
    return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* The sort needs an array of ASIM_SORT_U64_ROOM * n words. */
enum { ASIM_SORT_U64_ROOM = 4 };

/* Sorts the first n words of room, whose rest is working space. Returns a pointer into room: n
 * words in ascending order. Takes O(n log r) steps, where r counts the ascending runs of the input.
 */
uint64_t *asim_sort_u64(uint64_t *room, size_t n);

#endif
