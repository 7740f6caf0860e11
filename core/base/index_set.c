/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Keeps sets of indices as trees of bits: one bit an index, plus 1/64 of that.
 */
#include "base/index_set.h"

#include <stdlib.h>

#include "asim/err.h"

/* Level 0 has a bit per index, each further level a bit per word below; one allocation for all
 * levels. */
int asim_index_set_init(struct asim_index_set *set, uint32_t size)
{
    *set = (struct asim_index_set){.levels = 0};
    size_t words[ASIM_INDEX_SET_LEVELS], total = 0;
    size_t below = size;
    do {
        below = below / 64 + (below % 64 != 0);
        words[set->levels++] = below ? below : 1;
        total += below ? below : 1;
    } while (below > 1 && set->levels < ASIM_INDEX_SET_LEVELS);
    uint64_t *memory = calloc(total, sizeof *memory);
    if (!memory)
        return ASIM_ENOMEM;
    for (int i = 0; i < set->levels; i++) {
        set->level[i] = memory;
        memory += words[i];
    }
    return 0;
}

void asim_index_set_add(struct asim_index_set *set, uint32_t index)
{
    set->n++;
    for (int i = 0; i < set->levels; i++) {
        set->level[i][index / 64] |= (uint64_t)1 << (index % 64);
        index /= 64;
    }
}

/* Stops at the first level whose word has other bits. */
void asim_index_set_remove(struct asim_index_set *set, uint32_t index)
{
    set->n--;
    for (int i = 0; i < set->levels; i++) {
        uint64_t *word = &set->level[i][index / 64];
        *word &= ~((uint64_t)1 << (index % 64));
        if (*word)
            return;
        index /= 64;
    }
}

uint32_t asim_index_set_lowest(const struct asim_index_set *set)
{
    uint32_t index = 0;
    for (int i = set->levels - 1; i >= 0; i--)
        index = index * 64 + (unsigned)__builtin_ctzll(set->level[i][index]);
    return index;
}

void asim_index_set_fini(struct asim_index_set *set)
{
    free(set->level[0]);
    *set = (struct asim_index_set){.levels = 0};
}
