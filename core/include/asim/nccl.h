/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A collective as the point-to-point flows that NCCL makes of it, in the way of SimAI's MockNccl:
 * channels, rings that cross servers once, PXN, trees, NVLS with the NVSwitch as an endpoint. Only
 * arithmetic: a list of flows and, for each, the flows it waits for.
 */
#ifndef ASIM_NCCL_H
#define ASIM_NCCL_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

ASIM_C_BEGIN

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
    int coll_type;         /* all-reduce, -gather, -to-all, reduce-scatter, broadcast or reduce */
    int algo, proto;       /* enums above */
    uint64_t bytes;        /* the whole buffer: gathered result, scattered input */
    uint32_t ranks, root;  /* members; position of the root of a broadcast or reduce */
    uint32_t base, stride; /* member p is rank base + p * stride; stride 0 = 1 */
    uint32_t gpus_per_server;
    /* Where servers have different numbers of members: the position of the first member of each,
     * and last the number of members, [servers + 1], borrowed. Else NULL and 0. */
    const uint32_t *first;
    uint32_t servers;
    uint32_t channels; /* rings, and heads of trees, at most; 0: as many as GPUs in a server */
    int pxn;           /* 1: PXN where SimAI has it, 2: also in all-gathers */
    int nvls, hopper;  /* 1: NVLS asked for; GPUs are H100 or H800 */
    int apart;         /* 1: members are not adjacent, and the rule chooses no NVLS */
    int by_ranks;      /* 1: no NVSwitch is an endpoint; flows lead between ranks */
    int quickest;      /* 1: what ends first, whatever NCCL takes on a machine */
    int mesh;          /* 1: each two GPUs of a server have links of their own */
    double nv_gbytes, net_gbytes; /* GB/s of a GPU's NVLinks and of a NIC, for ASIM_NCCL_TUNED */
};

struct asim_nccl_flow {
    uint32_t src, dst; /* positions of members; the NVSwitch of server s is ranks + s */
    /* In a tree with NVSwitches chunk 2 k is k on the way up, 2 k + 1 on its way back through the
     * NVSwitch of the head. */
    uint32_t channel, chunk;
    uint64_t bytes, wire_bytes; /* payload; with the flags of the protocol */
    /* parents[first_parent …]: flows that end at src, or left src and are acknowledged. */
    uint32_t first_parent, parents;
};

struct asim_nccl {
    struct asim_nccl_spec spec; /* algo and proto as chosen */
    uint32_t servers, local;    /* local: ranks in each server, or in the smallest */
    uint32_t channels;          /* rings; heads of trees, each with two of them; at most local */
    uint32_t chunks;            /* of a channel of a tree or chain; else 1 */
    struct {
        struct asim_nccl_flow *at;
        size_t n, cap;
    } flows;
    struct {
        uint32_t *at;
        size_t n, cap;
    } parents; /* indices of flows, each below its child's */
};

/* By enum asim_nccl_algo and enum asim_nccl_proto. */
extern ASIM_API const char *const asim_nccl_algo_names[], *const asim_nccl_proto_names[];

/* Fails where members do not lie evenly on servers and no `first` says how, where the algorithm
 * cannot do the collective, when out of memory and above the ceiling. *nccl is the caller's to
 * _fini where it succeeds. */
ASIM_API int asim_nccl_make(struct asim_nccl *nccl, const struct asim_nccl_spec *spec,
                            struct asim_err *err);
ASIM_API void asim_nccl_fini(struct asim_nccl *nccl);

ASIM_C_END
#endif
