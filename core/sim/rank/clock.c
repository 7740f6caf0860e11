/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event list of a rank. ASTRA-sim keeps one list per rank and tick and asks the network for one
 * wake per tick, at the first registration. All events of that rank and tick then run together, in
 * the order of registration, including events that are added meanwhile
 * (system-layer.md#ticks-and-event-order). Cycle-exact results depend on this order, so asim keeps
 * it.
 *
 * An event costs a walk over at most eight ticks and a pooled object; the first event of a tick
 * costs one wake of the network. Events of one rank and time never overtake each other. Between
 * ranks the order of the network decides.
 */
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"

static struct asim_tick *find_mapped(const struct asim_rank *rank, uint64_t t)
{
    uint64_t *slot = asim_map_get(&rank->tick_map, 0, t);

    return slot ? (struct asim_tick *)(uintptr_t)*slot : NULL;
}

/* Walks over at most eight ticks, then asks the map, which most ranks never use. */
static inline struct asim_tick *find_tick(struct asim_rank *rank, uint64_t t)
{
    struct asim_tick *end = rank->ticks + rank->n_ticks;

    for (struct asim_tick *tick = rank->ticks; tick < end; tick++)
        if (tick->t == t)
            return tick;
    return rank->has_tick_map ? find_mapped(rank, t) : NULL;
}

/* NULL when out of memory. */
static struct asim_tick *new_mapped(struct asim_rank *rank, uint64_t t)
{
    struct asim_tick *tick = asim_pool_take(&rank->shard->pools.tick);
    uint64_t *slot = tick ? asim_map_put(&rank->tick_map, 0, t) : NULL;

    if (!slot)
        return NULL;
    *slot = (uint64_t)(uintptr_t)tick;
    rank->has_tick_map = 1;
    return tick;
}

/* Only asim_clock_forget moves elements of ticks[]. */
static inline struct asim_tick *new_tick(struct asim_rank *rank, uint64_t t)
{
    return rank->n_ticks < ASIM_RANK_TICKS ? &rank->ticks[rank->n_ticks++] : new_mapped(rank, t);
}

void asim_clock_forget_mapped(struct asim_rank *rank, struct asim_tick *tick)
{
    asim_map_delete(&rank->tick_map, 0, tick->t);
    rank->has_tick_map = rank->tick_map.n != 0;
    asim_pool_give(&rank->shard->pools.tick, tick);
}

struct asim_tick *asim_clock_find(struct asim_rank *rank, uint64_t t)
{
    return find_tick(rank, t);
}

/* The map is made anew, because its keys are the times. */
void asim_clock_shift(struct asim_rank *rank, uint64_t by_ns)
{
    struct asim_map old = rank->tick_map;

    for (uint16_t i = 0; i < rank->n_ticks; i++)
        rank->ticks[i].t += by_ns;
    if (!rank->has_tick_map)
        return;
    asim_map_init(&rank->tick_map);
    for (size_t i = 0; i < old.cap; i++) {
        struct asim_tick *tick = (struct asim_tick *)(uintptr_t)old.slots[i].value;
        uint64_t *slot;

        if (!old.used[i])
            continue;
        tick->t += by_ns;
        slot = asim_map_put(&rank->tick_map, 0, tick->t);
        if (slot)
            *slot = (uint64_t)(uintptr_t)tick;
        else
            asim_rank_fail_nomem(rank, "scheduling an event");
    }
    asim_map_fini(&old);
}

static void fail_late(struct asim_rank *rank, uint64_t delay_ns)
{
    asim_rank_fail(rank,
                   "rank %u at %llu ns: a delay of %llu ns or more is longer than a run can be "
                   "(146 years); is a bandwidth, a scale or a size wrong?",
                   rank->id, (unsigned long long)asim_rank_now(rank), (unsigned long long)delay_ns);
}

/* Asks the network for a wake, only with the first event of a tick: the place of that wake among
 * the events of other ranks is part of the contract (system-layer.md#ticks-and-event-order). Where
 * all ranks share one queue, the first event itself is an element of the queue. */
static inline int wake(struct asim_rank *rank, uint64_t t, uint64_t delay_ns,
                       struct asim_rank_event *first)
{
    struct asim_world *world = rank->world;

    if (!world->via.queue)
        return world->via.backend->wake_after(world->via.carrier, rank->id, delay_ns);
    first->due.kind = ASIM_DUE_OWN;
    first->due.rank = rank->id;
    return asim_due_add(world->via.queue, t, &first->due);
}

/* Appends the event, filled in but for its links, to its tick. */
void asim_clock_add_embedded(struct asim_rank *rank, uint64_t delay_ns,
                             struct asim_rank_event *kept)
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
    if (tick) { /* the tick is running its last event */
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

void asim_clock_add(struct asim_rank *rank, uint64_t delay_ns, const struct asim_rank_event *event)
{
    struct asim_rank_event *kept = asim_pool_take(&rank->shard->pools.event);

    if (!kept) {
        asim_rank_fail_nomem(rank, "scheduling an event");
        return;
    }
    kept->kind = event->kind;
    kept->op = event->op;
    kept->bytes = event->bytes;
    kept->chunk = event->chunk; /* or runner: they share a union */
    asim_clock_add_embedded(rank, delay_ns, kept);
}

/* Fills in the event here: the caller copies nothing and needs no stack for it. */
void asim_clock_add_chunk(struct asim_rank *rank, uint64_t delay_ns, enum asim_rank_event_kind kind,
                          struct asim_chunk *chunk, uint64_t bytes)
{
    struct asim_rank_event *kept = asim_pool_pop(&rank->shard->pools.event);

    if (!kept) {
        asim_clock_add(rank, delay_ns,
                       &(struct asim_rank_event){.kind = kind, .bytes = bytes, .chunk = chunk});
        return;
    }
    kept->kind = kind;
    kept->chunk = chunk;
    kept->bytes = bytes;
    asim_clock_add_embedded(rank, delay_ns, kept);
}
