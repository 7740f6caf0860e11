/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Switches that several workers share. Each of these workers has a shard (switch_shard.h) with the
 * ports of its own hosts, so a frame between two of its hosts stays on its core. A window with work
 * for such a switch takes three epochs of the team instead of one; between them the caller does
 * what concerns the whole switch.
 */
#ifndef ASIM_FABRIC_CLOCK_SHARDED_SWITCH_H
#define ASIM_FABRIC_CLOCK_SHARDED_SWITCH_H

#include <stdint.h>
#include "fabric/ground/ground.h"
#include "fabric/switch/switch.h"

/* Shards every large switch that joins hosts of several workers and nothing else, each by one link:
 * such a switch never chooses among paths. Its worker no longer has it among its nodes. 0 or
 * ASIM_ENOMEM. */
int asim_sharded_switches_open(struct asim_fabric *fabric);
/* Gives the switches back to their workers, before the first frame: a watcher of queues hears of a
 * switch from one worker only. 0 or ASIM_ENOMEM. */
int asim_sharded_switches_close(struct asim_fabric *fabric);
static inline int asim_is_sharded(const struct asim_fabric *fabric, uint32_t v)
{
    return v >= fabric->set.hosts && fabric->sw[v - fabric->set.hosts].n_shards > 1;
}

/* The start of a window, with run.until set: finds the sharded switches that have work. */
void asim_sharded_switches_begin(struct asim_fabric *fabric);
/* First epoch, for each worker: its shards distribute arrivals over egress ports. */
void asim_sharded_switches_distribute(struct asim_fabric *fabric, struct asim_worker *worker);
/* The other two epochs, with asim_worker_end in the last; does nothing where no sharded switch has
 * work. together: on the team, else on the caller. */
void asim_sharded_switches_end(struct asim_fabric *fabric, int together);

#endif
