/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sums over ranks and processes, for progress, notes and reports.
 */
#ifndef ASIM_SIM_DISTRIBUTED_TOTALS_H
#define ASIM_SIM_DISTRIBUTED_TOTALS_H

#include "net/packets.h"
#include "sim/rank/census.h"

struct asim_totals {
    uint32_t ranks_done, stopped; /* stopped: a stop hook said so */
    uint32_t ranks_cut;           /* by the end of the scenario */
    uint64_t ops_done, ops_total, messages;
    /* Of communication ops, as the traces give them; done: with parts of collectives under way. */
    uint64_t bytes_done, bytes_total;
    uint64_t dropped; /* control dependencies on nodes that are not in the traces */
    struct asim_census census;
    uint64_t alone, alone_op;  /* collectives without another member; the id of the first */
    uint32_t alone_rank;       /* 1 + its rank, 0 = none */
    uint32_t idle, first_idle; /* ranks without ops; 1 + the first of them, 0 = none */
    uint64_t last_ns;          /* the last finish, 0 = none */
    uint64_t settled_ns;       /* all ranks have passed this time */
    struct asim_fabric_stats net;
};

/* The totals of this process; of all processes merged here. */
void asim_totals_here(const struct asim_world *world, struct asim_totals *totals);
void asim_totals_all(const struct asim_world *world, struct asim_totals *totals);
void asim_totals_add(struct asim_totals *into, const struct asim_totals *from);

#endif
