/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event list of a rank. The reference keeps one list per rank and tick and asks the network
 * for one wake per tick, at the first registration; all events of that rank and tick then run
 * together, in the order they were registered, including those added meanwhile (spec
 * astra-system.md, section 4.1). Cycle-exact results depend on it, so it is the same here.
 */
#include "sim/sim.h"

void asim_world_fail_nomem(struct asim_world *world, const char *doing)
{
    asim_err_nomem(&world->err, doing);
    world->failed = 1;
}

void asim_clock_add(struct asim_rank *rank, uint64_t delay_ns, const struct asim_todo *todo)
{
    struct asim_world *world = rank->world;
    uint64_t now = asim_rank_now(rank), t = now + delay_ns;
    struct asim_todo *kept = asim_pool_get(&world->pools.todo);
    uint64_t *tick = kept ? asim_map_put(&rank->ticks, 0, t) : NULL;

    if (t < now) {
        asim_world_fail(world, "rank %u at %llu ns: a delay of %llu ns passes the end of time",
                        rank->id, (unsigned long long)now, (unsigned long long)delay_ns);
        return;
    }
    if (!tick || asim_heap_push(&rank->todo, (struct asim_heap_entry){t, rank->todo_order++,
                                                                      (uint64_t)(uintptr_t)kept}))
        goto nomem;
    *kept = *todo;
    if (!*tick) {
        *tick = 1;
        if (world->backend->wake_after(world->carrier, rank->id, delay_ns))
            goto nomem;
    }
    return;
nomem:
    asim_world_fail_nomem(world, "scheduling an event");
}

static void run(struct asim_rank *rank, const struct asim_todo *todo)
{
    switch (todo->kind) {
    case ASIM_TODO_OP_DONE:
        asim_op_done(rank, todo->op);
        break;
    case ASIM_TODO_BUNDLE:
        asim_stream_bundle(rank, todo->stream, todo->bytes);
        break;
    case ASIM_TODO_TOKEN:
        asim_stream_token(rank, todo->stream);
        break;
    }
}

void asim_clock_wake(struct asim_rank *rank)
{
    uint64_t now = asim_rank_now(rank);

    while (rank->todo.n && rank->todo.at[0].key == now && !rank->world->failed) {
        struct asim_todo *kept = (void *)(uintptr_t)asim_heap_pop(&rank->todo).value;
        struct asim_todo todo = *kept;

        asim_pool_put(&rank->world->pools.todo, kept);
        run(rank, &todo);
    }
    asim_map_delete(&rank->ticks, 0, now);
}
