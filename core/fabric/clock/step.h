/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The clock of the packet network. It is the caller's: ns-3, or asim_fabric_run, calls
 * asim_fabric_step.
 */
#ifndef ASIM_FABRIC_CLOCK_STEP_H
#define ASIM_FABRIC_CLOCK_STEP_H

#include <stdint.h>

struct asim_err;
struct asim_fabric;

/* Advances the nodes on n threads; thread of[v] modulo n advances node v and calls all hooks about
 * it. Call it before the first event. It does nothing for n = 1 and in per-event mode. */
int asim_fabric_threads(struct asim_fabric *fabric, uint32_t n, const uint32_t *of,
                        struct asim_err *err);
/* The threads there are, and whose each node is (NULL: of the one). */
const uint16_t *asim_fabric_worker_of(const struct asim_fabric *fabric, uint32_t *n);

/* Smallest link delay: no node can act on another sooner. */
uint64_t asim_fabric_window(const struct asim_fabric *fabric);
/* Time of the earliest event anywhere, ASIM_NEVER if there is none. */
uint64_t asim_fabric_next(struct asim_fabric *fabric);
/* Whether no node has anything left to do; planned link events do not count. */
int asim_fabric_is_quiet(struct asim_fabric *fabric);
/* Advances every node over one window that begins at asim_fabric_next; returns the new next. On
 * failure *err is filled and ASIM_NEVER returned. */
uint64_t asim_fabric_step(struct asim_fabric *fabric, struct asim_err *err);
/* Steps until nothing is left or user.done(). */
int asim_fabric_run(struct asim_fabric *fabric, struct asim_err *err);

/* As asim_fabric_next, in ticks. */
uint64_t asim_fabric_next_tick(struct asim_fabric *fabric);
/* Advances one half over a window of two delays that ends at `until`; the other half has reached
 * its middle. 0 or the failure's code. */
int asim_fabric_advance_half(struct asim_fabric *fabric, int half, uint64_t until,
                             struct asim_err *err);
/* Advances all nodes to `until`, window by window, without telling the user or ranks: the memo
 * simulates an episode again. */
void asim_fabric_advance_silently(struct asim_fabric *fabric, uint64_t until);

#endif
