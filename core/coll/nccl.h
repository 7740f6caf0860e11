/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A collective as NCCL-like point-to-point flows, the way SimAI's MockNccl makes them
 * (simai.md#collectives): channels, rings that cross servers once, PXN, NVLS with the NVSwitch as
 * an end point; and, which its code has but never chooses, trees. Only arithmetic: a list of flows
 * with what each waits for.
 */
#ifndef ASIM_COLL_NCCL_H
#define ASIM_COLL_NCCL_H

#include "asim/err.h"
#include "base/mem.h"
#include "coll/coll.h"

enum asim_nccl_algo {
    ASIM_NCCL_AUTO,  /* SimAI 1.6's rule: NVLS if asked for and possible, else ring */
    ASIM_NCCL_TUNED, /* the quickest by latency table and size */
    ASIM_NCCL_RING,
    ASIM_NCCL_TREE,
    ASIM_NCCL_NVLS,
    ASIM_NCCL_NVLS_TREE,
    ASIM_NCCL_DIRECT /* all-to-all */
};
enum asim_nccl_proto { ASIM_NCCL_SIMPLE, ASIM_NCCL_LL, ASIM_NCCL_LL128 };

struct asim_nccl_spec {
    int coll_type;         /* ASIM_ALL_REDUCE, _ALL_GATHER, _REDUCE_SCATTER, _ALL_TO_ALL */
    int algo, proto;       /* enums above */
    uint64_t bytes;        /* SimAI's: the gathered result, the scattered input */
    uint32_t ranks;        /* members */
    uint32_t base, stride; /* member p is rank base + p * stride; stride 0 = 1 */
    uint32_t gpus_per_server;
    int pxn, nvls, hopper;        /* hopper: H100 or H800 */
    int apart;                    /* members are no neighbours: SimAI's rule has no NVLS there */
    int by_ranks;                 /* there is no NVSwitch to end at: see the builders */
    double nv_gbytes, net_gbytes; /* for the tuned choice */
};

struct asim_nccl_flow {
    uint32_t src, dst; /* positions; NVSwitch of server s is ranks + s */
    /* Of a tree with NVSwitches, chunk 1 is what a head sends through its own. */
    uint32_t channel, chunk;
    uint64_t bytes, wire_bytes;     /* wire: with the protocol's flags */
    uint32_t first_parent, parents; /* flows that ended at src or, once acknowledged, left it */
};

struct asim_nccl {
    struct asim_nccl_spec spec; /* algo and proto as chosen */
    uint32_t servers, local;    /* L ranks in each server = channels of a ring */
    ASIM_VEC(struct asim_nccl_flow) flows;
    ASIM_VEC(uint32_t) parents; /* indices of flows, each below its child's */
};

extern const char *const asim_nccl_algo_names[], *const asim_nccl_proto_names[];

/* Algorithm and protocol only, no flows: nothing to fini. Fails where members do not lie evenly on
 * servers, or the algorithm cannot do the type. */
int asim_nccl_choose(struct asim_nccl *nccl, const struct asim_nccl_spec *spec,
                     struct asim_err *err);
/* Payload of every flow of the chosen algorithm; 0 where a piece would be empty. */
uint64_t asim_nccl_piece(const struct asim_nccl *nccl);
/* The same on the wire: with the protocol's flags. */
uint64_t asim_nccl_wire(int proto, uint64_t bytes);
/* How many flows a ring, or an all-to-all, has: they grow with the square of the members. */
uint64_t asim_nccl_ring_flows(const struct asim_nccl *nccl);
/* Rings as plans (nccl_plan.c), with PXN or without; windows are the GPUs of a server. */
int asim_nccl_plan(struct asim_plan *plan, int pxn, struct asim_err *err);
void asim_nccl_plan_step(const struct asim_plan *plan, int pxn, uint64_t k, struct asim_step *step);
uint64_t asim_nccl_plan_arrival(const struct asim_plan *plan, uint64_t i);
/* Fails as asim_nccl_choose does, or when out of memory or above the ceiling. */
int asim_nccl_make(struct asim_nccl *nccl, const struct asim_nccl_spec *spec, struct asim_err *err);
void asim_nccl_fini(struct asim_nccl *nccl);

/* --- for the builders (nccl_ring.c, nccl_tree.c) --------------------------------------------- */
#define ASIM_NCCL_NONE UINT32_MAX
/* Appends a flow that waits for `parent` (or NONE); returns its index, or NONE when out of memory
 * or above the ceiling. */
uint32_t asim_nccl_add(struct asim_nccl *nccl, const struct asim_nccl_flow *flow, uint32_t parent);
/* One more flow that the last one added waits for. 0 or ASIM_ENOMEM. */
int asim_nccl_wait(struct asim_nccl *nccl, uint32_t parent);
int asim_nccl_ring(struct asim_nccl *nccl);
int asim_nccl_tree(struct asim_nccl *nccl);
int asim_nccl_nvls(struct asim_nccl *nccl);
int asim_nccl_direct(struct asim_nccl *nccl);
/* The member after p in channel c's ring: rotated order inside a server, then the next server. */
uint32_t asim_nccl_next(uint32_t local, uint32_t servers, uint32_t channel, uint32_t p);

#endif
