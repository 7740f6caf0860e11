/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The feed of one rank: its ready ops, in order, by unit. Opening reads the file once and keeps a
 * compact index (trace/feed/index.h); the ready sets add half a byte per op. A chain of a million
 * ops takes 38 MB while opening (0.33 s) and 22 MB afterwards. The records of the ops stay on disk;
 * a bounded cache keeps some, and its size does not change results. Data and control dependencies
 * both hold. Errors of a trace (an id twice, a missing parent, a cycle) appear at opening, before
 * time starts, and name the nodes.
 *
 * Order (ASTRA-sim): the ready op with the lowest id first, separately for each unit.
 */
#ifndef ASIM_TRACE_FEED_FEED_H
#define ASIM_TRACE_FEED_FEED_H

#include "asim/trace.h"

/* The slot of the rank that an op occupies. */
enum asim_unit {
    ASIM_UNIT_CPU,  /* is_cpu_op, any type */
    ASIM_UNIT_COMP, /* COMP on the GPU */
    ASIM_UNIT_COMM, /* everything else on the GPU except receives */
    ASIM_UNIT_RECV, /* receives: no slot, always issued */
    ASIM_UNITS
};

struct asim_feed;

/* Sees each op while a trace is opened, in file order. */
struct asim_op_visitor {
    void (*visit)(void *self, const struct asim_op *op);
    void *self;
};

struct asim_feed_options {
    const char *path;   /* one file of any name; NULL = by prefix and rank */
    const char *prefix; /* workload prefix */
    uint32_t rank;
    int plain;                             /* <prefix>.<rank>.et exists (asim_trace_count) */
    size_t cached_records;                 /* size of the record cache; 0 = 1024 */
    int lenient;                           /* ignore and count missing control parents */
    const struct asim_op_visitor *visitor; /* may be NULL; used while opening only */
    /* Of another rank of the workload, opened with the same `lenient`, or NULL: what is the same in
     * both is read and held once. It may have begun its run and may be closed first. */
    const struct asim_feed *like;
};

int asim_feed_open(struct asim_feed **feed, const struct asim_feed_options *opt,
                   struct asim_err *err);
/* 1 if no op was read, and the visitor called for none: all that the visitor would have seen, but
 * peers and groups, is as in `like`. */
int asim_feed_unread(const struct asim_feed *feed);
/* Number of control dependencies on missing ops, which `lenient` ignored. */
size_t asim_feed_unresolved(const struct asim_feed *feed);
/* asim_trace_version_known of the trace. */
int asim_feed_version_known(const struct asim_feed *feed, const char **version);
/* Number of ops in the trace; number of finished ones. */
uint64_t asim_feed_total(const struct asim_feed *feed);
uint64_t asim_feed_finished(const struct asim_feed *feed);

/* Returns 1, the index and the id of the ready op with the lowest id of that unit, or 0 if there is
 * none. */
int asim_feed_peek(const struct asim_feed *feed, enum asim_unit unit, uint32_t *index,
                   uint64_t *id);
/* Takes that op out of the ready set. */
void asim_feed_take(struct asim_feed *feed, enum asim_unit unit);
/* Reads an op; pointers in it are borrowed until the next asim_feed_record on this feed. */
int asim_feed_record(struct asim_feed *feed, uint32_t index, struct asim_op *op,
                     struct asim_err *err);
/* Marks a taken op finished; children whose parents have all finished become ready. Never
 * allocates. ASIM_EBUG if the op was not taken. */
int asim_feed_finish(struct asim_feed *feed, uint32_t index);
/* Begins again, once all ops are finished. Linear in ops and dependencies; never allocates. */
void asim_feed_rewind(struct asim_feed *feed);
/* Returns 1 and the lowest id of the ops that are neither taken nor finished, or 0; for the stall
 * report. */
int asim_feed_first_waiting(const struct asim_feed *feed, uint64_t *id);
/* NULL is allowed. */
void asim_feed_close(struct asim_feed *feed);

#endif
