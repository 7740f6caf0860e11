/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The windows common to several processes: a grid [kW, (k+1)W), W being the smallest time in which
 * one process can act on another, or a little less (asim_exchange_lookahead). Inside the grid's
 * windows a process may step in shorter windows of its own, or event by event.
 */
#ifndef ASIM_FABRIC_PROCESSES_GRID_H
#define ASIM_FABRIC_PROCESSES_GRID_H

#include <stdint.h>
#include "asim/err.h"

struct asim_fabric;

/* Whether this process may take half-steps: depends on settings, and on watchers of frames. */
int asim_grid_may_use_half_steps(const struct asim_fabric *fabric);
/* Half-steps from now on, in all processes or none; before the first event. Window k advances the
 * hosts' half where k is even, else the switches' half, from (k-1)W to (k+1)W. */
void asim_grid_use_half_steps(struct asim_fabric *fabric);
/* The start of the first window in which this process knows of an event, ns; ASIM_NEVER: none. */
uint64_t asim_grid_next(struct asim_fabric *fabric);
/* The end of the window in which the time `now` lies, ns: k+1 times W, or earlier where the
 * processes look for a livelock (livelock.h); `now` itself where a half must catch up first. Call
 * it when the buffers of the window before have been unpacked. */
uint64_t asim_grid_window_end(struct asim_fabric *fabric, uint64_t now);
/* The start of the window behind the one that has ended at `end`; next: the earliest asim_grid_next
 * of all processes, as it was when they packed. ASIM_NEVER: nothing is left. Call it once, when the
 * buffers have been unpacked: the processes may skip periods (memo/period/common_period.c). */
uint64_t asim_grid_window_begin(struct asim_fabric *fabric, uint64_t end, uint64_t next);
/* Advances to until_ns: the end of a window, or without half-steps any time inside one. All buffers
 * of earlier windows have been unpacked. 0 or the failure's code. */
int asim_grid_advance(struct asim_fabric *fabric, uint64_t until_ns, struct asim_err *err);

#endif
