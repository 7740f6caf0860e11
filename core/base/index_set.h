/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A set of indices with a fast lowest member: a tree of 64-way nodes, in which a bit of an upper
 * level says that the word below is not zero. Adding, removing and finding the lowest member touch
 * one word a level (four levels for 16 million indices). All memory is allocated at the start, so
 * no call can fail during a run, unlike the growth of a heap.
 */
#ifndef ASIM_BASE_INDEX_SET_H
#define ASIM_BASE_INDEX_SET_H

#include <stdint.h>

#define ASIM_INDEX_SET_LEVELS 6 /* 64^6 > 2^32 */

struct asim_index_set {
    uint64_t *level[ASIM_INDEX_SET_LEVELS]; /* level[0] = the members; one allocation */
    int levels;
    uint32_t n; /* members */
};

/* Empty set of indices below `size`. 0 or ASIM_ENOMEM. */
int asim_index_set_init(struct asim_index_set *set, uint32_t size);
/* index must not be in the set. */
void asim_index_set_add(struct asim_index_set *set, uint32_t index);
void asim_index_set_remove(struct asim_index_set *set, uint32_t index);
/* Precondition: n > 0. */
uint32_t asim_index_set_lowest(const struct asim_index_set *set);
void asim_index_set_fini(struct asim_index_set *set);

#endif
