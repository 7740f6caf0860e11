/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The LogGP bus of a rank. coll_run.c hands credits over, and wake.c brings back the steps of the
 * bus.
 */
#ifndef ASIM_SIM_COLLECTIVE_BUS_H
#define ASIM_SIM_COLLECTIVE_BUS_H

#include "sim/sim.h"

struct asim_bus_transfer {
    uint64_t bytes;        /* bytes that cross the bus */
    uint64_t reduce_bytes; /* bytes to reduce; 0: no reduction */
    int from_npu;          /* else from the memory agent */
    int back;              /* crosses the bus once more after it has arrived */
};
/* Ends in asim_chunk_credit, as the endpoint delay does. */
void asim_bus_start(struct asim_rank *rank, struct asim_chunk *chunk,
                    const struct asim_bus_transfer *transfer);

/* Makes a bus for each rank where the system configuration asks for buses. */
int asim_bus_setup(struct asim_world *world, struct asim_err *err);
/* Runs a step of the bus. */
void asim_bus_step(struct asim_rank *rank, const struct asim_rank_event *event);

#endif
