/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bodies of ops in use: a bounded cache in front of a trace's random access. Slot = index modulo
 * the cache, the newer op displaces the older, so any cache gives the same answers and only the
 * number of reads differs. Memory is taken as slots are first used and recycled when an op is
 * released: a rank costs as many records as it has in flight, not as its cache allows.
 *
 * Borrows trace and index from its feed; owns the records.
 */
#ifndef ASIM_TRACE_FEED_RECORD_CACHE_H
#define ASIM_TRACE_FEED_RECORD_CACHE_H

#include "trace/feed/index.h"

struct asim_op_record;

struct asim_record_cache {
    struct asim_trace *trace;       /* the feed's */
    const struct asim_index *index; /* the feed's */
    struct asim_op_record **slots;  /* made at the first use */
    size_t n;
    struct asim_op_record *spare;
};

/* n: most records kept; never more than the trace has ops. */
void asim_record_cache_init(struct asim_record_cache *cache, size_t n, struct asim_trace *trace,
                            const struct asim_index *index);
/* Body of the op with that index; pointers in it are borrowed until the next call. */
int asim_record_cache_get(struct asim_record_cache *cache, uint32_t i, struct asim_op *op,
                          struct asim_err *err);
/* The op will not be asked for again soon. */
void asim_record_cache_release(struct asim_record_cache *cache, uint32_t i);
void asim_record_cache_fini(struct asim_record_cache *cache);

#endif
