/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Injections: messages as ranks give them to the network. Two equal injections take the same course
 * in the same network, whatever data they carry.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_INJECTION_H
#define ASIM_FABRIC_MEMO_REGION_INJECTION_H

#include <stdint.h>

struct asim_fabric;

struct asim_injection {
    uint64_t t, tie; /* ticks since the episode began; tie key of its start (tie_key.h) */
    uint64_t bytes;
    uint64_t path;  /* in a log: asim_injection_path */
    uint64_t ideal; /* in a log: for fct.txt, ns; known when its completions are */
    uint32_t dst;   /* in a log: number in the part */
    uint32_t sport; /* not compared; the path depends on it */
};

/* Number of the path of an injection of host src. Only equal paths have the same number.
 * UINT64_MAX: the path has none. Takes as long as three packet-hops. */
uint64_t asim_injection_path(struct asim_fabric *fabric, uint32_t src,
                             const struct asim_injection *injection);

/* Adds a word to a hash; every bit of the word counts. */
static inline uint64_t asim_mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

#endif
