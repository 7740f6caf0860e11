/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Keeps sets of ready ops as trees of bits. x & -x isolates the lowest set bit of a word, and a de
 * Bruijn multiplication numbers it: standard C, about a nanosecond.
 *
 * Memory: one bit an op, plus 1/64 of that. Adding, removing and finding touch one word per level:
 * four levels for a million ops.
 */
#include "trace/feed/ready.h"

#include <stdlib.h>

#include "asim/err.h"

static unsigned lowest_bit(uint64_t word)
{
    static const unsigned char place[64] = {
        0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28, 62, 5,  39, 46, 44, 42,
        22, 9,  24, 35, 59, 56, 49, 18, 29, 11, 63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21,
        23, 58, 17, 10, 51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12};
    return place[((word & (0 - word)) * 0x022fdd63cc95386dull) >> 58];
}

/* Level 0 has a bit per op, each further level a bit per word below; one allocation for all
 * levels. */
int asim_ready_init(struct asim_ready *ready, uint32_t size)
{
    *ready = (struct asim_ready){.levels = 0};
    size_t words[ASIM_READY_LEVELS], total = 0;
    size_t below = size;
    do {
        below = below / 64 + (below % 64 != 0);
        words[ready->levels++] = below ? below : 1;
        total += below ? below : 1;
    } while (below > 1 && ready->levels < ASIM_READY_LEVELS);
    uint64_t *memory = calloc(total, sizeof *memory);
    if (!memory)
        return ASIM_ENOMEM;
    for (int i = 0; i < ready->levels; i++) {
        ready->level[i] = memory;
        memory += words[i];
    }
    return 0;
}

/* index must not be in the set. */
void asim_ready_add(struct asim_ready *ready, uint32_t index)
{
    ready->n++;
    for (int i = 0; i < ready->levels; i++) {
        ready->level[i][index / 64] |= (uint64_t)1 << (index % 64);
        index /= 64;
    }
}

/* Stops at the first level whose word has other bits. */
void asim_ready_remove(struct asim_ready *ready, uint32_t index)
{
    ready->n--;
    for (int i = 0; i < ready->levels; i++) {
        uint64_t *word = &ready->level[i][index / 64];
        *word &= ~((uint64_t)1 << (index % 64));
        if (*word)
            return;
        index /= 64;
    }
}

/* The set must not be empty. */
uint32_t asim_ready_lowest(const struct asim_ready *ready)
{
    uint32_t index = 0;
    for (int i = ready->levels - 1; i >= 0; i--)
        index = index * 64 + lowest_bit(ready->level[i][index]);
    return index;
}

void asim_ready_fini(struct asim_ready *ready)
{
    free(ready->level[0]);
    *ready = (struct asim_ready){.levels = 0};
}
