/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One lookahead window: all nodes advance to its end, on one thread or a team.
 */
#ifndef ASIM_FABRIC_PARALLEL_WINDOW_H
#define ASIM_FABRIC_PARALLEL_WINDOW_H

#include "fabric/node.h"

/* Time of the earliest event of any node, ASIM_NEVER: none. Not in per-event mode. */
uint64_t asim_window_next_event(struct asim_fabric *fabric);
/* Advances the nodes of run.half that have events before `until`, the window's end. */
void asim_window_run(struct asim_fabric *fabric, uint64_t until);
/* Call after it, or after an event: delivers what workers made for each other, packs what they made
 * for other processes, and latches the first failure in the order of workers. */
void asim_window_merge(struct asim_fabric *fabric);

#endif
