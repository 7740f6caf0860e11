/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The engine of collectives: walks the steps of a chunk's phase as credits and messages arrive.
 */
#ifndef ASIM_SIM_COLLECTIVE_COLL_RUN_H
#define ASIM_SIM_COLLECTIVE_COLL_RUN_H

#include "sim/sim.h"

/* Makes the plan of the chunk's present phase and starts the phase. This and the next return the
 * chunk if its phase is over, for asim_chunk_advance, else NULL. */
struct asim_chunk *asim_chunk_start_phase(struct asim_rank *rank, struct asim_chunk *chunk);
/* The endpoint delay of a credit is over; bytes: to be reduced first, 0 = none. */
struct asim_chunk *asim_chunk_credit(struct asim_rank *rank, struct asim_chunk *chunk,
                                     uint64_t bytes);
/* The kernel of the phase begins to move data, or has taken its least time. */
struct asim_chunk *asim_chunk_kernel(struct asim_rank *rank, struct asim_chunk *chunk);
/* 1 if the phase is over but its kernel is not: asim_chunk_kernel follows. */
int asim_chunk_is_held(struct asim_rank *rank, struct asim_chunk *chunk);
/* The next message of the phase has arrived. */
void asim_chunk_arrival(struct asim_rank *rank, struct asim_chunk *chunk);

#endif
