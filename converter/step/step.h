/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One training step of a transformer as the graph of each rank: tensor, context, data, pipeline and
 * expert parallelism, ZeRO, and the order of passes of five pipeline schedules. `asim trace llm
 * --schedule=…` writes the ranks as Chakra traces. AICB's rows (llm/) have one stage for all ranks
 * and no overlap; here each rank has its own ops.
 *
 * Ranks: tensor index fastest, then context, data, pipeline stage. Experts fold the ranks of a
 * stage anew: expert-tensor index fastest, then expert, then expert-data (Megatron Core's parallel
 * folding). T = 2 b (s / cp) h bytes is what one activation of a micro-batch weighs.
 */
#ifndef ASIM_CONVERTER_STEP_H
#define ASIM_CONVERTER_STEP_H

#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"
#include "catalogue/kernels.h"
#include "llm/llm.h"

/* Words of --schedule, in its order. */
enum asim_step_schedule {
    ASIM_STEP_ROWS, /* AICB's rows: not a schedule of this folder */
    ASIM_STEP_GPIPE,
    ASIM_STEP_1F1B,
    ASIM_STEP_INTERLEAVED,
    ASIM_STEP_ZB_H1,
    ASIM_STEP_DUALPIPE
};
/* Words of --dispatch. */
enum asim_step_dispatch { ASIM_STEP_NORMAL, ASIM_STEP_LOW_LATENCY, ASIM_STEP_ALL_TO_ALL };

/* --- the order of passes ------------------------------------------------------------------------
 */

enum asim_step_pass_type {
    ASIM_STEP_F,  /* forward */
    ASIM_STEP_BW, /* backward, weight gradients included */
    ASIM_STEP_B,  /* gradients of activations only */
    ASIM_STEP_W   /* gradients of weights only */
};
struct asim_step_pass {
    uint8_t type;
    uint8_t joined; /* overlaps the pass before it */
    uint16_t chunk;
    uint32_t micro;
};
struct asim_step_order {
    ASIM_VEC(struct asim_step_pass) list;
    int failed; /* out of memory */
};

/* --- compute times ------------------------------------------------------------------------------
 */

enum asim_step_part {
    ASIM_STEP_EMBED,
    ASIM_STEP_NORM1,
    ASIM_STEP_QKV,
    ASIM_STEP_CORE, /* attention scores, all context-parallel steps together */
    ASIM_STEP_PROJ,
    ASIM_STEP_NORM2,
    ASIM_STEP_MLP,
    ASIM_STEP_ROUTER, /* router and permutation of tokens */
    ASIM_STEP_SHARED, /* shared experts */
    ASIM_STEP_GATHER, /* weighted sum of what the experts return */
    ASIM_STEP_HEAD,   /* final norm, logits, loss */
    ASIM_STEP_PARTS
};
/* Forward, backward for the activations, and for the weights. */
enum asim_step_phase { ASIM_STEP_FORWARD, ASIM_STEP_DGRAD, ASIM_STEP_WGRAD };
/* ns of a part, and what it computes and moves. */
struct asim_step_time {
    uint64_t forward, dgrad, wgrad;
    double flops, bytes;
};
struct asim_step_times {
    struct asim_step_time part[ASIM_STEP_PARTS];
    double expert_flops_per_token, expert_weight_bytes, expert_bytes_per_token;
    int has_gpu;
    struct asim_gpu_kernels gpu; /* --compute_model or --roofline */
};

/* --- where tokens go ----------------------------------------------------------------------------
 */

/* One MoE layer. Sources are ranks of a stage; members are those of the source's expert group. */
struct asim_step_route {
    uint32_t *rows;    /* [source][member]: (token, expert) pairs */
    uint32_t *copies;  /* [source][member]: tokens with an expert there, each once */
    uint32_t *servers; /* [source][server of the group]: tokens, each once */
    uint64_t dropped;  /* pairs beyond the capacity */
};
struct asim_step_routes {
    struct asim_step_route *at; /* of the MoE layers, in order */
    uint32_t layers, servers;   /* servers of an expert group */
    uint32_t per_server;        /* members of an expert group on one server */
};

/* --- the plan ------------------------------------------------------------------------------------
 */

struct asim_step {
    const struct asim_llm *llm;
    const struct asim_llm_options *opt;
    uint32_t tp, cp, dp, pp, ep, etp, edp, kv_heads;
    uint32_t stage_ranks;      /* tp cp dp */
    uint32_t chunks, virtuals; /* model chunks a rank; virtual stages in all */
    uint32_t micros;           /* micro-batches of a rank, in both directions together */
    uint32_t first_moe;        /* layers before it are dense */
    int gated;                 /* matrices of an MLP's first half: 2 if 1 */
    uint64_t tokens;           /* of a micro-batch and tensor group */
    uint64_t activation;       /* T */
    uint64_t kv_bytes;         /* K and V of a rank's tokens */
    /* parameters of a rank */
    uint64_t p_attention, p_mlp, p_router, p_experts, p_embedding;
    struct asim_step_times times;
    struct asim_step_routes routes;
};

/* What a set of traces holds, summed over the ops of one rank. */
enum asim_step_group {
    ASIM_STEP_TENSOR,
    ASIM_STEP_EXPERT_TENSOR,
    ASIM_STEP_RAIL,    /* expert group: between servers */
    ASIM_STEP_SERVER,  /* expert group: within a server, or all of it */
    ASIM_STEP_GATHERS, /* data group: parameters */
    ASIM_STEP_REDUCES, /* data group: gradients */
    ASIM_STEP_EXPERT_GATHERS,
    ASIM_STEP_EXPERT_REDUCES,
    ASIM_STEP_UPPER, /* DualPipe: the last four again, for the upper stage of a pair */
    ASIM_STEP_BACK = ASIM_STEP_UPPER + 4, /* DualPipe: the first four for backward passes */
    ASIM_STEP_GROUPS = ASIM_STEP_BACK + 4,
    ASIM_STEP_RING = ASIM_STEP_GROUPS, /* sends of context parallelism */
    ASIM_STEP_PIPE,                    /* sends between stages */
    ASIM_STEP_WORLD,                   /* the norm of the gradient */
    ASIM_STEP_KINDS
};
struct asim_step_traffic {
    uint64_t ops[ASIM_STEP_KINDS], bytes[ASIM_STEP_KINDS];
    uint64_t compute_ns, nodes;
};

#endif
