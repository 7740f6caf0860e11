/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The events of a rank: what it has to do at which time. Events of one rank and time run together,
 * in the order in which they were added (system-layer.md#ticks-and-event-order). wake.c runs them.
 */
#ifndef ASIM_SIM_RANK_CLOCK_H
#define ASIM_SIM_RANK_CLOCK_H

#include "sim/sim.h"

/* Adds a copy of *event at now + delay_ns; fails the rank when out of memory. */
void asim_clock_add(struct asim_rank *rank, uint64_t delay_ns, const struct asim_rank_event *event);
/* The same for the kinds that are about a chunk: nearly all. */
void asim_clock_add_chunk(struct asim_rank *rank, uint64_t delay_ns, enum asim_rank_event_kind kind,
                          struct asim_chunk *chunk, uint64_t bytes);
/* Adds an event that is not from the pool: it stays where it is until it runs. */
void asim_clock_add_embedded(struct asim_rank *rank, uint64_t delay_ns,
                             struct asim_rank_event *event);

/* For wake.c. The tick at time t, NULL if the rank has none. */
struct asim_tick *asim_clock_find(struct asim_rank *rank, uint64_t t);
/* Removes a tick that has run. */
void asim_clock_forget_mapped(struct asim_rank *rank, struct asim_tick *tick);

/* Word by word (net.h): the tick has often just been written, and a wider load of it would wait for
 * these stores longer than all else a message costs here. */
static inline void asim_tick_move(struct asim_tick *to, const volatile struct asim_tick *from)
{
    to->t = from->t;
    to->head = from->head;
    to->tail = from->tail;
}

/* The last of the rank's own ticks fills the hole; their order means nothing. */
static inline void asim_clock_forget(struct asim_rank *rank, struct asim_tick *tick)
{
    if ((uintptr_t)tick - (uintptr_t)rank->ticks >= sizeof rank->ticks)
        asim_clock_forget_mapped(rank, tick);
    else if (tick != &rank->ticks[--rank->n_ticks])
        asim_tick_move(tick, &rank->ticks[rank->n_ticks]);
}

#endif
