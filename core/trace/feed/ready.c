/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Keeps sets of ready ops as trees of bits.
 *
 * Memory: one bit an op, plus 1/64 of that. Adding, removing and finding touch one word per level:
 * four levels for a million ops.
 */
#include "trace/feed/ready.h"

#include <stdlib.h>

#include "asim/err.h"

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
        index = index * 64 + (unsigned)__builtin_ctzll(ready->level[i][index]);
    return index;
}

void asim_ready_fini(struct asim_ready *ready)
{
    free(ready->level[0]);
    *ready = (struct asim_ready){.levels = 0};
}
