/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event list of a rank. The reference keeps one list per rank and tick and asks the network
 * for one wake per tick, at the first registration; all events of that rank and tick then run
 * together, in the order they were registered, including those added meanwhile
 * (system-layer.md#ticks-and-event-order). Cycle-exact results depend on it, so it is the same
 * here.
 *
 * Cost of an event: a walk over at most eight times, a pooled object, and for the first event of a
 * time one wake of the network. Events of a rank never overtake each other within a time; between
 * ranks the network's order decides.
 */
#include "sim/collective/uniform_phase.h"

static struct asim_tick *find_far(const struct asim_rank *rank, uint64_t t)
{
    uint64_t *slot = asim_map_get(&rank->far, 0, t);

    return slot ? (struct asim_tick *)(uintptr_t)*slot : NULL;
}

/* A walk over at most eight times, then the map: most ranks never get that far. */
static inline struct asim_tick *find_tick(struct asim_rank *rank, uint64_t t)
{
    struct asim_tick *end = rank->near + rank->n_near;

    for (struct asim_tick *tick = rank->near; tick < end; tick++)
        if (tick->t == t)
            return tick;
    return rank->has_far ? find_far(rank, t) : NULL;
}

/* NULL when out of memory. */
static struct asim_tick *new_far(struct asim_rank *rank, uint64_t t)
{
    struct asim_tick *tick = asim_pool_take(&rank->lane->pools.tick);
    uint64_t *slot = tick ? asim_map_put(&rank->far, 0, t) : NULL;

    if (!slot)
        return NULL;
    *slot = (uint64_t)(uintptr_t)tick;
    rank->has_far = 1;
    return tick;
}

/* Places in near[] may move when one is forgotten, never otherwise. */
static inline struct asim_tick *new_tick(struct asim_rank *rank, uint64_t t)
{
    return rank->n_near < ASIM_NEAR_TICKS ? &rank->near[rank->n_near++] : new_far(rank, t);
}

/* Word by word (net.h): the one moved has often just been made, and a wider load of it was waited
 * for longer than all else a message costs here. */
static inline void move_tick(struct asim_tick *to, const volatile struct asim_tick *from)
{
    to->t = from->t;
    to->head = from->head;
    to->tail = from->tail;
}

/* The last near one fills the hole; order among them means nothing. */
static inline void forget_tick(struct asim_rank *rank, struct asim_tick *tick)
{
    if ((uintptr_t)tick - (uintptr_t)rank->near < sizeof rank->near) {
        if (tick != &rank->near[--rank->n_near])
            move_tick(tick, &rank->near[rank->n_near]);
        return;
    }
    asim_map_delete(&rank->far, 0, tick->t);
    rank->has_far = rank->far.n != 0;
    asim_pool_give(&rank->lane->pools.tick, tick);
}

static void fail_late(struct asim_rank *rank, uint64_t delay_ns)
{
    asim_rank_fail(rank,
                   "rank %u at %llu ns: a delay of %llu ns or more is longer than a run can be "
                   "(146 years); is a bandwidth, a scale or a size wrong?",
                   rank->id, (unsigned long long)asim_rank_now(rank), (unsigned long long)delay_ns);
}

/* Asks the network for a wake only with the first event of a time: the place of that wake among
 * other ranks' events is part of the contract (system-layer.md#ticks-and-event-order). Where all
 * ranks share one queue, the first event stands in it itself. */
static inline int wake(struct asim_rank *rank, uint64_t t, uint64_t delay_ns,
                       struct asim_rank_event *first)
{
    struct asim_world *world = rank->world;

    if (!world->queue)
        return world->backend->wake_after(world->carrier, rank->id, delay_ns);
    first->due.kind = ASIM_DUE_OWN;
    first->due.rank = rank->id;
    return asim_due_add(world->queue, t, &first->due);
}

/* Takes the event, filled in but for its links, to the end of its time's list. */
static inline void place(struct asim_rank *rank, uint64_t delay_ns, struct asim_rank_event *kept)
{
    uint64_t now = asim_rank_now(rank), t = now + delay_ns;
    struct asim_tick *tick = find_tick(rank, t);

    if (delay_ns >= ASIM_NS_MOST || delay_ns >= ASIM_NEVER - now) {
        fail_late(rank, delay_ns);
        return;
    }
    kept->next = NULL;
    if (tick && tick->head) {
        tick->tail->next = kept;
        tick->tail = kept;
        return;
    }
    if (tick) { /* now running, and all it had is done */
        tick->head = tick->tail = kept;
        return;
    }
    tick = new_tick(rank, t);
    if (tick) {
        *tick = (struct asim_tick){t, kept, kept};
        if (!wake(rank, t, delay_ns, kept))
            return;
    }
    asim_rank_fail_nomem(rank, "scheduling an event");
}

void asim_clock_place(struct asim_rank *rank, uint64_t delay_ns, struct asim_rank_event *kept)
{
    place(rank, delay_ns, kept);
}

void asim_clock_add(struct asim_rank *rank, uint64_t delay_ns, const struct asim_rank_event *todo)
{
    struct asim_rank_event *kept = asim_pool_take(&rank->lane->pools.todo);

    if (!kept) {
        asim_rank_fail_nomem(rank, "scheduling an event");
        return;
    }
    kept->kind = todo->kind;
    kept->op = todo->op;
    kept->bytes = todo->bytes;
    kept->stream = todo->stream; /* or custom */
    place(rank, delay_ns, kept);
}

/* Filled in here and not by the caller: nothing is copied, and what follows needs no stack. */
void asim_clock_add_chunk(struct asim_rank *rank, uint64_t delay_ns, enum asim_rank_event_kind kind,
                          struct asim_chunk *stream, uint64_t bytes)
{
    struct asim_rank_event *kept = asim_pool_pop(&rank->lane->pools.todo);

    if (!kept) {
        asim_clock_add(rank, delay_ns,
                       &(struct asim_rank_event){.kind = kind, .bytes = bytes, .stream = stream});
        return;
    }
    kept->kind = kind;
    kept->stream = stream;
    kept->bytes = bytes;
    asim_clock_place(rank, delay_ns, kept);
}

/* The first event of a near time; where all ranks share a queue, of one that it knows already: what
 * place() would do, with the one call left that asks the network. All but its time is in the token
 * already. */
static void token_any(struct asim_rank *rank, struct asim_uniform_phase *march, uint64_t delay_ns)
{
    struct asim_due_queue *queue = rank->world->queue;
    struct asim_rank_event *token = &march->token;
    struct asim_due_lane *lane = NULL;
    uint32_t n = rank->n_near;
    uint64_t now = asim_rank_now(rank), t = now + delay_ns;
    int fresh = n < ASIM_NEAR_TICKS && !rank->has_far && delay_ns < ASIM_NEVER - now;

    for (uint32_t i = 0; i < n; i++)
        fresh &= rank->near[i].t != t;
    if (fresh && queue) {
        lane = asim_due_lane_of(queue, t);
        fresh = lane != NULL;
    }
    if (!fresh) {
        asim_clock_place(rank, delay_ns, token);
        return;
    }
    token->next = NULL;
    rank->near[n].t = t;
    rank->near[n].head = token;
    rank->near[n].tail = token;
    rank->n_near = (uint16_t)(n + 1);
    if (lane)
        asim_due_append(lane, &token->due);
    else if (rank->world->backend->wake_after(rank->world->carrier, rank->id, delay_ns))
        asim_rank_fail_nomem(rank, "scheduling an event");
}

/* Mostly nothing else is ahead of a rank of a packet network. */
void asim_clock_add_uniform(struct asim_rank *rank, struct asim_uniform_phase *march,
                            uint64_t delay_ns)
{
    const struct asim_world *world = rank->world;
    uint64_t t = asim_rank_now(rank) + delay_ns;

    march->token_free = 0;
    if (rank->n_near | rank->has_far || world->queue || t < delay_ns || t == ASIM_NEVER) {
        token_any(rank, march, delay_ns);
        return;
    }
    march->token.next = NULL;
    rank->near[0].t = t;
    rank->near[0].head = &march->token;
    rank->near[0].tail = &march->token;
    rank->n_near = 1;
    if (world->backend->wake_after(world->carrier, rank->id, delay_ns))
        asim_rank_fail_nomem(rank, "scheduling an event");
}

/* The one place where kinds of events become calls. todo is a copy, its memory is free again. */
static void run_copy(struct asim_rank *rank, const struct asim_rank_event *todo)
{
    switch (todo->kind) {
    case ASIM_RANK_EVENT_OP_DONE:
        asim_op_done(rank, todo->op);
        break;
    case ASIM_RANK_EVENT_UNIFORM: /* these three before */
    case ASIM_RANK_EVENT_DELAY:
    case ASIM_RANK_EVENT_CREDIT:
        break;
    case ASIM_RANK_EVENT_NODE:
        asim_graph_runner_node_ended(rank, todo->custom, todo->op);
        break;
    case ASIM_RANK_EVENT_FLOW:
        asim_graph_runner_send_flow(rank, todo->custom, todo->op);
        break;
    case ASIM_RANK_EVENT_MEMORY:
        asim_memory_next(rank, todo->op);
        break;
    case ASIM_RANK_EVENT_BUS:
        asim_bus_step(rank, todo);
        break;
    case ASIM_RANK_EVENT_START:
        asim_issue_all(rank);
    }
}

void asim_clock_run(struct asim_rank *rank, struct asim_rank_event *kept)
{
    struct asim_rank_event todo = *kept;

    asim_pool_give(&rank->lane->pools.todo, kept);
    run_copy(rank, &todo);
}

/* The event is given back before what it leads to, which will want the memory. */
static inline void run(struct asim_rank *rank, struct asim_rank_event *kept, uint64_t now)
{
    struct asim_chunk *stream = kept->stream;
    uint64_t bytes = kept->bytes;

    if (kept->kind > ASIM_RANK_EVENT_CREDIT) {
        asim_clock_run(rank, kept);
        return;
    }
    if (kept->kind == ASIM_RANK_EVENT_UNIFORM) {
        asim_uniform_phase_step(rank, kept->march, now);
        return;
    }
    if (kept->kind == ASIM_RANK_EVENT_CREDIT)
        bytes = 0; /* reduced by now */
    asim_pool_give(&rank->lane->pools.todo, kept);
    asim_chunk_credit(rank, stream, bytes);
}

/* The place of a tick holds while its events run: others may be added behind it, but only this
 * function takes one away.
 * Events added at this same time run in this call. A failure leaves the rest where it is;
 * closing frees it. */
static void run_tick(struct asim_rank *rank, struct asim_tick *tick)
{
    struct asim_rank_event *kept;

    while (tick && (kept = tick->head) && !rank->failed) {
        tick->head = kept->next;
        run(rank, kept, tick->t);
    }
    if (tick)
        forget_tick(rank, tick);
}

void asim_clock_wake_any(struct asim_rank *rank)
{
    run_tick(rank, find_tick(rank, asim_rank_now(rank)));
}

/* Mostly all there is ahead of a rank is the one token of a march: the same with less looking. The
 * tick stays while the token's step runs, so that an event added for this very time comes into it,
 * as the order asks for, and is run before the rank is left. */
void asim_clock_wake(struct asim_rank *rank)
{
    struct asim_tick *tick = rank->near;
    struct asim_rank_event *kept = tick->head;

    if (!rank->n_near || !kept || kept->kind != ASIM_RANK_EVENT_UNIFORM || kept->next ||
        tick->t != asim_rank_now(rank)) {
        asim_clock_wake_any(rank);
        return;
    }
    tick->head = NULL;
    asim_uniform_phase_step(rank, kept->march, tick->t);
    if (tick->head)
        run_tick(rank, tick);
    else if (--rank->n_near)
        move_tick(tick, &rank->near[rank->n_near]);
}
