/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Divides the time of each rank by what it does, as an observer of ops: events come in order of
 * time over all ranks, so the event that lets others begin (the last member joins a collective,
 * a send is issued) is known when their time is divided. A rank keeps one count for each kind of
 * running op; each change of a count first charges the time since the last one.
 *
 * Memory follows the running ops. A send is counted until its receive is issued.
 */
#include "sim/rank/breakdown.h"
#include "sim/rank/event.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/track.h"

#include <inttypes.h>
#include <stdlib.h>

/* What an op does: its class of time, or waiting. A collective waits from ASIM_EV_COLL_JOIN on, at
 * the time of its issue. */
enum activity {
    COMPUTING = ASIM_SPAN_GPU,
    MOVING = ASIM_SPAN_COMM,
    ON_CPU = ASIM_SPAN_CPU,
    LOADING = ASIM_SPAN_MEM,
    WAITING = ASIM_SPANS,
    ACTIVITIES
};

struct rank_state {
    uint64_t since;
    uint32_t running[ACTIVITIES];
    struct asim_rank_time time;
};

struct meeting;

struct running {          /* an op */
    struct running *next; /* that waits for the same */
    struct meeting *in;   /* where it waits */
    uint32_t rank;
    enum activity activity;
};

struct meeting { /* of the members of a collective, or of receives with one source and tag */
    struct running *first, *last; /* waiting */
    uint64_t arrived;             /* members; sends without a receive */
};

struct asim_breakdown {
    struct rank_state *ranks; /* [n_ranks] */
    struct asim_pool ops, meetings;
    struct asim_map running;  /* (rank, op index) -> struct running * */
    struct asim_map groups;   /* (group and first rank, sequence) -> struct meeting * */
    struct asim_map messages; /* (source << 32 | destination, tag) -> struct meeting * */
    int no_memory;
    uint32_t wrong; /* 1 + the first rank whose times do not add up */
};

/* --- a rank's time ------------------------------------------------------------------------------
 */

static enum asim_time_class class_of(const struct rank_state *state)
{
    const uint32_t *running = state->running;

    if (running[COMPUTING])
        return running[MOVING] ? ASIM_TIME_HIDDEN : ASIM_TIME_COMPUTE;
    return running[MOVING]    ? ASIM_TIME_EXPOSED
           : running[LOADING] ? ASIM_TIME_MEMORY
           : running[ON_CPU]  ? ASIM_TIME_CPU
           : running[WAITING] ? ASIM_TIME_WAITING
                              : ASIM_TIME_IDLE;
}

static struct rank_state *charge(struct asim_breakdown *all, uint32_t rank, uint64_t t)
{
    struct rank_state *state = &all->ranks[rank];

    state->time.ns[class_of(state)] += t - state->since;
    state->since = t;
    return state;
}

static void turn(struct asim_breakdown *all, struct running *op, enum activity activity, uint64_t t)
{
    struct rank_state *state = charge(all, op->rank, t);

    state->running[op->activity]--;
    state->running[activity]++;
    op->activity = activity;
}

/* --- meetings -----------------------------------------------------------------------------------
 */

/* Zeroed when new; NULL without memory. */
static struct meeting *meeting_at(struct asim_breakdown *all, struct asim_map *map, uint64_t hi,
                                  uint64_t lo)
{
    uint64_t *slot = asim_map_put(map, hi, lo);

    if (slot && !*slot)
        *slot = (uint64_t)(uintptr_t)asim_pool_get(&all->meetings);
    all->no_memory |= !slot || !*slot;
    return slot ? (void *)(uintptr_t)*slot : NULL;
}

static void forget(struct asim_breakdown *all, struct asim_map *map, uint64_t hi, uint64_t lo,
                   struct meeting *meeting)
{
    asim_map_delete(map, hi, lo);
    asim_pool_put(&all->meetings, meeting);
}

static void wait_in(struct asim_breakdown *all, struct meeting *meeting, struct running *op,
                    uint64_t t)
{
    turn(all, op, WAITING, t);
    op->in = meeting;
    op->next = NULL;
    if (meeting->last)
        meeting->last->next = op;
    else
        meeting->first = op;
    meeting->last = op;
}

static void release_first(struct asim_breakdown *all, struct meeting *meeting, uint64_t t)
{
    struct running *op = meeting->first;

    meeting->first = op->next;
    if (!op->next)
        meeting->last = NULL;
    turn(all, op, MOVING, t);
}

/* The rank enters its collective, which begins when the last member enters. */
static void join(struct asim_breakdown *all, const struct asim_event *event)
{
    uint64_t who = (uint64_t)event->of.join.first << 32 | event->of.join.group;
    uint64_t *slot = asim_map_get(&all->running, event->rank, event->of.join.index);
    struct running *op = slot ? (void *)(uintptr_t)*slot : NULL;
    struct meeting *meeting = meeting_at(all, &all->groups, who, event->of.join.sequence);

    if (!op || !meeting)
        return;
    if (++meeting->arrived < event->of.join.members) {
        wait_in(all, meeting, op, event->t);
        return;
    }
    while (meeting->first)
        release_first(all, meeting, event->t);
    forget(all, &all->groups, who, event->of.join.sequence, meeting);
}

static void receive(struct asim_breakdown *all, const struct asim_event *event, struct running *op)
{
    uint64_t pair = (uint64_t)event->of.op.peer << 32 | event->rank;
    struct meeting *meeting = meeting_at(all, &all->messages, pair, event->of.op.tag);

    if (!meeting)
        return;
    if (!meeting->arrived)
        wait_in(all, meeting, op, event->t);
    else if (!--meeting->arrived)
        forget(all, &all->messages, pair, event->of.op.tag, meeting);
}

static void send(struct asim_breakdown *all, const struct asim_event *event)
{
    uint64_t pair = (uint64_t)event->rank << 32 | event->of.op.peer;
    struct meeting *meeting = meeting_at(all, &all->messages, pair, event->of.op.tag);

    if (!meeting)
        return;
    if (!meeting->first) {
        meeting->arrived++;
        return;
    }
    release_first(all, meeting, event->t);
    if (!meeting->first)
        forget(all, &all->messages, pair, event->of.op.tag, meeting);
}

/* --- events -------------------------------------------------------------------------------------
 */

/* Replayed receives have their recorded durations and wait for nobody. */
static void issue(struct asim_breakdown *all, const struct asim_world *world,
                  const struct asim_event *event)
{
    struct running *op = asim_pool_get(&all->ops);
    uint64_t *slot = asim_map_put(&all->running, event->rank, event->of.op.index);

    if (!op || !slot) {
        all->no_memory = 1;
        return;
    }
    *op = (struct running){.rank = event->rank,
                           .activity = (enum activity)asim_span_of(
                               (enum asim_op_type)event->of.op.type, event->of.op.is_cpu)};
    *slot = (uint64_t)(uintptr_t)op;
    charge(all, event->rank, event->t)->running[op->activity]++;
    if (event->of.op.type == ASIM_OP_COMM_RECV && !world->set.system.replay_only)
        receive(all, event, op);
    else if (event->of.op.type == ASIM_OP_COMM_SEND)
        send(all, event);
}

/* An op may end while it waits: a receive whose message came with a send of another key. */
static void leave_meeting(struct running *op)
{
    struct running *last = NULL, *at = op->in->first;

    for (; at != op; last = at, at = at->next)
        ;
    *(last ? &last->next : &op->in->first) = op->next;
    if (op->in->last == op)
        op->in->last = last;
}

static void end(struct asim_breakdown *all, const struct asim_event *event)
{
    uint64_t *slot = asim_map_get(&all->running, event->rank, event->of.op.index);
    struct running *op = slot ? (void *)(uintptr_t)*slot : NULL;

    if (!op)
        return;
    charge(all, event->rank, event->t)->running[op->activity]--;
    if (op->activity == WAITING)
        leave_meeting(op);
    asim_map_delete(&all->running, event->rank, event->of.op.index);
    asim_pool_put(&all->ops, op);
}

/* The sum holds by construction; computation is compared with the rank's own count (track.h). */
static void finish(struct asim_breakdown *all, const struct asim_world *world,
                   const struct asim_event *event)
{
    const struct asim_rank_time *time = &charge(all, event->rank, event->t)->time;
    struct asim_rank_facts facts;
    uint64_t sum = 0, compute = time->ns[ASIM_TIME_HIDDEN] + time->ns[ASIM_TIME_COMPUTE];

    asim_event_rank(world, event, &facts);
    for (int c = 0; c < ASIM_TIME_CLASSES; c++)
        sum += time->ns[c];
    if (!all->wrong && (sum != event->t || compute != facts.track.total[ASIM_SPAN_GPU]))
        all->wrong = 1 + event->rank;
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    switch (event->kind) {
    case ASIM_EV_OP_ISSUE:
        issue(self, world, event);
        break;
    case ASIM_EV_COLL_JOIN:
        join(self, event);
        break;
    case ASIM_EV_OP_END:
        end(self, event);
        break;
    default:
        finish(self, world, event);
    }
}

static int audit(void *self, const struct asim_world *world, struct asim_err *err)
{
    const struct asim_breakdown *all = self;

    if (world->run.failed)
        return 0;
    if (all->no_memory)
        return asim_err_nomem(err, "dividing the time of the ranks");
    if (all->wrong)
        return asim_err_set(err, ASIM_EBUG,
                            "the classes of time of rank %u do not add up; please report this",
                            all->wrong - 1);
    return 0;
}

int asim_breakdown_open(struct asim_world *world, struct asim_err *err)
{
    struct asim_breakdown *all = world->run.breakdown;
    struct asim_event_observer observer = {.wants = 1u << ASIM_EV_OP_ISSUE |
                                                    1u << ASIM_EV_COLL_JOIN | 1u << ASIM_EV_OP_END |
                                                    1u << ASIM_EV_RANK_DONE,
                                           .on_event = see,
                                           .close = audit};

    if (all)
        return 0;
    all = calloc(1, sizeof *all);
    if (all)
        all->ranks = calloc(world->set.n_ranks, sizeof *all->ranks);
    if (!all || !all->ranks) {
        free(all);
        return asim_err_nomem(err, "dividing the time of the ranks");
    }
    asim_pool_init(&all->ops, sizeof(struct running), 0);
    asim_pool_init(&all->meetings, sizeof(struct meeting), 0);
    asim_map_init(&all->running);
    asim_map_init(&all->groups);
    asim_map_init(&all->messages);
    observer.self = world->run.breakdown = all;
    return asim_event_bus_add(&world->run.event_bus, &observer)
               ? asim_err_nomem(err, "dividing the time of the ranks")
               : 0;
}

const struct asim_rank_time *asim_breakdown_of(const struct asim_world *world, uint32_t rank)
{
    return world->run.breakdown ? &world->run.breakdown->ranks[rank].time : NULL;
}

void asim_breakdown_free(struct asim_breakdown *all)
{
    if (!all)
        return;
    asim_pool_fini(&all->ops);
    asim_pool_fini(&all->meetings);
    asim_map_fini(&all->running);
    asim_map_fini(&all->groups);
    asim_map_fini(&all->messages);
    ASIM_FREE(all->ranks, all);
}
