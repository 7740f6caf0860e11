/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The traces of all members of a collective algorithm, checked together at the first use.
 */
#ifndef ASIM_SIM_COLLECTIVE_OP_GRAPH_SET_H
#define ASIM_SIM_COLLECTIVE_OP_GRAPH_SET_H

#include "sim/sim.h"

struct asim_op_graph_set {          /* one for each algorithm and number of members */
    struct asim_op_graph_set *next; /* by prefix, then members */
    const char *prefix;             /* borrowed from the configuration */
    uint32_t members;
    int has_more;        /* there are traces of further members */
    int has_dims;        /* a collective that used the algorithm leaves dimensions out */
    uint64_t bytes;      /* sent by all members together */
    int is_odd;          /* the bytes do not fit a collective that used the algorithm: */
    int kind;            /* of the one with the lowest id, its type, */
    uint64_t op, wanted; /* its id and its comm_size */
};

/* Checks that the algorithm works for so many members: 0, or the rank has failed. Keeps whether its
 * bytes fit the op, for asim_op_graph_set_diagnose. */
int asim_op_graph_set_check(struct asim_rank *rank, const char *prefix, uint32_t members,
                            const struct asim_op *op);
void asim_op_graph_set_diagnose(struct asim_world *world);
void asim_op_graph_set_fini(struct asim_world *world);

#endif
