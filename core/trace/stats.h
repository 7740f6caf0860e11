/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a trace holds, counted in one pass: for summaries and for checks before a run.
 *
 * Plain sums, no pointers: can be copied and added up over ranks.
 */
#ifndef ASIM_TRACE_STATS_H
#define ASIM_TRACE_STATS_H

#include "conf/conf.h"
#include "trace/open.h"

struct asim_trace_stats {
    uint64_t ops, cpu_ops;
    uint64_t by_type[ASIM_OP_TYPES];
    uint64_t micros_by_type[ASIM_OP_TYPES]; /* recorded durations; saturate */
    uint64_t colls[ASIM_COLL_TYPES];        /* by comm_type */
    uint64_t coll_bytes[ASIM_COLL_TYPES];   /* comm_size summed; saturates */
    uint64_t other_colls;                   /* comm_type absent or beyond the schema */
    uint64_t sent_bytes, received_bytes;    /* of send and receive ops; saturate */
    uint64_t no_size;                       /* communications without comm_size */
    uint64_t data_deps, ctrl_deps;          /* as written, repeated ones included */
    uint64_t first_id, last_id;             /* lowest and highest */
};

/* Reads the trace to its end. */
int asim_trace_stats(struct asim_trace_stats *stats, struct asim_trace *trace,
                     struct asim_err *err);

#endif
