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

/* Turns parent ids into indices, drops duplicates, makes open and children. */
int asim_index_link(struct asim_index_build *build, struct asim_err *err);
/* Refuses cycles; called when some parent has a higher index than its child. */
int asim_index_check_cycles(struct asim_index_build *build, struct asim_err *err);
/* Writes "7 'name'" for a message; buf of at least 64 bytes. Returns buf. */
const char *asim_index_name(struct asim_index_build *build, uint32_t i, char *buf, size_t size);

#endif
