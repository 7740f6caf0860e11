/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The logs of a worker: an index of them, and their memory.
 *
 * Many logs begin alike: one host sends, and the others follow at times that differ from log to
 * log. A training iteration with pipeline stages writes more than ten thousand logs, and searches a
 * million times. So logs are found by the times at which their first hosts begin to send: a part in
 * which k hosts have sent looks among the logs that have these k times.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_LOGS_H
#define ASIM_FABRIC_MEMO_REGION_PART_LOGS_H

#include "fabric/memo/region/part_log.h"

/* The log joins the index; it has no injections yet. 0 or ASIM_ENOMEM. */
int asim_part_logs_add(struct asim_worker_parts *own, struct asim_part_log *log);
/* The log leaves the index and is freed. */
void asim_part_logs_remove(struct asim_worker_parts *own, struct asim_part_log *log);
/* A host begins to send in the log, t ticks after its start. 0 or ASIM_ENOMEM. */
int asim_part_logs_begins(struct asim_worker_parts *own, struct asim_part_log *log, uint64_t t);
/* Of a log that is not in the index. */
void asim_part_log_free(struct asim_part_log *log);

/* A search for logs with this hash, and these times up to `until`, ticks since the start. */
struct asim_part_search {
    uint64_t hash, until;
    struct asim_part_times times;
    struct asim_part_log *log; /* found last */
    int is_begun;
};

/* A host begins to send at t. */
void asim_part_times_add(struct asim_part_times *times, uint64_t t);
/* The next log that may fit; NULL: there is none. No log is written or removed meanwhile. */
struct asim_part_log *asim_part_logs_next(struct asim_worker_parts *own,
                                          struct asim_part_search *search);

/* The log is finished: from now on its memory counts, with so many bytes of counters. */
void asim_part_logs_finished(struct asim_worker_parts *own, struct asim_part_log *log,
                             size_t counters);
/* Frees logs that were not used for long if all of the worker take too much memory. */
void asim_part_logs_limit(struct asim_worker_parts *own, uint32_t n_workers);
void asim_part_logs_free(struct asim_worker_parts *own);

#endif
