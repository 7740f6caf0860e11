/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ops.csv: one row an op, written as ops end. Times in ns of simulated time:
 *
 *   issue_ns  the op gets its slot    start_ns  all its partners are ready    end_ns
 *   wait_ns = start - issue          transfer_ns = end - start
 *
 * A collective starts where its last member has issued it, a receive where its send is issued.
 * algbw and busbw are those of nccl-tests (bytes in the collective's full buffer over the transfer
 * time, and that times the share of it that must cross a link), in GB/s of 1e9 bytes. processor:
 * whose op it is in the trace (is_cpu_op), cpu or gpu.
 *
 * Memory follows the running ops, not the length of the run. A send is kept until its receive ends,
 * so sends without a receive accumulate here, as in the matching itself.
 */
#include "base/io/quote.h"
#include "report/report.h"
#include "sim/rank/event.h"

#include <inttypes.h>
#include <stdlib.h>

struct kept { /* an op under way */
    uint64_t issue, id, bytes, tag;
    uint64_t group, ordinal, members; /* of a collective */
    uint64_t who;                     /* group and first rank: which exchange */
    uint32_t type, peer;
    int is_cpu;
    int kind; /* -1: no collective */
};

struct meeting { /* of the members of a collective */
    uint64_t last;
    uint32_t joined, ended;
};

struct sent { /* sends not yet received, of one (source, destination, tag) */
    struct sent *next;
    uint64_t issue;
};

struct table {
    struct asim_out *file;
    struct asim_pool kept, meetings, sents;
    struct asim_map running;  /* (rank, op index) -> struct kept * */
    struct asim_map groups;   /* (who, ordinal) -> struct meeting * */
    struct asim_map messages; /* (source << 32 | destination, tag) -> oldest struct sent * */
    int failed;
};

/* Zeroed; a failure is recorded and reported at the end, since the callback cannot fail. */
static void *get(struct table *table, struct asim_pool *pool)
{
    void *object = asim_pool_get(pool);

    table->failed |= !object;
    return object;
}

/* Found or made, like `get`. */
static uint64_t *slot(struct table *table, struct asim_map *map, uint64_t hi, uint64_t lo)
{
    uint64_t *value = asim_map_put(map, hi, lo);

    table->failed |= !value;
    return value;
}

/* NULL where the key is not there. */
static void *at(const struct asim_map *map, uint64_t hi, uint64_t lo)
{
    const uint64_t *value = asim_map_get(map, hi, lo);

    return value ? (void *)(uintptr_t)*value : NULL;
}

/* After the older ones of its key: receives take them in order, as the matching does. */
static void remember_send(struct table *table, const struct asim_event *event)
{
    uint64_t pair = (uint64_t)event->rank << 32 | event->of.op.peer;
    struct sent *sent = get(table, &table->sents), *last;
    uint64_t *first = slot(table, &table->messages, pair, event->of.op.tag);

    if (!sent || !first)
        return;
    sent->issue = event->t;
    last = (struct sent *)(uintptr_t)*first;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = sent;
    else
        *first = (uint64_t)(uintptr_t)sent;
}

/* The op's figures are kept until it ends: the feed may have dropped its body by then. */
static void see_issue(struct table *table, const struct asim_event *event)
{
    struct kept *kept = get(table, &table->kept);
    uint64_t *running = slot(table, &table->running, event->rank, event->of.op.index);

    if (!kept || !running)
        return;
    *kept = (struct kept){.issue = event->t,
                          .id = event->of.op.id,
                          .bytes = event->of.op.bytes,
                          .tag = event->of.op.tag,
                          .type = event->of.op.type,
                          .peer = event->of.op.peer,
                          .is_cpu = event->of.op.is_cpu,
                          .kind = -1};
    *running = (uint64_t)(uintptr_t)kept;
    if (kept->type == ASIM_OP_COMM_SEND)
        remember_send(table, event);
}

/* The rank has entered its collective, which can start when the last member enters. */
static void see_join(struct table *table, const struct asim_event *event)
{
    struct kept *kept = at(&table->running, event->rank, event->of.join.index);
    uint64_t who = (uint64_t)event->of.join.first << 32 | event->of.join.group;
    uint64_t *group = slot(table, &table->groups, who, event->of.join.sequence);
    struct meeting *meeting;

    if (!kept || !group)
        return;
    kept->kind = (int)event->of.join.kind;
    kept->group = event->of.join.group;
    kept->who = who;
    kept->ordinal = event->of.join.sequence;
    kept->members = event->of.join.members;
    if (!*group)
        *group = (uint64_t)(uintptr_t)get(table, &table->meetings);
    meeting = (struct meeting *)(uintptr_t)*group;
    if (!meeting)
        return;
    meeting->joined++;
    meeting->last = event->t;
}

/* The time the op could start: its last member's or its send's issue, if later than its own. The
 * record of a collective is freed when all members have ended, or at the close. */
static uint64_t start_of_coll(struct table *table, const struct kept *kept)
{
    struct meeting *meeting = at(&table->groups, kept->who, kept->ordinal);
    uint64_t last = meeting ? meeting->last : kept->issue;

    if (meeting && ++meeting->ended == meeting->joined && meeting->joined >= kept->members) {
        asim_map_delete(&table->groups, kept->who, kept->ordinal);
        asim_pool_put(&table->meetings, meeting);
    }
    return last > kept->issue ? last : kept->issue;
}

/* The oldest send of that key not yet received, if its issue was later. */
static uint64_t start_of_recv(struct table *table, uint32_t rank, const struct kept *kept)
{
    uint64_t pair = (uint64_t)kept->peer << 32 | rank, issue = kept->issue;
    uint64_t *first = asim_map_get(&table->messages, pair, kept->tag);
    struct sent *sent = first ? (struct sent *)(uintptr_t)*first : NULL;

    if (!sent)
        return issue;
    issue = sent->issue > issue ? sent->issue : issue;
    *first = (uint64_t)(uintptr_t)sent->next;
    if (!sent->next)
        asim_map_delete(&table->messages, pair, kept->tag);
    asim_pool_put(&table->sents, sent);
    return issue;
}

/* Full buffer of a collective in nccl-tests' sense, and the share of it that crosses a link.
 * Broadcast and reduce have factor 1, as in nccl-tests; a barrier has no bytes to speak of. */
static double buffer_of(const struct kept *kept, double *share)
{
    double n = kept->members ? (double)kept->members : 1, bytes = (double)kept->bytes;

    *share = 1;
    switch (kept->kind) {
    case ASIM_ALL_REDUCE:
        *share = 2 * (n - 1) / n;
        return bytes;
    case ASIM_ALL_GATHER:
    case ASIM_GATHER:
        *share = (n - 1) / n;
        return bytes * n;
    case ASIM_REDUCE_SCATTER:
    case ASIM_REDUCE_SCATTER_BLOCK:
    case ASIM_ALL_TO_ALL:
    case ASIM_SCATTER:
        *share = (n - 1) / n;
        return bytes;
    default:
        return bytes;
    }
}

/* Bandwidths are empty where the time is 0. */
static void write_row(struct table *table, const struct asim_world *world,
                      const struct asim_event *event, const struct kept *kept)
{
    int is_coll = kept->kind >= 0,
        is_comm = is_coll || kept->type == ASIM_OP_COMM_SEND || kept->type == ASIM_OP_COMM_RECV;
    uint64_t start = kept->issue;
    double share, bytes = buffer_of(kept, &share);
    struct asim_op op;

    if (is_coll)
        start = start_of_coll(table, kept);
    else if (kept->type == ASIM_OP_COMM_RECV)
        start = start_of_recv(table, event->rank, kept);
    start = start < event->t ? start : event->t;
    asim_out_printf(table->file, "%u,%" PRIu64 ",", event->rank, kept->id);
    asim_quote_csv(table->file, !asim_event_op(world, event, &op) && op.name ? op.name : "");
    asim_out_printf(table->file, ",%s,%s,", asim_op_type_name((int)kept->type),
                    is_coll ? asim_coll_type_name(kept->kind) : "");
    if (kept->group)
        asim_out_printf(table->file, "%" PRIu64, kept->group - 1);
    asim_out_printf(table->file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                    kept->members, kept->bytes, kept->issue, start, event->t);
    asim_out_printf(table->file, ",%" PRIu64 ",%" PRIu64, start - kept->issue, event->t - start);
    if (is_comm && event->t > start)
        asim_out_printf(table->file, ",%.3f,%.3f", bytes / (double)(event->t - start),
                        bytes * share / (double)(event->t - start));
    else
        asim_out_printf(table->file, ",,");
    asim_out_printf(table->file, ",%s\n", kept->is_cpu ? "cpu" : "gpu");
}

/* Three kinds of events. Ignores an end without an issue, which cannot occur. */
static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct table *table = self;
    struct kept *kept;

    if (event->kind == ASIM_EV_OP_ISSUE) {
        see_issue(table, event);
    } else if (event->kind == ASIM_EV_COLL_JOIN) {
        see_join(table, event);
    } else if ((kept = at(&table->running, event->rank, event->of.op.index))) {
        write_row(table, world, event, kept);
        asim_map_delete(&table->running, event->rank, event->of.op.index);
        asim_pool_put(&table->kept, kept);
    }
}

/* A row lost for lack of memory makes the whole file an error. */
static int close_ops(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct table *table = self;
    int failed = table->failed, code = asim_report_file_close(table->file, world, err);

    asim_pool_fini(&table->kept);
    asim_pool_fini(&table->meetings);
    asim_pool_fini(&table->sents);
    asim_map_fini(&table->running);
    asim_map_fini(&table->groups);
    asim_map_fini(&table->messages);
    free(table);
    return code || !failed ? code : asim_err_nomem(err, "keeping ops for ops.csv");
}

static int open_ops(struct asim_event_observer *observer, struct asim_world *world, const char *out,
                    struct asim_err *err)
{
    struct table *table;

    (void)world;
    if (!out)
        return 0;
    table = calloc(1, sizeof *table);
    if (!table)
        return asim_err_nomem(err, "opening reports");
    if (asim_report_file(&table->file, world, out, "ops.csv", err)) {
        free(table);
        return ASIM_EIO;
    }
    asim_pool_init(&table->kept, sizeof(struct kept), 0);
    asim_pool_init(&table->meetings, sizeof(struct meeting), 0);
    asim_pool_init(&table->sents, sizeof(struct sent), 0);
    asim_map_init(&table->running);
    asim_map_init(&table->groups);
    asim_map_init(&table->messages);
    asim_out_printf(table->file,
                    "rank,op,name,type,collective,group,members,bytes,issue_ns,start_ns,"
                    "end_ns,wait_ns,transfer_ns,algbw_GBps,busbw_GBps,processor\n");
    *observer = (struct asim_event_observer){
        .wants = 1u << ASIM_EV_OP_ISSUE | 1u << ASIM_EV_COLL_JOIN | 1u << ASIM_EV_OP_END,
        .self = table,
        .on_event = see,
        .close = close_ops};
    return 0;
}

const struct asim_report asim_report_ops = {
    .member = {.name = "ops", .about = "ops.csv: a row an op, waiting and transfer apart"},
    .in_out = ASIM_OUT_ALWAYS,
    .open = open_ops,
};
