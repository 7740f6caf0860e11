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

/* --- the order of passes ---------------------------------------------------------------------- */

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

/* --- compute times ---------------------------------------------------------------------------- */

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
    int has_gpu;
    struct asim_gpu_kernels gpu; /* --compute_model or --roofline */
};

/* --- where tokens go -------------------------------------------------------------------------- */

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
    uint32_t recorded;          /* ranks of a matrix, which the others repeat; 0 = all, or none */
};

/* --- the plan --------------------------------------------------------------------------------- */

struct asim_step {
    const struct asim_llm *llm;
    const struct asim_llm_options *opt;
    uint32_t tp, cp, dp, pp, ep, etp, edp, kv_heads;
    uint32_t stage_ranks;      /* tp cp dp */
    uint32_t chunks, virtuals; /* model chunks a rank; virtual stages in all */
    uint32_t micros;           /* micro-batches of a rank, in both directions together */
    uint32_t layers;           /* with those that predict further tokens */
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

/* Checks the options and derives sizes and parameters; times and routes stay empty. */
int asim_step_plan(struct asim_step *step, const struct asim_llm *llm, struct asim_err *err);

/* Coordinates of a rank. */
struct asim_step_place {
    uint32_t rank, stage, local; /* local: rank within its stage */
    uint32_t tensor, context, data;
    uint32_t expert_tensor, expert, expert_data;
};
struct asim_step_place asim_step_place_of(const struct asim_step *step, uint32_t rank);

/* The virtual stage that chunk `chunk` of a stage is, and back. */
uint32_t asim_step_virtual(const struct asim_step *step, uint32_t stage, uint32_t chunk);
uint32_t asim_step_stage(const struct asim_step *step, uint32_t virtual_stage, uint32_t chunk);
/* First layer of a virtual stage; virtuals gives the number of layers. */
uint32_t asim_step_first_layer(const struct asim_step *step, uint32_t virtual_stage);
/* Number of MoE layers before layer `layer`. */
uint32_t asim_step_moe_before(const struct asim_step *step, uint32_t layer);
int asim_step_is_moe(const struct asim_step *step, uint32_t layer);

/* Parameters of a layer or of a virtual stage's ends, of a rank: dense ones, and those of experts.
 */
struct asim_step_params {
    uint64_t dense, experts;
};
struct asim_step_params asim_step_layer_params(const struct asim_step *step, uint32_t layer);

/* Fills the order of a stage; the caller frees order->list.at. */
int asim_step_order_make(struct asim_step_order *order, const struct asim_step *step,
                         uint32_t stage, struct asim_err *err);

/* For the schedules: appends one pass. */
static inline void asim_step_order_add(struct asim_step_order *order, struct asim_step_pass pass)
{
    if (order->failed || ASIM_VEC_PUSH(order->list, pass))
        order->failed = 1;
}

/* DualPipe's order (dualpipe.c). */
void asim_step_order_dualpipe(struct asim_step_order *order, const struct asim_step *step,
                              uint32_t stage);

/* Fills step->times. measured: sections of a database or of AIOB's file, which replace the roofline
 * for kernels of their names. */
int asim_step_kernels(struct asim_step *step, const struct asim_llm_times *measured,
                      struct asim_err *err);
/* ns of the experts' kernels in a phase, for so many (token, expert) pairs of a rank. */
uint64_t asim_step_expert_ns(const struct asim_step *step, uint64_t pairs, int phase);
/* ns of the optimizer for so many parameters. */
uint64_t asim_step_optimizer_ns(const struct asim_step *step, uint64_t params);

/* Fills step->routes from the options' distribution; nothing without experts. Close it in any case.
 */
int asim_step_routes_make(struct asim_step *step, struct asim_err *err);
void asim_step_routes_close(struct asim_step *step);

/* The rank within its stage of member `member` of the expert group of `local`. */
uint32_t asim_step_member(const struct asim_step *step, uint32_t local, uint32_t member);

/* A recorded matrix (recorded.c): for each MoE layer and each source rank of a stage, tokens to
 * each expert. The caller frees `counts`: layers x sources x experts. Sets routes.recorded. */
int asim_step_recorded(struct asim_step *step, const char *path, uint32_t **counts,
                       struct asim_err *err);

/* Least, most and sum over the ranks. */
struct asim_step_summary {
    struct asim_step_traffic least, most, sum;
    /* Of all MoE layers, for one micro-batch: (token, expert) pairs that reach an expert, tokens
     * once for each GPU and each server with one of their experts, the sender's own included; and
     * pairs beyond the experts' capacity. */
    struct asim_step_tokens {
        uint64_t pairs, gpus, servers, dropped;
        uint64_t most_pairs;                    /* to one rank */
        uint64_t dispatch_bytes, combine_bytes; /* of a token */
        uint32_t layers, ranks, recorded;
    } tokens;
};
/* Plans and writes the step of the options; measured may be NULL. */
int asim_step_write(const struct asim_llm *llm, const struct asim_llm_times *measured,
                    struct asim_step_summary *summary, struct asim_err *err);
/* What `asim trace llm` prints about it. */
void asim_step_print(const struct asim_llm *llm, const struct asim_step_summary *summary);

#endif
