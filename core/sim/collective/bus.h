/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The door of the LogGP bus, for coll_run.c. See bus.c.
 *
 * Only coll_run.c and clock.c use it: the first hands credits over, the second brings back the
 * bus's own steps.
 */
#ifndef ASIM_SIM_COLLECTIVE_BUS_H
#define ASIM_SIM_COLLECTIVE_BUS_H

#include "sim/sim.h"

struct asim_bus_transfer {
    uint64_t bytes;        /* what crosses the bus */
    uint64_t reduce_bytes; /* what is reduced there; 0 = nothing */
    int from_npu;          /* else from the memory agent */
    int back;              /* send-back: once more across after it has arrived */
};
/* Ends in asim_chunk_credit, as a plain endpoint delay does. */
void asim_bus_start(struct asim_rank *rank, struct asim_chunk *chunk,
                    const struct asim_bus_transfer *transfer);

/* A bus for each rank where the system configuration asks for them. */
int asim_bus_setup(struct asim_world *world, struct asim_err *err);
/* A step of the bus is due. */
void asim_bus_step(struct asim_rank *rank, const struct asim_rank_event *event);

#endif
