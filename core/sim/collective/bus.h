/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The LogGP bus of a rank. coll_run.c hands credits over, and wake.c runs the steps of the bus.
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
void asim_bus_start(struct asim_rank *rank, struct asim_chunk *chunk,
                    const struct asim_bus_transfer *transfer);

/* Makes a bus for each rank where the system configuration asks for buses. */
int asim_bus_setup(struct asim_world *world, struct asim_err *err);

/* A credit of a chunk that has crossed the bus, with the bytes to reduce. */
struct asim_bus_credit {
    struct asim_chunk *chunk;
    uint64_t bytes;
};
/* Runs a step of the bus. 1: a credit is over; the caller takes the chunk on. In either case it
 * calls asim_bus_go_on with the side of the step (event->op) afterwards: what the chunk puts on the
 * bus goes before the next request (system-layer.md#loggp-bus). */
int asim_bus_step(struct asim_rank *rank, const struct asim_rank_event *event,
                  struct asim_bus_credit *over);
void asim_bus_go_on(struct asim_rank *rank, uint32_t side);

#endif
