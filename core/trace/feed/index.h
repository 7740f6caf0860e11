/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The dependency graph of one rank's trace without the records of the ops: for each op its position
 * in the file, its unit, its number of pending parents, and its children. Index i is the op with
 * the i-th lowest id, so the order of indices is the order of ids. Memory: 17 bytes an op and 4 an
 * edge, and 8 more an op if the ids have gaps or do not ascend in the file; building takes about
 * twice that for a moment.
 *
 * Const after opening, except for pending_parents and the states in flags, which the feed updates.
 *
 * Sharing: ranks with the same graph hold its constant arrays once (asim_index_graph). Such a rank
 * takes 5 bytes an op, and 8 more where its positions are its own. Indices that share belong to one
 * thread while they are opened and closed.
 */
#ifndef ASIM_TRACE_FEED_INDEX_H
#define ASIM_TRACE_FEED_INDEX_H

#include "asim/trace.h"

#define ASIM_INDEX_UNIT_MASK  0x0f /* flags: enum asim_unit */
#define ASIM_INDEX_STATE_STEP 0x10 /* flags / step: state of the op in the feed */

/* The constant arrays of the indices that share them. position: of the first of these indices. */
struct asim_index_graph {
    unsigned users;
    uint64_t *ids, *position;
    uint32_t *child_first, *children;
};

struct asim_index {
    struct asim_index_graph *graph; /* owns ids, child_first, children; NULL while it is built */
    uint32_t n;
    uint64_t first_id; /* ids NULL: id = first_id + i */
    uint64_t *ids;     /* ascending */
    /* Positions in the file, as the format's tell() returns them; the graph's, or own. */
    uint64_t *position;
    uint8_t *flags;
    uint32_t *pending_parents; /* parents that have not finished, each counted once */
    uint32_t *child_first;     /* [n + 1]: children of i at [child_first[i], child_first[i + 1]) */
    uint32_t *children;        /* ascending for each op */
    size_t unresolved;         /* control dependencies on ops that do not exist */
};

struct asim_op_visitor;
struct asim_index_options {
    int lenient;                           /* ignore and count missing control parents */
    const struct asim_op_visitor *visitor; /* sees each op; may be NULL */
    const struct asim_index *like;         /* to share with, where the graph is the same, or NULL */
};

/* Reads the trace to its end. Errors: an id that occurs twice, a missing parent (for control
 * dependencies unless lenient), an op that waits for itself, and cycles. */
int asim_index_open(struct asim_index *index, struct asim_trace *trace,
                    const struct asim_index_options *options, struct asim_err *err);
uint64_t asim_index_id(const struct asim_index *index, uint32_t i);
void asim_index_close(struct asim_index *index);

#endif
