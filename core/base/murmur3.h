/* SPDX-License-Identifier: GPL-2.0-only
 *
 * MurmurHash3 x86 32 (A. Appleby, public-domain algorithm) over 32-bit words: ECMP and NIC choice
 * use it as ASTRA-sim's ns-3 backend does, so that paths agree.
 */
#ifndef ASIM_BASE_MURMUR3_H
#define ASIM_BASE_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

/* The seed of ns-3's Hash32, which picks among the NICs of a host (rdma-network.md#nic-choice). */
#define ASIM_NIC_HASH_SEED 0x8badf00du

/* by is 1 … 31: a shift by 32 would be undefined. */
static inline uint32_t asim_murmur3_rotl(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static inline uint32_t asim_murmur3_mix(uint32_t h, uint32_t word)
{
    uint32_t k = asim_murmur3_rotl(word * 0xcc9e2d51u, 15) * 0x1b873593u;

    return asim_murmur3_rotl(h ^ k, 13) * 5 + 0xe6546b64u;
}

static inline uint32_t asim_murmur3_finish(uint32_t h, uint32_t bytes)
{
    h ^= bytes;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static inline uint32_t asim_murmur3(const uint32_t *words, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++)
        seed = asim_murmur3_mix(seed, words[i]);
    return asim_murmur3_finish(seed, (uint32_t)(n * 4));
}

#endif
