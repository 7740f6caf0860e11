/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The feed of one rank: which ops are ready, in which order, under which unit. Opening reads the
 * file once and keeps a compact index (trace/feed/index.h: 17 bytes an op and 4 an edge, 8 more an
 * op where ids have gaps; the ready sets add half a byte). A chain of a million ops takes 38 MB at
 * its peak, while opening (0.33 s), and then 22 MB. The ops' bodies stay on disk and come through a
 * bounded cache of `window` ops, so that the result does not depend on the window. Data and
 * control dependencies both hold. What a trace can get wrong (an id twice, a missing parent, a
 * cycle) is refused here, before time starts, with the names of the nodes involved.
 *
 * Order (ASTRA-sim): among ready ops the lowest id first; each unit is asked separately.
 */
#ifndef ASIM_TRACE_FEED_FEED_H
#define ASIM_TRACE_FEED_FEED_H

#include "asim/trace.h"

/* Which slot of the rank an op occupies. */
enum asim_unit {
    ASIM_UNIT_CPU,  /* is_cpu_op, any type */
    ASIM_UNIT_COMP, /* COMP on the GPU */
    ASIM_UNIT_COMM, /* everything else on the GPU but receives */
    ASIM_UNIT_RECV, /* receives: no slot, always issued */
    ASIM_UNITS
};

struct asim_feed;

struct asim_feed_options {
    const char *path;   /* one file of any name, for tools; NULL = by prefix and rank */
    const char *prefix; /* workload prefix */
    uint32_t rank;
    int plain;             /* it is <prefix>.<rank>.et, which is there (asim_trace_count) */
    size_t cached_records; /* bodies cached; 0 = 1024 */
    int lenient;           /* a missing control parent is dropped and counted */
};

int asim_feed_open(struct asim_feed **feed, const struct asim_feed_options *opt,
                   struct asim_err *err);
/* How many control dependencies `lenient` dropped. */
size_t asim_feed_unresolved(const struct asim_feed *feed);
/* How many ops are of the type INVALID. */
size_t asim_feed_invalid(const struct asim_feed *feed);
/* How many are broadcasts without a recorded duration. */
size_t asim_feed_no_duration(const struct asim_feed *feed);
/* Ops in the trace; finished ones so far. */
uint64_t asim_feed_total(const struct asim_feed *feed);
uint64_t asim_feed_finished(const struct asim_feed *feed);

/* Index of the ready op with the lowest id in that unit and its id, or 0 when there is none. */
int asim_feed_peek(const struct asim_feed *feed, enum asim_unit unit, uint32_t *index,
                   uint64_t *id);
/* Takes the op peeked from that unit out of the ready set. */
void asim_feed_take(struct asim_feed *feed, enum asim_unit unit);
/* Body of an op; pointers in it are borrowed until the next asim_feed_record on this feed. */
int asim_feed_record(struct asim_feed *feed, uint32_t index, struct asim_op *op,
                     struct asim_err *err);
/* Marks a taken op finished; its children whose parents are all finished become ready. Never
 * allocates; ASIM_EBUG if the op was not taken. */
int asim_feed_finish(struct asim_feed *feed, uint32_t index);
/* Smallest id among ops neither taken nor finished, for the stall report; 0 if none. */
int asim_feed_first_waiting(const struct asim_feed *feed, uint64_t *id);
/* NULL is fine. */
void asim_feed_close(struct asim_feed *feed);

#endif
