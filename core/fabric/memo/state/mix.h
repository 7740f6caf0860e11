/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hashes of what begins an episode. A hash only saves comparisons.
 */
#ifndef ASIM_FABRIC_MEMO_STATE_MIX_H
#define ASIM_FABRIC_MEMO_STATE_MIX_H

#include <stdint.h>

/* Adds a word to a hash; every bit of the word counts. */
static inline uint64_t asim_mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

#endif
