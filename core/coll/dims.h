/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Dimension orders: in which order the phases of a chunk visit the logical dimensions
 * ("inter-dimension-scheduling", system-layer.md#dimension-orders). A member is a pure function of
 * the collective and of the chunk's number in it, never of the time or of other collectives: every
 * rank of the collective must come to the same answer on its own, or the ranks wait for each other
 * for ever. ASTRA-sim's code differs: it keeps its loads on rank 0 and resets them by the clock,
 * and no configuration of it can reach that code.
 */
#ifndef ASIM_COLL_DIMS_H
#define ASIM_COLL_DIMS_H

#include <stdint.h>
#include "asim/ext/family.h"
#include "conf/conf.h"

struct asim_dims_context { /* const over one collective */
    const void *options;   /* the struct of member.options, NULL where the member has none */
    int coll_type;         /* enum asim_coll_type */
    /* Logical dimensions; dimension 0 is the innermost. */
    uint32_t n;
    uint32_t size[ASIM_DIMS];
    double bw[ASIM_DIMS]; /* relative to dimension 0; all 1 without needs_bandwidth */
    uint32_t active;      /* bit d: more than one member, and involved */
};

struct asim_dims_cursor { /* zero at the start of a collective */
    uint64_t chunk;       /* its number in the collective */
    uint64_t left;        /* bytes not yet scheduled, this chunk included */
    double load[ASIM_DIMS];
};

struct asim_dims_choice {
    uint32_t order[ASIM_DIMS]; /* a permutation of 0 … n-1 */
    uint64_t bytes;            /* of the chunk: in, the usual size; out, the size to use */
};

/* Family coll/dims: row symbols asim_coll_dims_<file>, table asim_coll_dims_table. */
struct asim_coll_dims {
    struct asim_member member;
    const char *alias; /* a second published spelling, or NULL */
    /* 1: an all-reduce is reduce-scatters over all dimensions and all-gathers back, instead of
     * having an all-reduce in the middle. */
    int scatters_all;
    int needs_bandwidth; /* 1: set-up measures context->bw */
    void (*order)(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                  struct asim_dims_choice *choice);
};
extern const struct asim_member *const asim_coll_dims_table[];

/* The order a run uses. */
struct asim_dims_order {
    const struct asim_coll_dims *row;
    void *options;
};
/* text: NAME or NAME,key=value,…; an unknown name fails with the nearest one and the list. */
int asim_dims_order_open(struct asim_dims_order *order, const char *text, struct asim_err *err);
/* Safe on a zeroed struct. */
void asim_dims_order_close(struct asim_dims_order *order);
/* 0 … n-1, reversed for an all-gather. */
void asim_coll_dims_natural(const struct asim_dims_context *context,
                            struct asim_dims_choice *choice);

#endif
