/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One lookahead window: all nodes advance to its end, on one thread or a team.
 */
#ifndef ASIM_FABRIC_CLOCK_WINDOW_H
#define ASIM_FABRIC_CLOCK_WINDOW_H

#include <stdint.h>

struct asim_fabric;

/* Time of the earliest event of any node, ASIM_NEVER: none. Not in per-event mode. */
uint64_t asim_window_next_event(struct asim_fabric *fabric);
/* Advances the nodes of run.half that have events before `until`, the window's end. */
void asim_window_run(struct asim_fabric *fabric, uint64_t until);
/* Call after a window, or after an event in per-event mode. Delivers the notifications of each
 * worker for the others, packs those for other processes, and records the first failure in the
 * order of workers. */
void asim_window_merge(struct asim_fabric *fabric);

#endif
