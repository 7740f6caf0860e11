/* SPDX-License-Identifier: GPL-2.0-only
 *
 * In which order the phases of a chunk visit the logical dimensions ("inter-dimension-scheduling",
 * spec astra-system.md, section 4.5). A member of the family is a pure function of the collective
 * and of the chunk's number in it, never of the time or of what else a rank has issued: every
 * rank of the collective must come to the same answer on its own, or they wait for each other for
 * ever. That is where these differ from the reference's code, which keeps its loads on rank 0 and
 * resets them by the clock (and which no configuration of it can reach).
 */
#ifndef ASIM_COLL_DIMS_H
#define ASIM_COLL_DIMS_H

#include <stdint.h>
#include "asim/ext/family.h"
#include "conf/conf.h"

struct asim_dims_view { /* const over one collective */
    int kind;           /* enum asim_coll_type */
    /* Logical dimensions; dimension 0 is the innermost. */
    uint32_t n;
    uint32_t size[ASIM_DIMS];
    double bw[ASIM_DIMS]; /* relative to dimension 0 */
    uint32_t active;      /* bit d: more than one member, and involved */
};

struct asim_dims_state { /* zero where a collective begins */
    uint64_t chunk;      /* its number in the collective */
    uint64_t left;       /* bytes still to be laid out, this chunk included */
    double load[ASIM_DIMS];
};

struct asim_dims_pick {
    uint32_t order[ASIM_DIMS]; /* a permutation of 0 … n-1 */
    uint64_t bytes;            /* of the chunk: in, the usual size; out, what to use */
};

/* Family coll/dims: row symbols asim_coll_dims_<file>, table asim_coll_dims_table. */
struct asim_coll_dims {
    struct asim_member member;
    /* 1: an all-reduce is reduce-scatters over all dimensions and all-gathers back, instead of
     * having an all-reduce in the middle. */
    int scatters_all;
    void (*order)(const struct asim_dims_view *view, struct asim_dims_state *state,
                  struct asim_dims_pick *pick);
};
extern const struct asim_member *const asim_coll_dims_table[];

/* The row of enum asim_inter_dim. */
const struct asim_coll_dims *asim_coll_dims_find(int inter_dim, struct asim_err *err);
/* 0 … n-1, reversed for an all-gather. */
void asim_coll_dims_plain(const struct asim_dims_view *view, struct asim_dims_pick *pick);

#endif
