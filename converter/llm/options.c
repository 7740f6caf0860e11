/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options of `asim trace llm`: AICB's own words as keys (with _ or -), short forms as aliases, and
 * the sizes of its presets. A preset fills in options that the command line does not give. In AICB
 * the preset replaces the command line, so that `-m 7 --tp 8` runs with 4.
 */
#include "llm/llm.h"

#include <inttypes.h>
#include <string.h>
#include "catalogue/model.h"
#include "cli/args.h"

#define AT(field) offsetof(struct asim_llm_options, field)
/* The most a row takes keeps all products of sizes below 2^63. */
#define NUMBER(key, alias, help, def, type, field, most)                                           \
    {                                                                                              \
        key, alias, help, def, type, AT(field), 0, most                                            \
    }
#define SIZE(key, alias, help, def, type, field, most)                                             \
    {                                                                                              \
        key, alias, help, def, type, AT(field), 1, most                                            \
    }
#define TEXT(key, alias, help, def, field)                                                         \
    {                                                                                              \
        key, alias, help, def, ASIM_T_STRING, AT(field)                                            \
    }
#define FILES(key, alias, help, field, flags)                                                      \
    {                                                                                              \
        key, alias, help, NULL, ASIM_T_STRING, AT(field), 0, 0, NULL, flags                        \
    }
#define FLAG(key, alias, help, field)                                                              \
    {                                                                                              \
        key, alias, help, "0", ASIM_T_BOOL, AT(field)                                              \
    }

/* For AICB's command lines: parsed there and without effect on the text, so without effect here. */
#define SILENT(key, type, field)                                                                   \
    {                                                                                              \
        key, NULL, "AICB's, no effect on the workload", NULL, type, AT(field), 0, 0, NULL,         \
            ASIM_F_NOOP                                                                            \
    }
#define SILENT_NUMBER(key) SILENT(key, ASIM_T_DOUBLE, unused)
#define SILENT_SWITCH(key) SILENT(key, ASIM_T_BOOL, unused_switch)

const struct asim_option asim_llm_option_table[] = {
    FILES(
        "model", "m",
        "sizes of a model of catalogue/models.json: llama-3-70b deepseek-v3 qwen3-235b-a22b …; of "
        "a file config.json of Hugging Face; or what AICB sets for gpt-7b gpt-13b gpt-22b gpt-175b "
        "llama-405b mixtral-8x7b deepseek-16b -236b -671b, or 7 13 22 175 405 moe deepseek16 …",
        model, ASIM_F_READS),
    TEXT("frame", NULL, "Megatron or DeepSeek (default: as the preset), or collective_test", NULL,
         frame),
    SIZE("world_size", "N", "GPUs in all", "32", ASIM_T_U32, world, 1 << 24),
    SIZE("tensor_model_parallel_size", "tp", "tensor-parallel size", NULL, ASIM_T_U32, tp, 1 << 16),
    SIZE("pipeline_model_parallel", "pp", "pipeline stages", "1", ASIM_T_U32, pp, 1 << 16),
    NUMBER("data_parallel_size", "dp",
           "copies of the model: the GPUs in all, in place of world_size, are this times tp, pp "
           "and cp",
           "0", ASIM_T_U32, copies, 1 << 20),
    SIZE("expert_model_parallel_size", "ep", "expert-parallel size", "1", ASIM_T_U32, ep, 1 << 16),
    NUMBER("num_experts", "experts", "experts of a MoE layer", NULL, ASIM_T_U32, experts, 1 << 16),
    SIZE("moe_router_topk", "topk", "experts a token goes to", "1", ASIM_T_U32, topk, 1 << 10),
    SIZE("global_batch", "gbs",
         "sequences of one iteration; where not given, at least what all data-parallel ranks need",
         "4", ASIM_T_U32, global_batch, 1 << 20),
    SIZE("micro_batch", "mbs", "sequences of one micro-batch", "1", ASIM_T_U32, micro_batch,
         1 << 12),
    SIZE("seq_length", "seq", "tokens of a sequence", NULL, ASIM_T_U64, seq, 1 << 24),
    SIZE("hidden_size", "hidden", "hidden size", NULL, ASIM_T_U64, hidden, 1 << 18),
    NUMBER("ffn_hidden_size", "ffn", "inner size of the MLP (default 4h, with swiglu 8h/3)", NULL,
           ASIM_T_U64, ffn, 1 << 20),
    SIZE("num_layers", "layers", "layers", NULL, ASIM_T_U32, layers, 1 << 14),
    SIZE("num_attention_heads", "heads", "attention heads (default: as many as layers)", NULL,
         ASIM_T_U32, heads, 1 << 14),
    SIZE("vocab_size", "vocab", "words of the vocabulary", "32000", ASIM_T_U64, vocab, 1 << 24),
    SIZE("make_vocab_size_divisible_by", NULL, "the vocabulary is padded to this x tp", "128",
         ASIM_T_U64, vocab_unit, 1 << 16),
    FLAG("enable_sequence_parallel", "sp", "sequence parallelism", sp),
    FLAG("swiglu", NULL, "SwiGLU in the MLP", swiglu),
    FLAG("use_flash_attn", "use_flash_attention",
         "flash attention; formulas=right and a schedule have it unless this says 0", flash),
    FLAG("recompute_activations", "recompute", "attention is computed twice", recompute),
    FLAG("moe_enable", "moe", "mixture of experts (needs sp)", moe),
    FLAG("moe_grouped_gemm", NULL, "grouped GEMM (in the file name)", grouped_gemm),
    FLAG("add_bias_linear", NULL, "biases in the linear layers", bias),
    FLAG("aiob_enable", "aiob", "compute times from comp_filepath", aiob),
    FILES("comp_filepath", NULL, "file of measured compute times (AIOB's output)", comp_file,
          ASIM_F_READS),
    FILES("comp_database", "database",
          "measured compute times: a table of kernels and sub-modules (CSV), or a folder of AIOB's "
          "files; --roofline fills in what it lacks",
          database, ASIM_F_READS),
    TEXT("roofline", NULL,
         "compute times of this GPU by the roofline model: A100, H100, H200, B200, MI300X, … "
         "(catalogue/gpus.json)",
         NULL, roofline),
    FILES("gpus", NULL, "own table of GPUs, beside the known ones (as catalogue/gpus.json)",
          gpus_file, ASIM_F_READS),
    {"efficiency", NULL, "share of peak rate and memory bandwidth the roofline assumes", "1",
     ASIM_T_DOUBLE, AT(efficiency), 1e-6, 1},
    TEXT("compute_model", NULL,
         "compute times of this GPU, kernel by kernel at the shares of its peak that each class of "
         "kernels was measured to reach (catalogue/kernels.json); needs formulas=right or a "
         "schedule",
         NULL, compute_model),
    FILES("kernels", NULL, "compute_model: own table of shares (as catalogue/kernels.json)",
          kernels, ASIM_F_READS),
    {"host_us", NULL,
     "compute_model: host time to launch a kernel, us; a part takes at least this for each of its "
     "kernels",
     "0", ASIM_T_DOUBLE, AT(host_us), 0, 1e6},
    {"precision", NULL,
     "compute_model: of products and activations; with a schedule fp8 or fp4 (also MXFP8, NVFP4): "
     "products of linear layers so, all else in 16 bits",
     "16bit", ASIM_T_CHOICE, AT(precision), 0, 0, "16bit|tf32|32bit|fp8|fp4"},
    {"recompute_granularity", NULL,
     "formulas=right or a schedule: what the backward pass computes again: nothing, attention "
     "scores, or all layers with their communication",
     "none", ASIM_T_CHOICE, AT(recompute_how), 0, 0, "none|selective|full"},
    NUMBER("num_query_groups", "kv_heads",
           "formulas=right or a schedule: key-value heads (default: as many as attention heads)",
           NULL, ASIM_T_U32, kv_heads, 1 << 14),
    NUMBER("kv_channels", NULL,
           "formulas=right or a schedule: size of a head (default: hidden size / heads)", NULL,
           ASIM_T_U32, head_size, 1 << 14),
    {"optimizer", NULL,
     "formulas=right: its state is distributed over data-parallel ranks (reduce-scatter, "
     "all-gather), the same on each (all-reduce), or sharded with gradients and parameters, which "
     "each layer gathers forward and backward (FSDP, ZeRO-3)",
     "distributed", ASIM_T_CHOICE, AT(optimizer), 0, 0, "distributed|replicated|sharded"},
    {"grad_bytes", NULL,
     "formulas=right or a schedule: bytes of a gradient where ranks reduce it: 4 or 2", "4",
     ASIM_T_CHOICE, AT(gradient_16bit), 0, 0, "4|2"},
    TEXT("gpu_type", NULL, "GPU type, for comp_database and the file name", "None", gpu_type),
    TEXT("model_name", NULL, "model name for the file name", NULL, model_name),
    NUMBER("n_dense_layers", NULL, "DeepSeek: layers without experts", "3", ASIM_T_U64,
           dense_layers, 1 << 14),
    NUMBER("n_shared_expert", NULL, "DeepSeek: experts every token goes to", "2", ASIM_T_U64,
           shared_experts, 1 << 10),
    NUMBER("qk_rope_dim", NULL, "DeepSeek: rotary part of a key", "64", ASIM_T_U64, qk_rope,
           1 << 14),
    NUMBER("qk_nope_dim", NULL, "DeepSeek: other part of a key", "128", ASIM_T_U64, qk_nope,
           1 << 14),
    NUMBER("q_lora_rank", NULL, "DeepSeek: rank of the query", "1536", ASIM_T_U64, q_lora, 1 << 18),
    NUMBER("kv_lora_rank", NULL, "DeepSeek: rank of key and value", "512", ASIM_T_U64, kv_lora,
           1 << 18),
    NUMBER("v_head_dim", NULL, "DeepSeek: size of a value", "128", ASIM_T_U64, v_head, 1 << 14),
    {"formulas", NULL, "aicb: AICB's text, faults included; right: mended (README)", "aicb",
     ASIM_T_CHOICE, AT(right), 0, 0, "aicb|right"},
    FILES("out", "o", "SimAI text to write (default: AICB's name in results/workload)", output,
          ASIM_F_WRITES),
    FILES("et", NULL, "also write Chakra traces PREFIX.<rank>.et", et, ASIM_F_WRITES | ASIM_F_SET),
    {"for", NULL,
     "who runs the traces: astra-sim gets whole microseconds, PREFIX.groups.json, and neither "
     "METADATA and CPU ops nor asim's attributes duration_ns and comm_queue",
     "asim", ASIM_T_CHOICE, AT(for_astra_sim), 0, 0, "asim|astra-sim"},
    {"schedule", NULL,
     "rows: AICB's rows of one stage; else the ops of each rank, with this order of passes: gpipe, "
     "1f1b, interleaved, zb-h1 or dualpipe; options from here on need one of these",
     "rows", ASIM_T_CHOICE, AT(schedule), 0, 0, "rows|gpipe|1f1b|interleaved|zb-h1|dualpipe"},
    NUMBER("virtual_stages", "vpp", "interleaved: model chunks of a stage; 0 = 2", "0", ASIM_T_U32,
           virtual_stages, 1 << 10),
    NUMBER("first_stage_layers", NULL, "layers of the first virtual stage; 0 = an even share", "0",
           ASIM_T_U32, first_layers, 1 << 14),
    NUMBER("last_stage_layers", NULL,
           "layers of the last virtual stage, without mtp_num_layers; 0 = an even share", "0",
           ASIM_T_U32, last_layers, 1 << 14),
    NUMBER("mtp_num_layers", NULL,
           "further layers of the last stage that predict a token more, each with a loss", "0",
           ASIM_T_U32, mtp_layers, 64),
    SIZE("context_parallel_size", "cp", "context-parallel size (no effect on rows)", "1",
         ASIM_T_U32, cp, 1 << 12),
    NUMBER("expert_tensor_parallel_size", "etp", "tensor-parallel size of experts; 0 = tp", "0",
           ASIM_T_U32, etp, 1 << 12),
    {"zero", NULL,
     "ZeRO: 0 all-reduces gradients; 1 scatters them and gathers parameters; 2 scatters them after "
     "each micro-batch; 3 also gathers the parameters of each layer before use",
     "0", ASIM_T_CHOICE, AT(zero), 0, 0, "0|1|2|3"},
    NUMBER("prefetch", NULL,
           "zero=3, overlap_param_gather: layer passes that parameters are gathered ahead", "1",
           ASIM_T_U32, prefetch, 63),
    FLAG("overlap_grad_reduce", NULL,
         "gradients are reduced layer by layer beside the last backward pass (no effect on rows)",
         overlap_gradients),
    FLAG("overlap_param_gather", NULL,
         "zero=1 or 2: parameters are gathered layer by layer beside the first forward pass, not "
         "behind the optimizer (no effect on rows)",
         overlap_parameters),
    NUMBER("dense_ffn", NULL, "inner size of the MLP of layers without experts; 0 = ffn", "0",
           ASIM_T_U64, dense_ffn, 1 << 20),
    FILES("token_distribution", "tokens",
          "experts that tokens go to: uniform, zipf:EXPONENT, several of these with commas for the "
          "MoE layers in turn, or a CSV of recorded counts (default uniform)",
          distribution, ASIM_F_READS),
    {"capacity_factor", NULL, "tokens an expert takes of a rank, of an even share; 0 = all", "0",
     ASIM_T_DOUBLE, AT(capacity_factor), 0, 1e6},
    TEXT("recompute_modules", NULL,
         "modules that the backward pass computes again, with commas: layernorm, mla_up_proj (of "
         "DeepSeek), mlp (of layers without experts), moe_act (of experts)",
         NULL, recompute_modules),
    FLAG("expert_bias", NULL,
         "experts have biases and a clamped activation, in PyTorch's own passes (GPT OSS)",
         expert_bias),
    FLAG("eager_rope", NULL,
         "queries and keys are rotated in PyTorch's own passes (GPT OSS), else no time is counted",
         eager_rope),
    {"dispatch", NULL,
     "how tokens reach experts: normal and low-latency as DeepEP's kernels, all-to-all as Megatron",
     "normal", ASIM_T_CHOICE, AT(dispatch), 0, 0, "normal|low-latency|all-to-all"},
    {"dispatch_dtype", NULL, "elements of tokens on their way to experts", "bf16", ASIM_T_CHOICE,
     AT(dispatch_fp8), 0, 0, "bf16|fp8"},
    SIZE("dispatch_chunks", NULL, "normal: pieces in which tokens are forwarded within a server",
         "4", ASIM_T_U32, dispatch_chunks, 1 << 10),
    SIZE("gpus_per_server", "gps", "normal: GPUs of a server", "8", ASIM_T_U32, gpus_per_server,
         1 << 12),
    NUMBER("router_groups", NULL, "groups of experts of which a token takes some; 0 = no groups",
           "0", ASIM_T_U32, router_groups, 1 << 12),
    NUMBER("router_topk_groups", NULL, "groups a token takes", "0", ASIM_T_U32, router_topk_groups,
           1 << 12),
    NUMBER("seed", NULL, "of the tokens' choices", "1", ASIM_T_U64, seed, 1 << 30),
    TEXT("test_comm", NULL, "collective_test: all_reduce, all_gather, reduce_scatter or all_to_all",
         "all_reduce", test_comm),
    {"begin_size", NULL, "collective_test: bytes of the first row; rows double", "1048576",
     ASIM_T_SIZE, AT(begin_size)},
    {"end_size", NULL, "collective_test: bytes of the last row at most", "1048576", ASIM_T_SIZE,
     AT(end_size)},
    SILENT_NUMBER("epoch_num"),
    SILENT_NUMBER("pp_rank"),
    SILENT_NUMBER("max_position_embeddings"),
    SILENT_NUMBER("stage"),
    SILENT_NUMBER("reduce_bucket_size"),
    SILENT_NUMBER("allgather_bucket_size"),
    SILENT_NUMBER("param_persistence_threshold"),
    SILENT_NUMBER("model_persistence_threshold"),
    SILENT_NUMBER("max_live_parameters"),
    SILENT_NUMBER("prefetch_bucket_size"),
    SILENT_NUMBER("iter_num"),
    SILENT_NUMBER("multi_all_reduce_enable"),
    SILENT_SWITCH("computation_enable"),
    SILENT_SWITCH("enable_visual"),
    SILENT_SWITCH("workload_only"),
    SILENT_SWITCH("gated_linear_unit"),
    SILENT_SWITCH("bias_gelu_fusion"),
    SILENT_SWITCH("openai_gelu"),
    SILENT_SWITCH("onnx_safe"),
    SILENT_SWITCH("squared_relu"),
    SILENT_SWITCH("amp_enabled"),
    SILENT_SWITCH("contiguous_gradients"),
    SILENT_SWITCH("use_distributed_optimizer"),
    SILENT_SWITCH("overlap_version"),
    SILENT("dtype", ASIM_T_STRING, dtype),
    SILENT("activation_func", ASIM_T_STRING, activation),
    {0}};

/* 0 means "not given": no size of a model is 0. */
static void fill_u32(uint32_t *at, uint32_t value)
{
    if (!*at)
        *at = value;
}

/* The same for wide fields. */
static void fill_u64(uint64_t *at, uint64_t value)
{
    if (!*at)
        *at = value;
}

/* Options whose defaults a model replaces, unless they are given. */
static const char *const looked_for[] = {
    "moe_router_topk", "n_dense_layers", "n_shared_expert", "global_batch", "vocab_size",
    "swiglu",          "qk_rope_dim",    "qk_nope_dim",     "q_lora_rank",  "kv_lora_rank",
    "v_head_dim",      "world_size",     "use_flash_attn"};
enum { LOOKED_FOR = sizeof looked_for / sizeof *looked_for };

void asim_llm_note_given(struct asim_llm_options *opt, int argc, char **argv)
{
    for (size_t k = 0; k < LOOKED_FOR; k++)
        for (int i = 1; i < argc; i++)
            if (asim_args_is(argv[i], asim_option_find(asim_llm_option_table, looked_for[k])))
                opt->given |= 1u << k;
}

static int is_given(const struct asim_llm_options *opt, const char *key)
{
    size_t k = 0;

    while (strcmp(looked_for[k], key))
        k++;
    return opt->given >> k & 1;
}

static void replace(const struct asim_llm_options *opt, uint64_t *at, const char *key,
                    uint64_t value)
{
    if (!is_given(opt, key))
        *at = value;
}

/* What AICB's presets leave to the command line. Its rows have no key-value heads. */
static void apply_whole(struct asim_llm_options *opt, const struct asim_model *model)
{
    int has_heads = opt->right || opt->schedule;

    replace(opt, &opt->vocab, "vocab_size", model->vocab);
    if (!is_given(opt, "swiglu"))
        opt->swiglu = model->gated;
    opt->qk_norm = model->qk_norm;
    if (model->experts && model->dense_layers)
        fill_u64(&opt->dense_ffn, model->ffn);
    if (has_heads && !model->kv_lora && model->kv_heads < model->heads)
        fill_u32(&opt->kv_heads, (uint32_t)model->kv_heads);
    if (has_heads)
        fill_u32(&opt->head_size, (uint32_t)asim_model_head_size(model));
    if (!model->kv_lora)
        return;
    replace(opt, &opt->q_lora, "q_lora_rank", model->q_lora);
    replace(opt, &opt->kv_lora, "kv_lora_rank", model->kv_lora);
    replace(opt, &opt->qk_rope, "qk_rope_dim", model->qk_rope);
    replace(opt, &opt->qk_nope, "qk_nope_dim", model->qk_nope);
    replace(opt, &opt->v_head, "v_head_dim", model->v_dim);
}

/* Keeps the options of the command line. Under AICB's names its rows are of its presets, which
 * leave inner sizes of 4 h to --swiglu; mended rows and steps are of the model. */
static void apply(struct asim_llm_options *opt, const struct asim_model *model)
{
    int is_preset = model->as_aicb && !opt->right && !opt->schedule;
    uint64_t hidden = is_preset && model->aicb_hidden ? model->aicb_hidden : model->hidden;
    uint64_t ffn = model->experts ? model->expert_ffn : model->ffn;

    fill_u32(&opt->layers, (uint32_t)model->layers);
    fill_u32(&opt->heads, (uint32_t)model->heads);
    fill_u32(&opt->tp, model->aicb_tp);
    fill_u64(&opt->hidden, hidden);
    if (!is_preset || ffn != 4 * hidden)
        fill_u64(&opt->ffn, ffn);
    if (model->experts) {
        fill_u32(&opt->experts, (uint32_t)model->experts);
        opt->moe = opt->sp = 1;
        if (!is_given(opt, "moe_router_topk"))
            opt->topk = (uint32_t)model->topk;
    }
    if (model->kv_lora) {
        replace(opt, &opt->dense_layers, "n_dense_layers", model->dense_layers);
        replace(opt, &opt->shared_experts, "n_shared_expert",
                model->shared_ffn / model->expert_ffn);
    }
    if (!is_preset)
        apply_whole(opt, model);
    else
        opt->lacks = (model->gated && !opt->swiglu) || model->kv_heads < model->heads ||
                     hidden != model->hidden;
}

/* AICB's defaults for options that neither the command line nor a preset sets, but for attention.
 */
static void apply_defaults(struct asim_llm_options *opt)
{
    fill_u32(&opt->tp, 1);
    fill_u32(&opt->experts, 1);
    fill_u32(&opt->layers, 24);
    fill_u32(&opt->heads, opt->layers);
    fill_u64(&opt->hidden, 1024);
    fill_u64(&opt->seq, 2048);
    if ((opt->right || opt->schedule) && !is_given(opt, "use_flash_attn"))
        opt->flash = 1; /* as Megatron-LM does by default today */
}

/* The options struct owns its strings, so a default is a copy, too. */
static int set_text(char **at, const char *value, struct asim_err *err)
{
    const struct asim_option row = {"", NULL, "", NULL, ASIM_T_STRING, 0, 0, 0, NULL, 0};
    return *at ? 0 : asim_option_parse(&row, at, value, (struct asim_where){"", 0, 0}, err);
}

/* GPUs in all, of --dp. */
static int set_world(struct asim_llm_options *opt, struct asim_err *err)
{
    uint64_t world = (uint64_t)opt->copies * opt->tp * opt->pp * (opt->schedule ? opt->cp : 1);

    if (!opt->copies)
        return 0;
    if (is_given(opt, "world_size") && world != opt->world)
        return asim_err_set(err, ASIM_EUSAGE,
                            "dp=%u makes %" PRIu64
                            " GPUs with tp, pp and cp, and world_size is %u; leave one out.",
                            opt->copies, world, opt->world);
    if (world > 1 << 24)
        return asim_err_set(err, ASIM_EUSAGE, "dp=%u makes %" PRIu64 " GPUs; at most 16777216.",
                            opt->copies, world);
    opt->world = (uint32_t)world;
    return 0;
}

int asim_llm_preset(struct asim_llm_options *opt, struct asim_err *err)
{
    struct asim_model model = {.name = "gpt"};
    int rc = opt->model ? asim_model_find(&model, opt->model, err) : 0;

    if (rc)
        return rc;
    if (opt->model)
        apply(opt, &model);
    apply_defaults(opt);
    if (set_world(opt, err))
        return err->code;
    rc = set_text(&opt->frame, model.kv_lora ? "DeepSeek" : "Megatron", err);
    return rc ? rc : set_text(&opt->model_name, model.name, err);
}

/* With AICB's default of 4 most presets have no micro-batch on its 32 GPUs. */
int asim_llm_fit_batch(struct asim_llm_options *opt)
{
    uint64_t context = opt->schedule ? opt->cp : 1;
    uint64_t least = opt->world / (opt->tp * context * opt->pp) * opt->micro_batch;

    if (is_given(opt, "global_batch") || least <= opt->global_batch || least > UINT32_MAX)
        return 0;
    opt->global_batch = (uint32_t)least;
    return 1;
}
