/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Gives spans that overlap tracks of their own.
 */
#include "report/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "asim/trace.h"

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_track(const void *a, const void *b)
{
    const struct asim_timeline_op *x = a, *y = b;
    int order = compare_u64(x->rank, y->rank);

    if (!order)
        order = compare_u64(x->track, y->track);
    if (!order)
        order = compare_u64(x->group, y->group);
    if (!order)
        order = compare_u64(x->issue, y->issue);
    if (!order)
        order = compare_u64(x->end, y->end);
    return order ? order : compare_u64(x->id, y->id);
}

ASIM_ORDER(by_source, struct asim_timeline_message, ->src, ->start, ->id)

/* When each row of a track is free again. */
struct rows {
    ASIM_VEC(uint64_t) free;
    int failed;
};

/* The lowest row that is free at start. Starts do not decrease until `free` is emptied. */
static uint32_t take_row(struct rows *rows, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < rows->free.n; i++)
        if (rows->free.at[i] <= start) {
            rows->free.at[i] = end;
            return (uint32_t)i;
        }
    rows->failed |= ASIM_VEC_PUSH(rows->free, end) != 0;
    return (uint32_t)rows->free.n - 1;
}

static int same_track(const struct asim_timeline_op *a, const struct asim_timeline_op *b)
{
    return a->rank == b->rank && a->track == b->track && a->group == b->group;
}

/* --- who sent a message ----------------------------------------------------------------------- */
/* Who takes part in what: a collective of a rank, or the receive of a send. */
struct key {
    uint64_t hi, lo;
};

static struct key key_of(const struct asim_timeline_op *op, uint32_t rank)
{
    uint64_t src = op->track == ASIM_TRACK_OF_SEND ? op->rank : op->peer;

    if (op->kind >= 0)
        return (struct key){op->exchange, op->ordinal << 32 | rank};
    return (struct key){1ull << 63 | src << 32 | rank, op->tag};
}

/* The communication of one source that is under way, in the sweep over its messages. */
struct sweep {
    struct asim_map partners;       /* key_of ops of destinations -> 1 */
    ASIM_VEC(uint32_t) order, open; /* ops by issue; those under way */
    size_t next;                    /* of order */
    int failed;
};

static int may_send(const struct asim_timeline_op *op)
{
    return op->track == ASIM_TRACK_OF_COLLECTIVE || op->track == ASIM_TRACK_OF_SEND;
}

static int open_sweep(struct sweep *sweep, const struct asim_run_timeline *timeline)
{
    asim_map_init(&sweep->partners);
    for (size_t i = 0; i < timeline->ops.n; i++) {
        const struct asim_timeline_op *op = &timeline->ops.at[i];
        struct key key = key_of(op, op->rank);

        if ((op->track == ASIM_TRACK_OF_COLLECTIVE || op->track == ASIM_TRACK_OF_RECEIVE) &&
            !asim_map_put(&sweep->partners, key.hi, key.lo))
            return ASIM_ENOMEM;
    }
    return 0;
}

/* Ops of a rank are neighbours, those of a track by time: merges the tracks. */
static void begin_rank(struct sweep *sweep, const struct asim_run_timeline *timeline, uint32_t rank)
{
    size_t low = 0, high = timeline->ops.n;

    sweep->order.n = sweep->open.n = sweep->next = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (timeline->ops.at[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < timeline->ops.n && timeline->ops.at[i].rank == rank; i++) {
        size_t at = sweep->order.n;

        if (!may_send(&timeline->ops.at[i]))
            continue;
        if (ASIM_VEC_PUSH(sweep->order, (uint32_t)i)) {
            sweep->failed = 1;
            return;
        }
        for (; at && timeline->ops.at[sweep->order.at[at - 1]].issue > timeline->ops.at[i].issue;
             at--)
            sweep->order.at[at] = sweep->order.at[at - 1];
        sweep->order.at[at] = (uint32_t)i;
    }
}

/* The index + 1 of the only op under way that can have sent the message, else 0. */
static uint32_t find_sender(struct sweep *sweep, const struct asim_run_timeline *timeline,
                            const struct asim_timeline_message *message)
{
    uint32_t found = 0, several = 0;
    size_t kept = 0;

    for (; sweep->next < sweep->order.n &&
           timeline->ops.at[sweep->order.at[sweep->next]].issue <= message->start;
         sweep->next++)
        sweep->failed |= ASIM_VEC_PUSH(sweep->open, sweep->order.at[sweep->next]) != 0;
    for (size_t i = 0; i < sweep->open.n; i++) {
        const struct asim_timeline_op *op = &timeline->ops.at[sweep->open.at[i]];
        struct key key = key_of(op, message->dst);

        if (op->end < message->start)
            continue;
        sweep->open.at[kept++] = sweep->open.at[i];
        if ((op->kind < 0 && op->peer != message->dst) ||
            !asim_map_get(&sweep->partners, key.hi, key.lo))
            continue;
        several |= found;
        found = sweep->open.at[kept - 1] + 1;
    }
    sweep->open.n = kept;
    return several ? 0 : found;
}

static int find_senders(struct asim_run_timeline *timeline)
{
    struct sweep sweep = {.next = 0};

    sweep.failed = open_sweep(&sweep, timeline);
    for (size_t i = 0; i < timeline->messages.n && !sweep.failed; i++) {
        struct asim_timeline_message *message = &timeline->messages.at[i];

        if (!i || message->src != message[-1].src)
            begin_rank(&sweep, timeline, message->src);
        if (message->dst < timeline->ranks)
            message->sender = find_sender(&sweep, timeline, message);
    }
    asim_map_fini(&sweep.partners);
    ASIM_FREE(sweep.order.at, sweep.open.at);
    return sweep.failed;
}

static int find_rows(struct asim_run_timeline *timeline)
{
    struct rows rows = {.failed = 0};

    for (size_t i = 0; i < timeline->ops.n && !rows.failed; i++) {
        struct asim_timeline_op *op = &timeline->ops.at[i];

        if (!i || !same_track(op, op - 1))
            rows.free.n = 0;
        op->row = take_row(&rows, op->issue, op->end);
    }
    for (size_t i = 0; i < timeline->messages.n && !rows.failed; i++) {
        struct asim_timeline_message *message = &timeline->messages.at[i];

        if (!i || message->src != message[-1].src)
            rows.free.n = 0;
        message->row = take_row(&rows, message->start, message->end);
    }
    free(rows.free.at);
    return rows.failed;
}

int asim_timeline_arrange(struct asim_run_timeline *timeline, struct asim_err *err)
{
    if (timeline->ops.n)
        qsort(timeline->ops.at, timeline->ops.n, sizeof *timeline->ops.at, by_track);
    if (timeline->messages.n)
        qsort(timeline->messages.at, timeline->messages.n, sizeof *timeline->messages.at,
              by_source);
    return find_rows(timeline) || find_senders(timeline)
               ? asim_err_nomem(err, "arranging the timeline")
               : 0;
}

const char *asim_timeline_track_name(char *buf, size_t size, enum asim_track_kind kind,
                                     uint64_t group, uint32_t row)
{
    static const char *const names[] = {"compute", "CPU",      "remote memory", "collectives",
                                        "sends",   "receives", "messages",      "arrivals"};
    char number[16] = "", of_group[40] = "";

    if (row)
        snprintf(number, sizeof number, " %u", row + 1);
    if (kind == ASIM_TRACK_OF_COLLECTIVE && group)
        snprintf(of_group, sizeof of_group, " of group %llu", (unsigned long long)group - 1);
    snprintf(buf, size, "%s%s%s", names[kind], of_group, number);
    return buf;
}
