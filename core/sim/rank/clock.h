/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The events of a rank. Events of one rank and time run together, in the order of registration
 * (system-layer.md#ticks-and-event-order). wake.c runs them.
 */
#ifndef ASIM_SIM_RANK_CLOCK_H
#define ASIM_SIM_RANK_CLOCK_H

#include "sim/sim.h"

/* Adds a copy of *event at now + delay_ns; fails the rank when out of memory. */
void asim_clock_add(struct asim_rank *rank, uint64_t delay_ns, const struct asim_rank_event *event);
/* The same for events of a chunk, which are nearly all. */
void asim_clock_add_chunk(struct asim_rank *rank, uint64_t delay_ns, enum asim_rank_event_kind kind,
                          struct asim_chunk *chunk, uint64_t bytes);
/* Ends the op with this index in ns. */
static inline void asim_clock_end_op(struct asim_rank *rank, uint64_t ns, uint32_t op)
{
    asim_clock_add(rank, ns, &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_OP_DONE, .op = op});
}
/* Adds an event that is not from the pool. The caller keeps its memory until the event runs. */
void asim_clock_add_embedded(struct asim_rank *rank, uint64_t delay_ns,
                             struct asim_rank_event *event);

/* For wake.c: the tick at time t, or NULL. */
struct asim_tick *asim_clock_find(struct asim_rank *rank, uint64_t t);
/* All events to come happen by_ns later: the rank was held. Not while an event runs. */
void asim_clock_shift(struct asim_rank *rank, uint64_t by_ns);
/* Removes a tick of the map. */
void asim_clock_forget_mapped(struct asim_rank *rank, struct asim_tick *tick);

/* Copies word by word (net.h): the tick has often just been written, and a wider load would wait
 * for these stores longer than all other work of a message here takes. */
static inline void asim_tick_move(struct asim_tick *to, const volatile struct asim_tick *from)
{
    to->t = from->t;
    to->head = from->head;
    to->tail = from->tail;
}

/* Removes a tick that has run. The last element of ticks[] fills the hole; the array has no order.
 */
static inline void asim_clock_forget(struct asim_rank *rank, struct asim_tick *tick)
{
    if ((uintptr_t)tick - (uintptr_t)rank->ticks >= sizeof rank->ticks)
        asim_clock_forget_mapped(rank, tick);
    else if (tick != &rank->ticks[--rank->n_ticks])
        asim_tick_move(tick, &rank->ticks[rank->n_ticks]);
}

#endif
