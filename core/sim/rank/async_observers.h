/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rows that are shown aside: observers that look at nothing but the event and what never changes
 * are called by threads that wait for others (fabric/parallel/thread_team.h), in place of the one
 * that holds all of them up. Each observer still sees its events one after the other, in their
 * order.
 */
#ifndef ASIM_SIM_RANK_ASYNC_OBSERVERS_H
#define ASIM_SIM_RANK_ASYNC_OBSERVERS_H

#include "net/packets.h"
#include "sim/rank/event_bus.h"

struct asim_async_observers;

/* *out is the caller's to close; show and world are borrowed. 0 or ASIM_ENOMEM. 74 KB. */
int asim_async_observers_open(struct asim_async_observers **out,
                              const struct asim_event_bus *event_bus,
                              const struct asim_world *world,
                              const struct asim_background *background);
/* For those of the observers that are shown events aside (struct asim_event_observer). Copied. */
void asim_async_observers_put(struct asim_async_observers *async, const struct asim_event *event);
/* Returns when all that was put has been seen. NULL is fine. */
void asim_async_observers_close(struct asim_async_observers *async);

#endif
