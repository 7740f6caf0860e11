/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A bounded cache of op records in front of a trace's random access. Slot = index modulo cache
 * size; the newer op displaces the older one. Slots allocate on first use and recycle memory on
 * release: a rank takes as many records as it has ops in flight, not as the cache allows.
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
    struct asim_op_record **slots;  /* allocated at first use */
    size_t n, most; /* slots now: they double where two ops in flight want one; at most */
    struct asim_op_record *spare;
};

/* n: most slots; at most the number of ops count. */
void asim_record_cache_init(struct asim_record_cache *cache, size_t n, struct asim_trace *trace,
                            const struct asim_index *index);
/* Reads the op with that index; pointers in it are borrowed until the next call. */
int asim_record_cache_get(struct asim_record_cache *cache, uint32_t i, struct asim_op *op,
                          struct asim_err *err);
/* The same for a finished op, whose record is not kept behind the next call. */
int asim_record_cache_lend(struct asim_record_cache *cache, uint32_t i, struct asim_op *op,
                           struct asim_err *err);
/* The op will not be needed again soon. */
void asim_record_cache_release(struct asim_record_cache *cache, uint32_t i);
void asim_record_cache_fini(struct asim_record_cache *cache);

#endif
