/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Follows each op from its issue to its end.
 */
#include "report/op_times.h"
#include "base/map.h"
#include "base/mem.h"
#include "sim/rank/event.h"

#include <stdlib.h>

struct meeting { /* of the members of a collective */
    uint64_t last;
    uint32_t joined, ended;
};

struct sent { /* sends not yet received, of one (source, destination, tag) */
    struct sent *next;
    uint64_t issue;
};

/* Zeroed; a failure is recorded and reported at the end, since the callback cannot fail. */
static void *get(struct asim_op_times *times, struct asim_pool *pool)
{
    void *object = asim_pool_get(pool);

    times->failed |= !object;
    return object;
}

/* Found or made, like `get`. */
static uint64_t *slot(struct asim_op_times *times, struct asim_map *map, uint64_t hi, uint64_t lo)
{
    uint64_t *value = asim_map_put(map, hi, lo);

    times->failed |= !value;
    return value;
}

/* NULL where the key is not there. */
static void *at(const struct asim_map *map, uint64_t hi, uint64_t lo)
{
    const uint64_t *value = asim_map_get(map, hi, lo);

    return value ? (void *)(uintptr_t)*value : NULL;
}

/* After the older ones of its key: receives take them in order, as the matching does. */
static void remember_send(struct asim_op_times *times, const struct asim_event *event)
{
    uint64_t pair = (uint64_t)event->rank << 32 | event->of.op.peer;
    struct sent *sent = get(times, &times->sents), *last;
    uint64_t *first = slot(times, &times->messages, pair, event->of.op.tag);

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
static void see_issue(struct asim_op_times *times, const struct asim_event *event)
{
    struct asim_op_time *op = get(times, &times->kept);
    uint64_t *running = slot(times, &times->running, event->rank, event->of.op.index);

    if (!op || !running)
        return;
    *op = (struct asim_op_time){.rank = event->rank,
                                .index = event->of.op.index,
                                .issue = event->t,
                                .start = event->t,
                                .id = event->of.op.id,
                                .bytes = event->of.op.bytes,
                                .tag = event->of.op.tag,
                                .type = event->of.op.type,
                                .peer = event->of.op.peer,
                                .is_cpu = event->of.op.is_cpu,
                                .kind = -1};
    *running = (uint64_t)(uintptr_t)op;
    if (op->type == ASIM_OP_COMM_SEND)
        remember_send(times, event);
}

/* The rank has entered its collective, which can start when the last member enters. */
static void see_join(struct asim_op_times *times, const struct asim_event *event)
{
    struct asim_op_time *op = at(&times->running, event->rank, event->of.join.index);
    uint64_t exchange = (uint64_t)event->of.join.first << 32 | event->of.join.group;
    uint64_t *group = slot(times, &times->groups, exchange, event->of.join.sequence);
    struct meeting *meeting;

    if (!op || !group)
        return;
    op->kind = (int)event->of.join.kind;
    op->group = event->of.join.group;
    op->exchange = exchange;
    op->ordinal = event->of.join.sequence;
    op->members = event->of.join.members;
    if (!*group)
        *group = (uint64_t)(uintptr_t)get(times, &times->meetings);
    meeting = (struct meeting *)(uintptr_t)*group;
    if (!meeting)
        return;
    meeting->joined++;
    meeting->last = event->t;
}

/* When its last member issued it. The record of a collective is freed when all members have ended,
 * or at the close. */
static uint64_t start_of_coll(struct asim_op_times *times, const struct asim_op_time *op)
{
    struct meeting *meeting = at(&times->groups, op->exchange, op->ordinal);
    uint64_t last = meeting ? meeting->last : op->issue;

    if (meeting && ++meeting->ended == meeting->joined && meeting->joined >= op->members) {
        asim_map_delete(&times->groups, op->exchange, op->ordinal);
        asim_pool_put(&times->meetings, meeting);
    }
    return last;
}

/* When the oldest send of that key that is not yet received was issued. */
static uint64_t start_of_recv(struct asim_op_times *times, const struct asim_op_time *op)
{
    uint64_t pair = (uint64_t)op->peer << 32 | op->rank, issue;
    uint64_t *first = asim_map_get(&times->messages, pair, op->tag);
    struct sent *sent = first ? (struct sent *)(uintptr_t)*first : NULL;

    if (!sent)
        return op->issue;
    issue = sent->issue;
    *first = (uint64_t)(uintptr_t)sent->next;
    if (!sent->next)
        asim_map_delete(&times->messages, pair, op->tag);
    asim_pool_put(&times->sents, sent);
    return issue;
}

static void set_times(struct asim_op_times *times, struct asim_op_time *op, uint64_t end)
{
    uint64_t start = op->issue;

    if (op->kind >= 0)
        start = start_of_coll(times, op);
    else if (op->type == ASIM_OP_COMM_RECV)
        start = start_of_recv(times, op);
    start = start > op->issue ? start : op->issue;
    op->start = start < end ? start : end;
    op->end = end;
}

static void see_end(struct asim_op_times *times, const struct asim_world *world,
                    const struct asim_event *event)
{
    struct asim_op_time *op = at(&times->running, event->rank, event->of.op.index);
    struct asim_op record;

    if (!op) /* cannot occur */
        return;
    op->is_ended = event->kind == ASIM_EV_OP_END;
    if (op->is_ended)
        set_times(times, op, event->t);
    else
        op->done = event->of.op.bytes;
    op->name = !asim_event_op(world, event, &record) && record.name ? record.name : "";
    times->row(times->self, op);
    asim_map_delete(&times->running, event->rank, event->of.op.index);
    asim_pool_put(&times->kept, op);
}

void asim_op_times_see(struct asim_op_times *times, const struct asim_world *world,
                       const struct asim_event *event)
{
    if (event->kind == ASIM_EV_OP_ISSUE)
        see_issue(times, event);
    else if (event->kind == ASIM_EV_COLL_JOIN)
        see_join(times, event);
    else
        see_end(times, world, event);
}

void asim_op_times_init(struct asim_op_times *times)
{
    asim_pool_init(&times->kept, sizeof(struct asim_op_time), 0);
    asim_pool_init(&times->meetings, sizeof(struct meeting), 0);
    asim_pool_init(&times->sents, sizeof(struct sent), 0);
    asim_map_init(&times->running);
    asim_map_init(&times->groups);
    asim_map_init(&times->messages);
}

void asim_op_times_fini(struct asim_op_times *times)
{
    asim_pool_fini(&times->kept);
    asim_pool_fini(&times->meetings);
    asim_pool_fini(&times->sents);
    asim_map_fini(&times->running);
    asim_map_fini(&times->groups);
    asim_map_fini(&times->messages);
}
