/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Threads of one process: how many threads advance its part of the packet network, and the rank
 * shards that follow from them.
 */
#ifndef ASIM_SIM_THREADS_H
#define ASIM_SIM_THREADS_H

#include "sim/sim.h"

/* Starts the threads of the packet network and gives each rank the shard of its thread. Call it
 * before the first event, because a rank never changes its shard. */
int asim_threads_connect(struct asim_world *world, struct asim_err *err);

#endif
