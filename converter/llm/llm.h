/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workloads of transformer training as AICB writes them for SimAI (simai.md#workload-generation):
 * from a model and its parallelism to parameter counts, compute times, rows and text. Read model.c,
 * times.c, rows.c, write.c in this order.
 *
 * With --schedule the options describe a step that the folder step/ writes.
 *
 * There are two sets of formulas. `aicb` gives AICB's text, faults included. `right` corrects the
 * faults; README.md compares the two.
 */
#ifndef ASIM_CONVERTER_LLM_H
#define ASIM_CONVERTER_LLM_H

#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/option.h"
#include "base/mem.h"

struct asim_llm_options {
    char *model, *frame, *gpu_type, *model_name, *comp_file, *database, *roofline, *output, *et;
    char *compute_model, *kernels;
    uint32_t world, tp, pp, ep, experts, topk, global_batch, micro_batch, layers, heads;
    uint64_t seq, hidden, ffn, vocab, vocab_unit;
    int sp, swiglu, flash, recompute, moe, grouped_gemm, bias, aiob, right, force;
    /* DeepSeek */
    uint64_t dense_layers, shared_experts, qk_rope, qk_nope, q_lora, kv_lora, v_head;
    double efficiency, host_us;
    uint32_t kv_heads, head_size;
    int precision, recompute_how, gradient_16bit, optimizer; /* places in their lists of words */
    /* --schedule: a step with the ops of each rank (step/) */
    int schedule, zero, overlap_gradients, dispatch, dispatch_fp8;
    uint32_t cp, etp, virtual_stages, prefetch, gpus_per_server, dispatch_chunks;
    uint32_t router_groups, router_topk_groups;
    uint64_t dense_ffn, seed;
    char *distribution;
    double capacity_factor;
    /* AICB's flags without effect on the text. */
    char *dtype, *activation;
    double unused;
    int unused_switch;
    /* micro tests */
    char *test_comm;
    uint64_t begin_size, end_size;
    unsigned given; /* a bit for each option that options.c looks for on the command line */
};
enum { ASIM_LLM_16BIT, ASIM_LLM_TF32, ASIM_LLM_32BIT };
enum { ASIM_LLM_DISTRIBUTED, ASIM_LLM_REPLICATED, ASIM_LLM_SHARDED };
enum { ASIM_LLM_KEEP, ASIM_LLM_SELECTIVE, ASIM_LLM_FULL };
extern const struct asim_option asim_llm_option_table[];

struct asim_llm { /* the options with all derived values */
    const struct asim_llm_options *opt;
    int deepseek;
    uint64_t dp, ga, stage_layers, padded_vocab, ffn;
    uint64_t q, kv;        /* elements of a token's queries, and of its keys or values */
    uint64_t tokens_bytes; /* T = 2 b s h; 4 b s h in 32 bits */
    /* elements per GPU */
    uint64_t p_embedding, p_attention, p_norm, p_mlp, p_moe, p_final;
    uint64_t params_total, params_moe;
};

/* Compute times of the parts of a micro-batch, ns. */
struct asim_llm_section {
    char name[48];
    double min_us, avg_us, max_us;
};
/* Of one part of a layer: forward, backward for its input and for its weights. */
struct asim_llm_phases {
    uint64_t forward, input, weight;
};
enum asim_llm_part {
    ASIM_LLM_ATTENTION,
    ASIM_LLM_MLP,
    ASIM_LLM_EMBEDDING,
    ASIM_LLM_FINAL,
    ASIM_LLM_PARTS
};
struct asim_llm_times {
    int known;      /* 0: every part takes 1 ns */
    int has_phases; /* parts is filled; else backward takes as long as forward */
    struct asim_llm_phases parts[ASIM_LLM_PARTS];
    int is_assumed; /* nothing was measured on this GPU */
    ASIM_VEC(struct asim_llm_section) sections;
    uint64_t attention, mlp, embedding, grad_forward, grad_backward;
    uint64_t missing; /* parts that the file does not have */
    char misses[256]; /* names of the parts that the database does not have */
};

struct asim_llm_comm {
    const char *type;
    uint64_t bytes;
};
struct asim_llm_row {
    const char *name;
    int starts_layer, ends_layer;
    uint64_t compute_ns[3]; /* forward, input gradient, weight gradient */
    struct asim_llm_comm comm[3];
};
struct asim_llm_rows {
    ASIM_VEC(struct asim_llm_row) list;
    int failed; /* out of memory */
};

#endif
