/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Who talks to whom in a collective: arithmetic only, no time, no network, no memory.
 *
 * A plan says what one member of a ring of n does in one phase. It is a list of steps, taken in
 * order and paced by credits. The phase issues `start_credits` at its start, and one more for every
 * arrival: each after the endpoint delay plus, where arrival() says so, the time to reduce that
 * many bytes. A step waits until `credits` are free and `min_arrivals` messages have arrived, takes
 * the credits, and then sends and/or posts a receive. The phase ends when every step is taken and
 * `end_credits` are free again. One engine (sim/collective/coll_run.c) runs every algorithm from
 * its plan: pipelined rings, windowed direct exchanges and trees (system-layer.md#algorithms).
 * Steps are computed on demand, so a plan of n(n-1)/2 steps costs no memory.
 */
#ifndef ASIM_COLL_COLL_H
#define ASIM_COLL_COLL_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/family.h"
#include "conf/conf.h"

#define ASIM_NOBODY UINT32_MAX

/* One phase of a collective as one member sees it. Members are positions 0 … n-1. */
struct asim_coll {
    int coll_type;     /* enum asim_coll_type */
    uint32_t n, index; /* size of the ring and own position in it */
    int step;          /* +1 clockwise, -1 anticlockwise */
    int subgroup;      /* 1 for a communicator group that is not the whole system */
    uint32_t window;   /* direct<W>: outstanding sends; 0 = no limit */
    uint32_t channels; /* rings of NCCL; 0 = as many as the window */
    uint32_t servers;  /* with `first`, as in struct asim_nccl_spec */
    const uint32_t *first;
    /* direct, all-to-all: GPUs of a server; what leaves a server goes first to its GPU at the
     * receiver's place (PXN). 0: straight. */
    uint32_t pxn;
    uint32_t variant; /* double binary tree: 0 = RootMax, 1 = RootMin */
    uint32_t root;    /* rooted collectives */
    uint64_t bytes;   /* input of the phase */
    /* All-to-all-v: bytes to each position, borrowed; NULL = equal sizes. This phase carries part
     * number `share` of `shares` equal parts of each. */
    const uint64_t *sizes;
    uint64_t share, shares;
};

struct asim_coll_algo;
struct asim_nccl_spec;

struct asim_plan {
    struct asim_coll coll;
    const struct asim_coll_algo *algo;
    uint64_t steps; /* how many */
    /* Messages this member receives. The engine ends by credits; tests compare the two. */
    uint64_t arrivals;
    uint64_t msg_bytes; /* the usual message, for algorithms that have one */
    uint64_t out_bytes; /* input of the next phase */
    uint32_t start_credits, end_credits;
    int no_reduction; /* 1 = arrival() is 0 for every arrival, and the engine does not ask */
    uint32_t burst;   /* arrivals per half-cycle of the reduce pattern (private) */
    uint64_t cycle;   /* private */
};

/* recv_bytes where only the sender knows: the one message of its chunk from there. */
#define ASIM_ANY_BYTES UINT64_MAX

/* One send and/or one receive; sizes in bytes of payload. */
struct asim_coll_step {
    uint32_t to, from; /* positions; ASIM_NOBODY = no send / no receive */
    uint64_t send_bytes, recv_bytes;
    uint64_t min_arrivals; /* messages that must have arrived before the step */
    uint32_t credits;      /* number of credits that the step takes */
};

/* Family coll/algo: row symbols asim_coll_algo_<file>, table asim_coll_algo_table. The published
 * spelling (halvingDoubling) is the member's name. */
struct asim_coll_algo {
    struct asim_member member;
    unsigned coll_types;     /* bit per enum asim_coll_type */
    int identical_steps;     /* 1 = all steps of a plan are equal */
    int keeps_size;          /* 1 = output and input have the same size, for every type */
    int subgroup_pays_delay; /* 1 = the endpoint delay counts in sub-groups, too
                                (system-layer.md#endpoint-delay-and-reduction) */
    /* 0, or the sentence for a number of members the algorithm cannot do. Fills *plan from
     * plan->coll. */
    int (*plan)(struct asim_plan *plan, struct asim_err *err);
    void (*step)(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step);
    /* Bytes to reduce before the credit of arrival i (0-based) is free; 0 = none. */
    uint64_t (*arrival)(const struct asim_plan *plan, uint64_t i);
    /* The first arrival behind i whose arrival() may differ from that of i. NULL: i + 1. */
    uint64_t (*constant_until)(const struct asim_plan *plan, uint64_t i);
    /* The collective runs as NCCL-like flows (coll/nccl.h), instead of or beside the hooks above.
     * The hook completes a spec that has type, bytes, ranks and GPUs per server. Rows with flows
     * only have NULL for the hooks above. */
    void (*flows)(struct asim_nccl_spec *spec);
    /* With flows: 1 = flows may begin and end at NVSwitches, 2 = users of the name expect it. */
    int nvswitch;
};
extern const struct asim_member *const asim_coll_algo_table[];

/* An entry of an "<type>-implementation" list, resolved. */
struct asim_coll_choice {
    const struct asim_coll_algo *algo;
    int one;                    /* "one…": a single ring over all ranks replaces the dimensions */
    uint32_t window;            /* direct<W>; GPUs of a server for algorithms with flows */
    uint32_t channels, servers; /* as in struct asim_coll */
    const uint32_t *first;
};
/* "ring", "oneDirect4", …; fails with the nearest name and the list. */
int asim_coll_choose(struct asim_coll_choice *choice, const char *word, struct asim_err *err);

/* 0, or the sentence for a type the algorithm cannot do. */
int asim_coll_can(const struct asim_coll_algo *algo, int coll_type, struct asim_err *err);

/* Fills the plan for coll with algo; refuses a type the algorithm cannot do. */
int asim_coll_plan(struct asim_plan *plan, const struct asim_coll_algo *algo,
                   const struct asim_coll *coll, struct asim_err *err);

/* Position `by` places on from `index` in a ring of n, in the direction of step. */
uint32_t asim_coll_peer(const struct asim_coll *coll, uint64_t by);

/* Output of a phase of that type: input of the next one. */
uint64_t asim_coll_out_bytes(const struct asim_coll_algo *algo, int coll_type, uint64_t bytes,
                             uint32_t n);

/* Start-up check of both families of this folder. */
int asim_coll_check(struct asim_err *err);

#endif
