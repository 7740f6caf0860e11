/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The phase plan of one collective on one rank, private to coll_issue.c (members, chunks) and
 * phase_plan.c (the phases of a chunk).
 */
#ifndef ASIM_SIM_COLLECTIVE_PHASE_PLAN_H
#define ASIM_SIM_COLLECTIVE_PHASE_PLAN_H

#include "sim/sim.h"

struct asim_phase_plan {
    struct asim_rank *rank;
    /* A REDUCE_SCATTER_BLOCK uses its own list and does a REDUCE_SCATTER. */
    int list;                       /* enum asim_coll_type: selects the list of algorithms */
    int kind;                       /* enum asim_coll_type: the operation */
    const struct asim_group *group; /* NULL: the logical dimensions */
    uint32_t position;              /* in the group */
    uint32_t root;                  /* of rooted kinds: position in the group, or rank in the job */
    uint32_t involved;              /* bit per dimension */
    uint32_t queue;                 /* 0 = the next queue in turn; else 1 + an index */
    const struct asim_group *listed; /* the op's group; also set where it has all ranks */
    const uint64_t *sizes;           /* all-to-all-v: a size for each member, the op's */
    struct asim_op_graph *graph;     /* an algorithm given as traces, or NULL */
    uint32_t n_dims;
    struct asim_dims_cursor dims;
};

/* 1 where this rank has another rank to exchange data with. */
int asim_phase_plan_has_partners(const struct asim_phase_plan *plan);
/* The number of ranks that take part, this one included. */
uint64_t asim_phase_plan_members(const struct asim_phase_plan *plan);
/* The lowest of these ranks where the dimensions choose them; else rank 0 of the job. */
uint32_t asim_phase_plan_first(const struct asim_phase_plan *plan);
/* Whether `what`, an algorithm with flows, may use tags of the group; else fails the rank. */
int asim_phase_plan_tags_fit(const struct asim_phase_plan *plan, const char *what);
/* All members as one ring: of the group, or where it is NULL of the job. */
struct asim_ring_of asim_phase_plan_all(const struct asim_phase_plan *plan,
                                        const struct asim_group *group);
/* Appends the phases of one chunk. `bytes`: the normal size of a chunk; returns the size of this
 * one. */
uint64_t asim_phase_plan_add(struct asim_phase_plan *plan, struct asim_chunk *chunk,
                             uint64_t bytes);
/* Appends the one phase of a chunk of an all-to-all-v. */
void asim_phase_plan_add_sized(const struct asim_phase_plan *plan, struct asim_chunk *chunk);
/* The number of logical dimensions, of n_dims, for this kind: a "one…" algorithm takes all
 * dimensions after it. */
uint32_t asim_phase_plan_dims(const struct asim_world *world, uint32_t n_dims, int list);
/* 1 for broadcast, reduce, gather, scatter. */
int asim_phase_plan_is_rooted(int kind);

#endif
