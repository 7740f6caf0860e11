/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What exchange_done of an observer (asim/observe.h) is told.
 */
#ifndef ASIM_API_EXCHANGE_H
#define ASIM_API_EXCHANGE_H

#include "asim/observe.h"
#include "sim/sim.h"

/* Adds an observer that calls exchange_done of the given one, which is not kept. ASIM_EINVAL in a
 * run of several processes. */
int asim_exchange_observe(struct asim_world *world, const struct asim_observer *observer,
                          struct asim_err *err);

#endif
