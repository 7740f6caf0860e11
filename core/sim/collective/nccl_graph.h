/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL-like algorithms (coll/nccl.h) as op graphs: what nccl_graph.c makes and graph_runner.c runs.
 * One program serves every collective of its shape, whatever the size, since all flows of a
 * collective are equally large; the size of a flow is the phase's. Owned by the world, const once
 * made.
 */
#ifndef ASIM_SIM_COLLECTIVE_NCCL_GRAPH_H
#define ASIM_SIM_COLLECTIVE_NCCL_GRAPH_H

#include "coll/nccl.h"
#include "sim/collective/op_graph.h"

struct asim_nccl_graph {
    struct asim_nccl_graph *next;
    struct asim_nccl_spec shape;     /* what tells one from another */
    struct asim_coll_choice credits; /* instead of op graphs: a ring too large for them */
    struct asim_op_graph *members;   /* [shape.ranks], or NULL */
};

/* Gives the phase its op graph and the bytes of a flow, or the plan that stands for them. `word` is
 * an algorithm with flows. 0, or the rank has failed. */
int asim_nccl_graph_compile(struct asim_rank *rank, const struct asim_coll_choice *word,
                            struct asim_phase *phase);

void asim_nccl_graph_fini(struct asim_world *world);

#endif
