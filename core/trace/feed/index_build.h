/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What index.c, index_link.c and index_cycle.c share while an index is being built.
 *
 * Freed in asim_index_open on every path; nothing outside of the three files sees it.
 */
#ifndef ASIM_TRACE_FEED_INDEX_BUILD_H
#define ASIM_TRACE_FEED_INDEX_BUILD_H

#include "base/mem.h"
#include "trace/feed/index.h"

/* Lives while a trace is being opened only. */
struct asim_index_build {
    struct asim_index *index;
    struct asim_trace *trace;
    int lenient;
    int gaps, unsorted; /* ids so far: not contiguous; not ascending */
    /* In file order, until sorted. */
    ASIM_VEC(uint64_t) ids; /* empty while contiguous */
    ASIM_VEC(uint64_t) places;
    ASIM_VEC(uint8_t) flags;
    ASIM_VEC(uint32_t) first;  /* edges of the op at file position p: [first[p], first[p + 1]) */
    ASIM_VEC(uint32_t) data_n; /* as read: data edges, which come first; linked: edges kept */
    ASIM_VEC(uint64_t) edges;  /* as read: parent ids; linked: parent index * 2 + is control */
    uint32_t *order;           /* file position of index i, NULL = the same */
    int backward;              /* some parent has a higher index than its child */
};

/* File position of an index. */
#define ASIM_BUILD_AT(build, i) ((build)->order ? (build)->order[i] : (i))

/* A parent of that op that is left over too, as parent * 2 + is control. */
static inline uint64_t asim_build_parent_of(const struct asim_index_build *build, uint32_t op)
{
    uint32_t at = ASIM_BUILD_AT(build, op);
    const uint64_t *edges = build->edges.at + build->first.at[at];
    for (uint32_t i = 0; i < build->data_n.at[at]; i++)
        if (build->index->pending_parents[edges[i] / 2])
            return edges[i];
    return (uint64_t)op * 2; /* cannot be: an open op has an open parent */
}

/* Looks for a cycle. Returns 1 and the op of the cycle with the lowest index, 0 if there is none,
 * or a negative code. */
int asim_index_find_cycle(struct asim_index_build *build, uint32_t *start, struct asim_err *err);

#endif
