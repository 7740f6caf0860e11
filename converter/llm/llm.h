/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workloads of transformer training as AICB writes them for SimAI (simai.md#workload-generation):
 * from a model and its parallelism to parameter counts, to compute times, to rows, to text. Read in
 * the order model.c, times.c, rows.c, write.c.
 *
 * Two sets of formulas. `aicb` gives AICB's text, faults included. `right` mends what is wrong in
 * it; README.md sets the two side by side.
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
    int sp, swiglu, flash, recompute, moe, grouped_gemm, bias, aiob, right;
    /* DeepSeek */
    uint64_t dense_layers, shared_experts, qk_rope, qk_nope, q_lora, kv_lora, v_head;
    double efficiency;
    /* AICB's flags that leave no trace in its text. */
    char *dtype, *activation;
    double unused;
    int unused_switch;
    /* micro tests */
    char *test_comm;
    uint64_t begin_size, end_size;
    unsigned given; /* bits below, of what stands on the command line */
};
enum { ASIM_LLM_TOPK = 1, ASIM_LLM_DENSE = 2, ASIM_LLM_SHARED = 4, ASIM_LLM_BATCH = 8 };
/* Before the command line is parsed: which of those it gives, if only their defaults. */
void asim_llm_note_given(struct asim_llm_options *opt, int argc, char **argv);
extern const struct asim_option asim_llm_option_table[];

struct asim_llm { /* the options with everything derived */
    const struct asim_llm_options *opt;
    int deepseek;
    uint64_t dp, ga, stage_layers, padded_vocab, ffn;
    uint64_t tokens_bytes; /* T = 2 b s h */
    /* elements per GPU */
    uint64_t p_embedding, p_attention, p_norm, p_mlp, p_moe, p_final;
    uint64_t params_total, params_moe;
};

/* Micro tests instead of a model: frame collective_test (micro.c). */
int asim_llm_is_micro(const struct asim_llm_options *opt);
int asim_llm_micro(const struct asim_llm_options *opt, const char *path, uint32_t *rows,
                   struct asim_err *err);

/* Preset sizes of opt->model, for what the command line did not give. */
int asim_llm_preset(struct asim_llm_options *opt, struct asim_err *err);
/* After the preset: a global batch nobody gave becomes one micro-batch for each data-parallel rank
 * where it would be less. 1 where it did. */
int asim_llm_fit_batch(struct asim_llm_options *opt);
/* Checks and derives; fails where something does not divide. */
int asim_llm_derive(struct asim_llm *llm, const struct asim_llm_options *opt, struct asim_err *err);

/* Compute times of the parts of a micro-batch, ns. */
struct asim_llm_section {
    char name[48];
    double min_us, avg_us, max_us;
};
struct asim_llm_times {
    int known; /* 0: every part takes 1 ns */
    ASIM_VEC(struct asim_llm_section) sections;
    uint64_t attention, mlp, embedding, grad_forward, grad_backward;
    uint64_t missing; /* parts the file says nothing about */
};
/* From opt->comp_file, opt->roofline, or neither. */
int asim_llm_times_open(struct asim_llm_times *times, const struct asim_llm *llm,
                        struct asim_err *err);
/* ns of the section of that name; 1 (and counted as missing) where there is none. */
uint64_t asim_llm_time_of(struct asim_llm_times *times, const char *name);
void asim_llm_times_close(struct asim_llm_times *times);

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
int asim_llm_rows_make(struct asim_llm_rows *rows, const struct asim_llm *llm,
                       struct asim_llm_times *times, struct asim_err *err);

/* SimAI text. path NULL: the name AICB gives, which *name receives (size bytes). */
int asim_llm_write(const struct asim_llm *llm, const struct asim_llm_rows *rows, const char *path,
                   struct asim_err *err);
void asim_llm_file_name(const struct asim_llm *llm, char *name, size_t size);

/* Every rank of a workload file (SimAI text, or any trace) as PREFIX.<rank>.et. *ranks receives
 * how many. */
int asim_llm_to_et(const char *workload, const char *prefix, uint32_t *ranks, struct asim_err *err);

#endif
