/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The algorithms of NCCL (coll/nccl.h) as op graphs: nccl_graph.c compiles them and graph_runner.c
 * runs them. All flows of a collective have one size, and the phase holds this size, so one
 * compiled graph serves every collective of its shape. The world owns the graphs; they are
 * constant.
 */
#ifndef ASIM_SIM_COLLECTIVE_NCCL_GRAPH_H
#define ASIM_SIM_COLLECTIVE_NCCL_GRAPH_H

#include "asim/nccl.h"
#include "sim/collective/op_graph.h"

struct asim_nccl_graph {
    struct asim_nccl_graph *next;
    struct asim_nccl_spec shape;     /* the key: bytes and protocol do not count */
    uint32_t chunks;                 /* of trees: a part of the key */
    struct asim_coll_choice credits; /* replaces op graphs where these would be too large */
    struct asim_op_graph *members;   /* [shape.ranks], or NULL */
};

/* Sets the phase's op graph and bytes of a flow, or the algorithm that replaces them. `word` names
 * an algorithm with flows. 0, or the rank has failed. */
int asim_nccl_graph_compile(struct asim_rank *rank, const struct asim_coll_choice *word,
                            struct asim_phase *phase);

/* Sets the time of the kernels of an all-to-all without flows. 0, or the rank has failed. */
int asim_nccl_graph_time(struct asim_rank *rank, struct asim_phase *phase);

/* The plan of a spec whose members, servers and bytes are known: with ncclAuto its algorithm, too.
 * The same for all members. 0 or ASIM_ENOMEM. (nccl_choice.c) */
int asim_nccl_choice(struct asim_world *world, const struct asim_ring_of *ring,
                     const struct asim_nccl_spec *spec, struct asim_nccl_choice *choice,
                     struct asim_err *err);

/* ns that this network alone takes for the spec's algorithm (of an all-to-all: a message between
 * the ends of the group); below 0 where it cannot be, or the network has no path for it. *way: of
 * the messages that the last piece waits for. */
double asim_nccl_estimate(struct asim_world *world, const struct asim_ring_of *ring,
                          struct asim_nccl_spec spec, double *way);

void asim_nccl_graph_fini(struct asim_world *world);

#endif
