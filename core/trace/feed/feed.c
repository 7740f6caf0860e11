/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hands out the ops of a rank whose parents have finished. An op is waiting, then ready (in its
 * unit's set), taken, finished. Finishing an op decrements the pending parents of its children.
 * After opening only the record cache allocates, and its size changes nothing but the number of
 * reads.
 *
 * ASTRA-sim asks all ready ops in one list, ascending by id, and skips those whose unit is busy.
 * One ready set per unit gives the same starts without walking over the skipped ops. Ids are the
 * users' names of ops; everything else uses indices, which have the same order.
 */
#include "trace/feed/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"
#include "trace/feed/index.h"
#include "trace/feed/index_share.h"
#include "trace/feed/record_cache.h"
#include "trace/open.h"

#define CACHED_RECORDS_DEFAULT 1024u

enum state { WAITING, READY, TAKEN, FINISHED };

struct asim_feed {
    struct asim_trace trace;
    struct asim_index index;
    struct asim_index_set ready[ASIM_UNITS];
    struct asim_record_cache cache;
    uint64_t finished;
    int unread; /* the index is that of another rank */
};

/* State and unit share one byte: a million ops take a megabyte. */
static enum state state_of(const struct asim_feed *feed, uint32_t op)
{
    return (enum state)(feed->index.flags[op] / ASIM_INDEX_STATE_STEP);
}

static enum asim_unit unit_of(const struct asim_feed *feed, uint32_t op)
{
    return (enum asim_unit)(feed->index.flags[op] & ASIM_INDEX_UNIT_MASK);
}

/* Keeps the bits of the unit. */
static void set_state(struct asim_feed *feed, uint32_t op, enum state state)
{
    unsigned unit = unit_of(feed, op);
    feed->index.flags[op] = (uint8_t)(unit | (unsigned)state * ASIM_INDEX_STATE_STEP);
}

/* The set sorts ops by id. */
static void make_ready(struct asim_feed *feed, uint32_t op)
{
    set_state(feed, op, READY);
    asim_index_set_add(&feed->ready[unit_of(feed, op)], op);
}

static int open_trace(struct asim_feed *feed, const struct asim_feed_options *opt,
                      struct asim_err *err)
{
    if (opt->path)
        return asim_trace_open_file(&feed->trace, opt->path, err);
    if (opt->plain)
        return asim_trace_open_plain(&feed->trace, opt->prefix, opt->rank, err);
    if (opt->like && asim_trace_serves_all(&opt->like->trace))
        return asim_trace_open_like(&feed->trace, &opt->like->trace, opt->rank, err);
    return asim_trace_open(&feed->trace, opt->prefix, opt->rank, err);
}

static int open_index(struct asim_feed *feed, const struct asim_feed_options *opt,
                      struct asim_err *err)
{
    const struct asim_index *like = opt->like ? &opt->like->index : NULL;
    feed->unread = like && asim_trace_is_alike(&feed->trace, &opt->like->trace);
    if (feed->unread)
        return asim_index_copy(&feed->index, like) ? asim_err_nomem(err, "opening a trace") : 0;
    return asim_index_open(&feed->index, &feed->trace,
                           &(struct asim_index_options){opt->lenient, opt->visitor, like}, err);
}

/* The index is complete before time starts, so all errors of a trace appear here. */
static int fill(struct asim_feed *feed, const struct asim_feed_options *opt, struct asim_err *err)
{
    int rc = open_trace(feed, opt, err);
    if (!rc)
        rc = open_index(feed, opt, err);
    if (rc)
        return rc;
    for (int i = 0; i < ASIM_UNITS; i++)
        if (asim_index_set_init(&feed->ready[i], feed->index.n))
            return asim_err_nomem(err, "opening a trace");
    asim_record_cache_init(&feed->cache,
                           opt->cached_records ? opt->cached_records : CACHED_RECORDS_DEFAULT,
                           &feed->trace, &feed->index);
    for (uint32_t i = 0; i < feed->index.n; i++)
        if (!feed->index.pending_parents[i])
            make_ready(feed, i);
    return 0;
}

/* Reads opt during the call only. Linear in ops and dependencies, plus a sort if ids do not
 * ascend. */
int asim_feed_open(struct asim_feed **feed, const struct asim_feed_options *opt,
                   struct asim_err *err)
{
    *feed = NULL;
    struct asim_feed *made = calloc(1, sizeof *made);
    if (!made)
        return asim_err_nomem(err, "opening a trace");
    int rc = fill(made, opt, err);
    if (rc)
        asim_feed_close(made);
    else
        *feed = made;
    return rc;
}

int asim_feed_unread(const struct asim_feed *feed)
{
    return feed->unread;
}

size_t asim_feed_unresolved(const struct asim_feed *feed)
{
    return feed->index.unresolved;
}

int asim_feed_version_known(const struct asim_feed *feed, const char **version)
{
    return asim_trace_version_known(&feed->trace, version);
}

uint64_t asim_feed_total(const struct asim_feed *feed)
{
    return feed->index.n;
}

uint64_t asim_feed_finished(const struct asim_feed *feed)
{
    return feed->finished;
}

/* O(1): the lowest set bit over at most six words. */
int asim_feed_peek(const struct asim_feed *feed, enum asim_unit unit, uint32_t *index, uint64_t *id)
{
    const struct asim_index_set *ready = &feed->ready[unit];
    if (!ready->n)
        return 0;
    *index = asim_index_set_lowest(ready);
    *id = asim_index_id(&feed->index, *index);
    return 1;
}

/* Does nothing if no op is ready. */
void asim_feed_take(struct asim_feed *feed, enum asim_unit unit)
{
    struct asim_index_set *ready = &feed->ready[unit];
    if (!ready->n)
        return;
    uint32_t op = asim_index_set_lowest(ready);
    asim_index_set_remove(ready, op);
    set_state(feed, op, TAKEN);
}

/* Reads the file if the record is not cached. */
int asim_feed_record(struct asim_feed *feed, uint32_t index, struct asim_op *op,
                     struct asim_err *err)
{
    if (index >= feed->index.n)
        return asim_err_set(err, ASIM_EBUG, "op %lu of a trace with %lu was asked for.",
                            (unsigned long)index, (unsigned long)feed->index.n);
    return state_of(feed, index) == FINISHED ? asim_record_cache_lend(&feed->cache, index, op, err)
                                             : asim_record_cache_get(&feed->cache, index, op, err);
}

/* O(children). Also releases the record. */
int asim_feed_finish(struct asim_feed *feed, uint32_t index)
{
    const struct asim_index *graph = &feed->index;
    if (index >= graph->n || state_of(feed, index) != TAKEN)
        return ASIM_EBUG;
    set_state(feed, index, FINISHED);
    feed->finished++;
    asim_record_cache_release(&feed->cache, index);
    for (uint32_t i = graph->child_first[index]; i < graph->child_first[index + 1]; i++)
        if (--graph->pending_parents[graph->children[i]] == 0)
            make_ready(feed, graph->children[i]);
    return 0;
}

/* Each child has an entry for each of its parents, so the entries restore the counts. */
void asim_feed_rewind(struct asim_feed *feed)
{
    struct asim_index *graph = &feed->index;

    feed->finished = 0;
    for (uint32_t i = 0; i < graph->n; i++)
        for (uint32_t c = graph->child_first[i]; c < graph->child_first[i + 1]; c++)
            graph->pending_parents[graph->children[c]]++;
    for (uint32_t i = 0; i < graph->n; i++) {
        set_state(feed, i, WAITING);
        if (!graph->pending_parents[i])
            make_ready(feed, i);
    }
}

/* Linear in ops; for the report of a stall. */
int asim_feed_first_waiting(const struct asim_feed *feed, uint64_t *id)
{
    for (uint32_t i = 0; i < feed->index.n; i++)
        if (state_of(feed, i) < TAKEN) {
            *id = asim_index_id(&feed->index, i);
            return 1;
        }
    return 0;
}

/* Also takes a feed whose opening failed. */
void asim_feed_close(struct asim_feed *feed)
{
    if (!feed)
        return;
    for (int i = 0; i < ASIM_UNITS; i++)
        asim_index_set_fini(&feed->ready[i]);
    asim_record_cache_fini(&feed->cache);
    asim_index_close(&feed->index);
    asim_trace_close(&feed->trace);
    free(feed);
}
