/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The network event by event, in the order of one list (link/insertion.h): the order of ASTRA-sim's
 * ns-3 backend, to the event. It costs some 40 ns an event and needs the whole network in one
 * process on one thread. So it ends behind so many events; from then on tie keys order simultaneous
 * events, and all fast paths are open again.
 */
#ifndef ASIM_FABRIC_CLOCK_INSERTION_ORDER_H
#define ASIM_FABRIC_CLOCK_INSERTION_ORDER_H

#include <stdint.h>

struct asim_fabric;

/* Keeps the list for the first `events` events if that way is open (clock/ways.h), and so sets the
 * ways of a new network: call it after all other set-up. 0 or ASIM_ENOMEM. */
int asim_insertion_open(struct asim_fabric *fabric, uint64_t events);
void asim_insertion_close(struct asim_fabric *fabric);
/* Time of the next event. */
uint64_t asim_insertion_next(struct asim_fabric *fabric);
/* Whether the next event is still in the list; else there is no list from now on. */
int asim_insertion_goes_on(struct asim_fabric *fabric);
/* Runs all events before `until`. The worker records failures. */
void asim_insertion_run(struct asim_fabric *fabric, uint64_t until);

#endif
