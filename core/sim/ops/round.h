/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rounds of a rank: how often it goes through its trace (job->repeat), and what it exchanges with
 * storage hosts before and after each (sections "loading" and "checkpoints" of a scenario).
 */
#ifndef ASIM_SIM_OPS_ROUND_H
#define ASIM_SIM_OPS_ROUND_H

#include "sim/sim.h"

/* Resolves the storage hosts of the scenario; the topology is complete. */
int asim_round_open(struct asim_world *world, struct asim_err *err);
/* The start of a rank: it reads its first data. Returns 1 where its first ops may be issued at
 * once. */
int asim_round_first(struct asim_rank *rank);
/* All ops of the trace are finished. Returns 1 where the next round begins at once; else it begins
 * later, or the rank has gone through its last round (rank->rounds). */
int asim_round_ended(struct asim_rank *rank);
/* A write or read that the rank waits for has ended. Returns 1 where its ops may be issued. */
int asim_round_go(struct asim_rank *rank);
/* Whether nothing holds the rank back: no write or read that it waits for is under way. */
static inline int asim_round_is_open(const struct asim_rank *rank)
{
    return !rank->storage_waits;
}
/* A storage host gets a request or the data of a checkpoint. */
void asim_storage_arrived(struct asim_world *world, const struct asim_msg *msg);

#endif
