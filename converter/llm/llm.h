/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workloads of transformer training as AICB writes them for SimAI (simai.md#workload-generation):
 * from a model and its parallelism to parameter counts, compute times, rows and text. Read model.c,
 * times.c, rows.c, write.c in this order.
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
    char *model, *frame, *gpu_type, *model_name, *comp_file, *roofline, *output, *et;
    uint32_t world, tp, pp, ep, experts, topk, global_batch, micro_batch, layers, heads;
    uint64_t seq, hidden, ffn, vocab, vocab_unit;
    int sp, swiglu, flash, recompute, moe, grouped_gemm, bias, aiob, right, force;
    /* DeepSeek */
    uint64_t dense_layers, shared_experts, qk_rope, qk_nope, q_lora, kv_lora, v_head;
    double efficiency;
    /* AICB's flags without effect on the text. */
    char *dtype, *activation;
    double unused;
    int unused_switch;
    /* micro tests */
    char *test_comm;
    uint64_t begin_size, end_size;
    unsigned given; /* bits below: options on the command line */
};
enum { ASIM_LLM_TOPK = 1, ASIM_LLM_DENSE = 2, ASIM_LLM_SHARED = 4, ASIM_LLM_BATCH = 8 };
extern const struct asim_option asim_llm_option_table[];

struct asim_llm { /* the options with all derived values */
    const struct asim_llm_options *opt;
    int deepseek;
    uint64_t dp, ga, stage_layers, padded_vocab, ffn;
    uint64_t tokens_bytes; /* T = 2 b s h */
    /* elements per GPU */
    uint64_t p_embedding, p_attention, p_norm, p_mlp, p_moe, p_final;
    uint64_t params_total, params_moe;
};

/* Compute times of the parts of a micro-batch, ns. */
struct asim_llm_section {
    char name[48];
    double min_us, avg_us, max_us;
};
struct asim_llm_times {
    int known; /* 0: every part takes 1 ns */
    ASIM_VEC(struct asim_llm_section) sections;
    uint64_t attention, mlp, embedding, grad_forward, grad_backward;
    uint64_t missing; /* parts that the file does not have */
};

struct asim_llm_comm {
    const char *type;
    uint64_t bytes;
};
struct asim_llm_row {
    const char *name;
    uint64_t compute_ns[3]; /* forward, input gradient, weight gradient */
    struct asim_llm_comm comm[3];
};
struct asim_llm_rows {
    ASIM_VEC(struct asim_llm_row) list;
    int failed; /* out of memory */
};

#endif
