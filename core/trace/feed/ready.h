/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A set of op indices with a fast lowest member: a tree of 64-way nodes, in which a bit of an upper
 * level says that the word below is not zero. Adding, removing and finding the lowest member touch
 * one word a level (four levels for 16 million ops). All memory is allocated at the start, so no
 * call can fail during a run, unlike the growth of a heap.
 *
 * Indices ascend by id (trace/feed/index.h), so the lowest index is the lowest id.
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
