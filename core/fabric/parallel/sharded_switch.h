/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Switches shared by the workers that have their hosts: a frame need not go to the core that has
 * the switch and back, when it goes from one of a worker's hosts to another. Every worker has a
 * shard there (switch_shard.h) with the ports of its own hosts. A window is then three rounds of
 * the team in place of one, with what is the whole switch's in between.
 */
#ifndef ASIM_FABRIC_PARALLEL_SHARDED_SWITCH_H
#define ASIM_FABRIC_PARALLEL_SHARDED_SWITCH_H

#include "fabric/node.h"

/* Shares switches that join hosts alone, each by one link, so that there is no choice of ways to
 * remember. 0 or ASIM_ENOMEM. They are no longer among the workers' nodes. */
int asim_sharded_switches_open(struct asim_fabric *fabric);
/* Gives them back to the workers that have them, before the first frame: where queues are watched,
 * for the watcher hears of a switch from one worker. 0 or ASIM_ENOMEM. */
int asim_sharded_switches_close(struct asim_fabric *fabric);
static inline int asim_is_sharded(const struct asim_fabric *fabric, uint32_t v)
{
    return v >= fabric->set.hosts && fabric->sw[v - fabric->set.hosts].n_shards > 1;
}

/* A window begins: worker->until is set in all workers. */
void asim_sharded_switches_begin(struct asim_fabric *fabric);
/* The first round: what a worker's shards do, beside its nodes' turns. */
void asim_sharded_switches_distribute(struct asim_fabric *fabric, struct asim_worker *worker);
/* The other rounds, with asim_worker_end in the last; nothing where no shared switch is due.
 * together: by the team, else the caller takes all steps. */
void asim_sharded_switches_end(struct asim_fabric *fabric, int together);

#endif
