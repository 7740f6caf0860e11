/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event list of a rank. The reference keeps one list per rank and tick and asks the network
 * for one wake per tick, at the first registration; all events of that rank and tick then run
 * together, in the order they were registered, including those added meanwhile (spec
 * astra-system.md, section 4.1). Cycle-exact results depend on it, so it is the same here.
 *
 * Cost of an event: a walk over at most eight times, a pooled object, and for the first event of a
 * time one wake of the network. Events of a rank never overtake each other within a time; between
 * ranks the network's order decides.
 */
#include "sim/sim.h"

/* "doing" completes the sentence. */
void asim_world_fail_nomem(struct asim_world *world, const char *doing)
{
    asim_err_nomem(&world->err, doing);
    world->failed = 1;
}

/* A walk over at most eight times, then the map: most ranks never get that far. */
static struct asim_tick *find_tick(struct asim_rank *rank, uint64_t t)
{
    uint64_t *slot;

    for (uint32_t i = 0; i < rank->n_near; i++)
        if (rank->near[i].t == t)
            return &rank->near[i];
    slot = rank->far.n ? asim_map_get(&rank->far, 0, t) : NULL;
    return slot ? (struct asim_tick *)(uintptr_t)*slot : NULL;
}

/* NULL when out of memory. Places in near[] may move when one is forgotten, never otherwise. */
static struct asim_tick *new_tick(struct asim_rank *rank, uint64_t t)
{
    struct asim_tick *tick;
    uint64_t *slot;

    if (rank->n_near < ASIM_NEAR_TICKS) {
        tick = &rank->near[rank->n_near++];
    } else {
        tick = asim_pool_take(&rank->world->pools.tick);
        slot = tick ? asim_map_put(&rank->far, 0, t) : NULL;
        if (!slot)
            return NULL;
        *slot = (uint64_t)(uintptr_t)tick;
    }
    *tick = (struct asim_tick){.t = t};
    return tick;
}

/* The last near one fills the hole; order among them means nothing. */
static void forget_tick(struct asim_rank *rank, struct asim_tick *tick)
{
    if (tick >= rank->near && tick < rank->near + ASIM_NEAR_TICKS) {
        if (tick != &rank->near[--rank->n_near])
            *tick = rank->near[rank->n_near];
        return;
    }
    asim_map_delete(&rank->far, 0, tick->t);
    asim_pool_give(&rank->world->pools.tick, tick);
}

/* Asks the network for a wake only with the first event of a time: the place of that wake among
 * other ranks' events is part of the contract (spec 4.1). */
static int wake(struct asim_rank *rank, uint64_t delay_ns, struct asim_todo *first)
{
    const struct asim_net_backend *backend = rank->world->backend;

    if (!backend->wake_due)
        return backend->wake_after(rank->world->carrier, rank->id, delay_ns);
    first->due.rank = rank->id;
    return backend->wake_due(rank->world->carrier, delay_ns, &first->due);
}

/* Asks the network for a wake only with the first event of a time: the place of that wake among
 * other ranks' events is part of the contract (spec 4.1). The event at the end of that time's
 * list, for the caller to fill in; NULL after failing the world. */
static struct asim_todo *place(struct asim_rank *rank, uint64_t delay_ns)
{
    struct asim_world *world = rank->world;
    uint64_t now = asim_rank_now(rank), t = now + delay_ns;
    struct asim_tick *tick = find_tick(rank, t);
    struct asim_todo *kept = asim_pool_take(&world->pools.todo);

    if (t < now) {
        asim_world_fail(world, "rank %u at %llu ns: a delay of %llu ns passes the end of time",
                        rank->id, (unsigned long long)now, (unsigned long long)delay_ns);
        return NULL;
    }
    if (!kept)
        goto nomem;
    kept->next = NULL;
    if (tick && tick->head) {
        tick->tail->next = kept;
        tick->tail = kept;
        return kept;
    }
    if (!tick) {
        tick = new_tick(rank, t);
        if (!tick || wake(rank, delay_ns, kept))
            goto nomem;
    }
    tick->head = tick->tail = kept;
    return kept;
nomem:
    asim_world_fail_nomem(world, "scheduling an event");
    return NULL;
}

void asim_clock_add(struct asim_rank *rank, uint64_t delay_ns, const struct asim_todo *todo)
{
    struct asim_todo *kept = place(rank, delay_ns);

    if (!kept)
        return;
    kept->kind = todo->kind;
    kept->op = todo->op;
    kept->bytes = todo->bytes;
    kept->stream = todo->stream;
    kept->custom = todo->custom;
}

void asim_clock_stream(struct asim_rank *rank, uint64_t delay_ns, enum asim_todo_kind kind,
                       struct asim_stream *stream, uint64_t bytes)
{
    struct asim_todo *kept = place(rank, delay_ns);

    if (!kept)
        return;
    kept->kind = kind;
    kept->stream = stream;
    kept->bytes = bytes;
}

/* The one place where kinds of events become calls. todo is a copy, its memory is free again. */
static void run_other(struct asim_rank *rank, const struct asim_todo *todo)
{
    switch (todo->kind) {
    case ASIM_TODO_OP_DONE:
        asim_op_done(rank, todo->op);
        break;
    case ASIM_TODO_BUNDLE: /* taken before */
        break;
    case ASIM_TODO_TOKEN:
        asim_stream_token(rank, todo->stream);
        break;
    case ASIM_TODO_NODE:
        asim_custom_ended(rank, todo->custom, todo->op);
        break;
    case ASIM_TODO_FLOW:
        asim_custom_flow(rank, todo->custom, todo->op);
        break;
    case ASIM_TODO_MEMORY:
        asim_memory_next(rank, todo->op);
        break;
    case ASIM_TODO_BUS:
        asim_bus_step(rank, todo);
        break;
    case ASIM_TODO_START:
        asim_issue_all(rank);
    }
}

/* The event is given back before what it leads to, which will want the memory. */
static void run(struct asim_rank *rank, struct asim_todo *kept)
{
    struct asim_pool *pool = &rank->world->pools.todo;
    struct asim_stream *stream = kept->stream;
    uint64_t bytes = kept->bytes;
    struct asim_todo todo;

    if (kept->kind == ASIM_TODO_BUNDLE) {
        asim_pool_give(pool, kept);
        asim_stream_bundle(rank, stream, bytes);
        return;
    }
    todo = *kept;
    asim_pool_give(pool, kept);
    run_other(rank, &todo);
}

/* The place of a tick holds while its events run: others may be added behind it, but only this
 * function takes one away.
 * Events added at this same time run in this call. A failure leaves the rest where it is;
 * closing frees it. */
void asim_clock_wake(struct asim_rank *rank)
{
    struct asim_tick *tick = find_tick(rank, asim_rank_now(rank));
    struct asim_todo *kept;

    while (tick && (kept = tick->head) && !rank->world->failed) {
        tick->head = kept->next;
        run(rank, kept);
    }
    if (tick)
        forget_tick(rank, tick);
}
