/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A set of op indices that gives its lowest member: bits in a tree of 64-way nodes, where a bit
 * of an upper level says that the word below has one. Adding, removing and finding the lowest
 * touch one word a level (four levels for 16 million ops), need no memory beyond the n / 63 bits
 * taken at the start, and so cannot fail in the middle of a run, as a heap's growth could.
 *
 * Indices are those of the index (ascending by id), so "lowest index" is "lowest id".
 */
#ifndef ASIM_TRACE_FEED_READY_H
#define ASIM_TRACE_FEED_READY_H

#include <stdint.h>

#define ASIM_READY_LEVELS 6 /* 64^6 > 2^32 */

struct asim_ready {
    uint64_t *level[ASIM_READY_LEVELS]; /* level[0] = the members; one allocation */
    int levels;
    uint32_t n; /* members */
};

/* Empty set of indices below `size`. 0 or ASIM_ENOMEM. */
int asim_ready_init(struct asim_ready *ready, uint32_t size);
void asim_ready_add(struct asim_ready *ready, uint32_t index);
void asim_ready_remove(struct asim_ready *ready, uint32_t index);
/* Precondition: n > 0. */
uint32_t asim_ready_lowest(const struct asim_ready *ready);
void asim_ready_fini(struct asim_ready *ready);

#endif
