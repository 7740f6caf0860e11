/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queues of a rank: which chunk runs when.
 */
#ifndef ASIM_SIM_COLLECTIVE_CHUNK_SCHEDULER_H
#define ASIM_SIM_COLLECTIVE_CHUNK_SCHEDULER_H

#include "sim/sim.h"

/* Moves a chunk into its next phase, or ends it (system-layer.md#queues-and-active-chunks). */
void asim_chunk_advance(struct asim_rank *rank, struct asim_chunk *chunk);
/* One chunk less of the collective; the last one ends it. */
void asim_chunk_scheduler_ended(struct asim_rank *rank, struct asim_coll_op *coll);

#endif
