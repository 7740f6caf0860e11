/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What one collective on one rank needs while its chunks are laid out as phases: private to
 * coll_issue.c (whether and how it runs, and its chunks) and coll_phases.c (the phases of a chunk).
 */
#ifndef ASIM_SIM_COLLECTIVE_PHASE_PLAN_H
#define ASIM_SIM_COLLECTIVE_PHASE_PLAN_H

#include "sim/sim.h"

/* Ids of groups that may use op graphs: graph_runner.c has 17 bits of a tag for them. */
enum { ASIM_OP_GRAPH_GROUPS = 0x1ffff };

struct asim_phase_plan {
    struct asim_rank *rank;
    /* A REDUCE_SCATTER_BLOCK uses its own list and does a REDUCE_SCATTER. */
    int list;                        /* enum asim_coll_type whose algorithm list is used */
    int kind;                        /* what is done */
    const struct asim_group *group;  /* NULL: the logical dimensions */
    uint32_t position;               /* in the group */
    uint32_t root;                   /* of rooted kinds: position in the group, or the rank */
    uint32_t involved;               /* bit per dimension */
    uint32_t queue;                  /* of a dimension: 0 = the next in turn, else 1 + its index */
    const struct asim_group *listed; /* the same, even where it is everybody */
    const uint64_t *sizes;           /* all-to-all-v: the op's, one for each member */
    struct asim_op_graph *graph;     /* algorithm given as traces, or NULL */
    uint32_t n_dims;
    struct asim_dims_cursor dims;
};

/* 1 where this rank has anybody to talk to. */
int asim_phase_plan_has_partners(const struct asim_phase_plan *plan);
/* The ranks that take part, this one included. */
uint64_t asim_phase_plan_members(const struct asim_phase_plan *plan);
/* The lowest of them where they are chosen by dimension, else 0. */
uint32_t asim_phase_plan_first(const struct asim_phase_plan *plan);
/* Whether `what`, which has flows of its own, may use the group's tags; else fails the rank. */
int asim_phase_plan_tags_fit(const struct asim_phase_plan *plan, const char *what);
/* Appends the phases of one chunk to the chunk; `bytes` is what a chunk usually has, the result
 * what this one has. */
uint64_t asim_phase_plan_add(struct asim_phase_plan *plan, struct asim_chunk *chunk,
                             uint64_t bytes);
/* The one phase of a chunk of an all-to-all-v. */
void asim_phase_plan_add_sized(const struct asim_phase_plan *plan, struct asim_chunk *chunk);
/* Logical dimensions this kind of collective sees: a "one…" entry swallows the rest. */
uint32_t asim_phase_plan_dims(const struct asim_world *world, int list);
/* 1 for broadcast, reduce, gather, scatter. */
int asim_phase_plan_is_rooted(int kind);

#endif
