/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Asynchronous observers: observers that read only the event and constant data. Threads that wait
 * for others call them (fabric/clock/thread_team.h), so that the one thread all others wait for
 * has less to do. Each observer still sees its events one at a time and in order.
 */
#ifndef ASIM_SIM_RANK_ASYNC_OBSERVERS_H
#define ASIM_SIM_RANK_ASYNC_OBSERVERS_H

#include "net/packets.h"
#include "sim/rank/event_bus.h"

struct asim_async_observers;

/* The caller closes *out; event_bus and world are borrowed. 0 or ASIM_ENOMEM. Takes 74 KB. */
int asim_async_observers_open(struct asim_async_observers **out,
                              const struct asim_event_bus *event_bus,
                              const struct asim_world *world,
                              const struct asim_background *background);
/* Hands a copy of the event to the observers with `async` (struct asim_event_observer). */
void asim_async_observers_put(struct asim_async_observers *async, const struct asim_event *event);
/* Delivers all events, then closes. NULL is fine. */
void asim_async_observers_close(struct asim_async_observers *async);

#endif
