/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sorting what fits in one word: what decides first in the highest bits, an index in the lowest, so
 * that no two are equal and the order of what is equal otherwise is that of insertion.
 */
#ifndef ASIM_BASE_SORT_U64_H
#define ASIM_BASE_SORT_U64_H

#include <stddef.h>
#include <stdint.h>

/* Bits that hold 0 … most. */
static inline unsigned asim_bits_of(uint64_t most)
{
    return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* Words of room that sorting one takes. */
enum { ASIM_WORDS_ROOM = 6 };

/* room: ASIM_WORDS_ROOM x n words, of which the first n are the words. Returns where in it they
 * are, ascending. n log(runs in ascending order). */
uint64_t *asim_words_sort(uint64_t *room, size_t n);

#endif
