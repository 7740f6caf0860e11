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

#include "catalogue/kernels.h"
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/option.h"
#include "base/mem.h"

struct asim_llm_options {
    char *model, *frame, *gpu_type, *model_name, *comp_file, *database, *roofline, *gpus_file,
        *output, *et;
    char *compute_model, *kernels, *recompute_modules;
    uint32_t copies; /* of the model; 0: as world says */
    uint32_t world, tp, pp, ep, experts, topk, global_batch, micro_batch, layers, heads;
    uint64_t seq, hidden, ffn, vocab, vocab_unit;
    int sp, swiglu, flash, recompute, moe, grouped_gemm, bias, aiob, right, force, for_astra_sim;
    /* DeepSeek */
    uint64_t dense_layers, shared_experts, qk_rope, qk_nope, q_lora, kv_lora, v_head;
    double efficiency, host_us;
    uint32_t kv_heads, head_size;
    int qk_norm; /* of the model */
    int lacks;   /* AICB's preset has no gates, key-value heads, … that the model has */
    int precision, recompute_how, gradient_16bit, optimizer; /* places in their lists of words */
    /* --schedule: a step with the ops of each rank (step/) */
    int schedule, zero, overlap_gradients, overlap_parameters, dispatch, dispatch_fp8, expert_bias;
    int eager_rope;
    uint32_t cp, etp, virtual_stages, prefetch, gpus_per_server, dispatch_chunks;
    uint32_t first_layers, last_layers, mtp_layers;
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
enum { ASIM_LLM_16BIT, ASIM_LLM_TF32, ASIM_LLM_32BIT, ASIM_LLM_FP8, ASIM_LLM_FP4 };
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
    ASIM_LLM_MLP,   /* with experts where there are some */
    ASIM_LLM_DENSE, /* of DeepSeek's first layers, and of all without experts */
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

/* Call it before the command line is parsed: records the options that it gives, also with their
 * default values. */
void asim_llm_note_given(struct asim_llm_options *opt, int argc, char **argv);
/* Fills in the preset sizes of opt->model for options that the command line does not give. */
int asim_llm_preset(struct asim_llm_options *opt, struct asim_err *err);
/* Call it after the preset: a global batch that was not given becomes one micro-batch for each
 * data-parallel rank if it is smaller. Returns 1 if it did. */
int asim_llm_fit_batch(struct asim_llm_options *opt);

/* Checks the options and derives values; sizes that do not divide are an error. */
int asim_llm_derive(struct asim_llm *llm, const struct asim_llm_options *opt, struct asim_err *err);

/* Parameters of a GPU's share of a distributed optimizer: those of experts, of which its
 * expert-parallel group has each once, lie on fewer GPUs. */
double asim_llm_shard(const struct asim_llm *llm);
/* Bytes of an activation. */
double asim_llm_element(const struct asim_llm_options *opt);
/* Bytes of a gradient where ranks reduce it. */
uint64_t asim_llm_gradient(const struct asim_llm_options *opt);

/* Adds a section, with the first 47 letters of its name; NULL: out of memory, or too many. */
struct asim_llm_section *asim_llm_sections_add(struct asim_llm_times *times, const char *name);
/* Adds the sections of AIOB's file. */
int asim_llm_sections_read(struct asim_llm_times *times, const char *path, struct asim_err *err);

/* Adds the sections that fit the options (GPU, model, tp, ep, micro batch, sequence, sizes). A
 * table of kernels that fits none adds none; a folder without a file that fits is an error that
 * names the nearest file. */
int asim_llm_database_find(struct asim_llm_times *times, const struct asim_llm *llm,
                           struct asim_err *err);
/* The GPU that the options name for a look-up, or "". */
const char *asim_llm_database_gpu(const struct asim_llm_options *opt);

/* From opt->comp_file, opt->database, opt->roofline, or none. */
int asim_llm_times_open(struct asim_llm_times *times, const struct asim_llm *llm,
                        struct asim_err *err);
/* The sections of opt->database or opt->comp_file only, for a step of --schedule; none without. */
int asim_llm_times_measured(struct asim_llm_times *times, const struct asim_llm *llm,
                            struct asim_err *err);
/* ns of the section of that name; 1 (and counted as missing) if there is none. */
uint64_t asim_llm_time_of(struct asim_llm_times *times, const char *name);
void asim_llm_times_close(struct asim_llm_times *times);

/* The kernels of one micro-batch on one GPU, and the optimizer's, at the rates of `kernels`: fills
 * times->parts and what AICB's rows take of it. */
void asim_llm_work_times(struct asim_llm_times *times, const struct asim_llm *llm,
                         const struct asim_gpu_kernels *kernels);

int asim_llm_rows_make(struct asim_llm_rows *rows, const struct asim_llm *llm,
                       struct asim_llm_times *times, struct asim_err *err);

/* Writes SimAI text. path NULL: AICB's name, which *name receives (size bytes). */
int asim_llm_write(const struct asim_llm *llm, const struct asim_llm_rows *rows, const char *path,
                   struct asim_err *err);
void asim_llm_file_name(const struct asim_llm *llm, char *name, size_t size);
/* What the traces of a workload became. */
struct asim_llm_traces {
    uint32_t ranks;
    size_t groups;         /* of PREFIX.groups.json; 0 = no such file */
    uint64_t rounded, cpu; /* --for=astra-sim: durations that lost ns; CPU ops made computations */
};
/* Writes every rank of a workload file (SimAI text, or any trace) as opt->et.<rank>.et. */
int asim_llm_to_et(const char *workload, const struct asim_llm_options *opt,
                   struct asim_llm_traces *made, struct asim_err *err);

/* 1 for micro tests instead of a model: frame collective_test (micro.c). */
int asim_llm_is_micro(const struct asim_llm_options *opt);
int asim_llm_micro(const struct asim_llm_options *opt, const char *path, uint32_t *rows,
                   struct asim_err *err);

#endif
