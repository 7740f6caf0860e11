/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of index.c and index_cycle.c while an index is built. asim_index_open frees it.
 */
#ifndef ASIM_TRACE_FEED_INDEX_BUILD_H
#define ASIM_TRACE_FEED_INDEX_BUILD_H

#include "base/mem.h"
#include "trace/feed/index.h"

struct asim_index_build {
    struct asim_index *index;
    struct asim_trace *trace;
    int lenient;
    const struct asim_op_visitor *visitor; /* or NULL */
    int gaps, unsorted;                    /* the ids so far: have gaps; do not ascend */
    /* In file order, until sorted. */
    ASIM_VEC(uint64_t) ids; /* empty as long as there is no gap */
    ASIM_VEC(uint64_t) positions;
    ASIM_VEC(uint8_t) flags;
    ASIM_VEC(uint32_t) first; /* edges of the op at file position p: [first[p], first[p + 1]) */
    ASIM_VEC(uint32_t)
    data_n; /* first the number of data edges, which come first; after linking the number of edges
               kept */
    ASIM_VEC(uint64_t) edges; /* first parent ids; after linking parent index * 2 + is control */
    uint32_t *order;          /* file position of index i, NULL = the same */
    int backward;             /* a parent has a higher index than its child */
};

/* The file position of an index. */
#define ASIM_BUILD_AT(build, i) ((build)->order ? (build)->order[i] : (i))

/* A parent of that op that is also on or behind a cycle, as parent * 2 + is control. */
static inline uint64_t asim_build_parent_of(const struct asim_index_build *build, uint32_t op)
{
    uint32_t at = ASIM_BUILD_AT(build, op);
    const uint64_t *edges = build->edges.at + build->first.at[at];
    for (uint32_t i = 0; i < build->data_n.at[at]; i++)
        if (build->index->pending_parents[edges[i] / 2])
            return edges[i];
    return (uint64_t)op * 2; /* cannot happen: such an op has such a parent */
}

/* Looks for a cycle. Returns 1 and the op of the cycle with the lowest index, 0 if there is none,
 * or a negative code. On success pending_parents is as before. */
int asim_index_find_cycle(struct asim_index_build *build, uint32_t *start, struct asim_err *err);

#endif
