/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Counts the members of each collective that have ended it, and finds their ranks.
 */
#include "api/exchange.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/op_times.h"
#include "sim/collective/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A collective that some members have ended. ranks: these, where it has no group and not all ranks
 * take part (dimensions of the logical topology); else NULL. */
struct meeting {
    uint32_t ended, *ranks;
};

struct exchanges {
    struct asim_op_times times;
    struct asim_map meetings; /* (exchange, ordinal) -> struct meeting * */
    struct asim_pool pool;
    struct asim_world *world;
    uint32_t *all; /* [ranks] 0, 1, … */
    void *self;
    void (*done)(void *self, const struct asim_observed_exchange *exchange);
    int failed; /* out of memory */
};

ASIM_ORDER(by_number, uint32_t, [0])

/* The members in the order of the group. */
static const uint32_t *ranks_of(const struct exchanges *exchanges, const struct asim_op_time *op,
                                const struct meeting *meeting)
{
    struct asim_rank *rank = &exchanges->world->run.ranks[op->rank];
    const struct asim_group *group;
    char name[24];
    int all = 1;

    if (meeting->ranks) {
        qsort(meeting->ranks, op->members, sizeof *meeting->ranks, by_number);
        return meeting->ranks;
    }
    if (!op->group)
        return &exchanges->all[rank->job->first];
    snprintf(name, sizeof name, "%" PRIu64, op->group - 1);
    group = asim_group_find(rank, &(struct asim_op){.pg_name = name}, &all);
    return group ? group->ranks : &exchanges->all[rank->job->first];
}

/* Found or made; NULL when out of memory. */
static struct meeting *meeting_of(struct exchanges *exchanges, const struct asim_op_time *op)
{
    uint64_t *slot = asim_map_put(&exchanges->meetings, op->exchange, op->ordinal);
    struct meeting *meeting = slot ? (struct meeting *)(uintptr_t)*slot : NULL;
    int is_part = !op->group && op->members < exchanges->world->run.ranks[op->rank].job->n;

    if (meeting || !slot)
        return meeting;
    meeting = asim_pool_get(&exchanges->pool);
    if (meeting && is_part)
        meeting->ranks = calloc(op->members, sizeof *meeting->ranks);
    *slot = (uint64_t)(uintptr_t)meeting;
    return meeting && (meeting->ranks || !is_part) ? meeting : NULL;
}

static void tell_collective(struct exchanges *exchanges, const struct asim_op_time *op)
{
    struct meeting *meeting = meeting_of(exchanges, op);
    struct asim_observed_exchange found = {.start_ns = op->start,
                                           .end_ns = op->end,
                                           .bytes = op->bytes,
                                           .type = op->kind,
                                           .n = (uint32_t)op->members};

    exchanges->failed |= !meeting;
    if (!meeting)
        return;
    if (meeting->ranks)
        meeting->ranks[meeting->ended] = op->rank;
    if (++meeting->ended < op->members)
        return;
    found.ranks = ranks_of(exchanges, op, meeting);
    exchanges->done(exchanges->self, &found);
    free(meeting->ranks);
    asim_map_delete(&exchanges->meetings, op->exchange, op->ordinal);
    asim_pool_put(&exchanges->pool, meeting);
}

static void on_row(void *self, const struct asim_op_time *op)
{
    struct exchanges *exchanges = self;

    if (!op->is_ended)
        return;
    if (op->kind >= 0 && op->members > 1) {
        tell_collective(exchanges, op);
    } else if (op->type == ASIM_OP_COMM_RECV) {
        const uint32_t ranks[] = {op->peer, op->rank};
        const struct asim_observed_exchange found = {.start_ns = op->start,
                                                     .end_ns = op->end,
                                                     .bytes = op->bytes,
                                                     .type = -1,
                                                     .n = 2,
                                                     .ranks = ranks};

        exchanges->done(exchanges->self, &found);
    }
}

static void on_event(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_op_times_see(&((struct exchanges *)self)->times, world, event);
}

static void drop(struct exchanges *exchanges)
{
    asim_op_times_fini(&exchanges->times);
    for (size_t i = 0; i < exchanges->meetings.cap; i++)
        if (exchanges->meetings.used[i] && exchanges->meetings.slots[i].value)
            free(((struct meeting *)(uintptr_t)exchanges->meetings.slots[i].value)->ranks);
    asim_map_fini(&exchanges->meetings);
    asim_pool_fini(&exchanges->pool);
    ASIM_FREE(exchanges->all, exchanges);
}

static int on_close(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct exchanges *exchanges = self;
    int failed = exchanges->failed || exchanges->times.failed;

    (void)world;
    drop(exchanges);
    return failed ? asim_err_nomem(err, "observing collectives") : 0;
}

int asim_exchange_observe(struct asim_world *world, const struct asim_observer *observer,
                          struct asim_err *err)
{
    struct exchanges *own;
    uint32_t n = world->set.n_ranks;

    if (world->dist)
        return asim_err_set(err, ASIM_EINVAL,
                            "collectives are observed in runs of one process only");
    own = calloc(1, sizeof *own);
    if (!own)
        return asim_err_nomem(err, "observing collectives");
    own->world = world;
    own->self = observer->self;
    own->done = observer->exchange_done;
    asim_map_init(&own->meetings);
    asim_pool_init(&own->pool, sizeof(struct meeting), 0);
    asim_op_times_init(&own->times);
    own->times.self = own;
    own->times.row = on_row;
    own->all = malloc(n * sizeof *own->all);
    for (uint32_t r = 0; own->all && r < n; r++)
        own->all[r] = r;
    if (own->all && !asim_event_bus_add(&world->run.event_bus,
                                        &(struct asim_event_observer){.self = own,
                                                                      .wants = ASIM_OP_TIMES_WANTS,
                                                                      .on_event = on_event,
                                                                      .close = on_close}))
        return 0;
    drop(own);
    return asim_err_nomem(err, "observing collectives");
}
