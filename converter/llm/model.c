/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sizes and parameter counts of the modelled stage (simai.md#model-inputs and
 * simai.md#parameter-counts), in elements per GPU. AICB models the first pipeline stage and counts
 * embedding and final layer on it.
 *
 * AICB counts four embedding matrices and a learned position table, one gate-less first matrix of
 * a SwiGLU MLP, and one of a layer's two norms; without sequence parallelism it leaves norms and
 * final layer out. formulas=right counts each once: V h / t, 2 h f / t, two norms of 2 h, and the
 * final layer always.
 */
#include "llm/llm.h"

#include <inttypes.h>
#include <string.h>

/* AICB leaves these errors to Python or accepts them: a world size that does not divide makes group
 * sizes fractions, which SimAI misreads. */
static int check_parallelism(const struct asim_llm_options *opt, struct asim_err *err)
{
    uint64_t model = (uint64_t)opt->tp * opt->pp;
    if (strcmp(opt->frame, "Megatron") && strcmp(opt->frame, "DeepSeek"))
        return asim_err_set(err, ASIM_EUSAGE, "frame is '%.40s', expected Megatron or DeepSeek.",
                            opt->frame);
    if (opt->world % model)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "%u GPUs cannot be split into tp=%u x pp=%u: give a multiple of %" PRIu64 ".",
            opt->world, opt->tp, opt->pp, model);
    if (opt->moe && !opt->sp && !opt->schedule)
        return asim_err_set(err, ASIM_EUSAGE,
                            "moe_enable needs enable_sequence_parallel: add --sp.");
    if (opt->moe && opt->topk > opt->experts)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "moe_router_topk is %u, but there are only %u experts; raise num_experts or lower it.",
            opt->topk, opt->experts);
    if (opt->ep > 1 && opt->experts % opt->ep)
        return asim_err_set(err, ASIM_EUSAGE,
                            "%u experts cannot be split among ep=%u: give a multiple.",
                            opt->experts, opt->ep);
    if (!opt->schedule && opt->world / model % opt->ep)
        return asim_err_set(err, ASIM_EUSAGE,
                            "%" PRIu64 " data-parallel ranks cannot be split into groups of ep=%u.",
                            opt->world / model, opt->ep);
    if (opt->layers < opt->pp)
        return asim_err_set(err, ASIM_EUSAGE, "%u layers are too few for %u pipeline stages.",
                            opt->layers, opt->pp);
    return 0;
}

/* Options of formulas that AICB does not have. */
static int check_right(const struct asim_llm_options *opt, struct asim_err *err)
{
    const char *word = opt->compute_model    ? "compute_model"
                       : opt->recompute_how  ? "recompute_granularity"
                       : opt->kv_heads       ? "num_query_groups"
                       : opt->head_size      ? "kv_channels"
                       : opt->optimizer      ? "optimizer"
                       : opt->gradient_16bit ? "grad_bytes"
                                             : NULL;
    if (word && !opt->right && !opt->schedule)
        return asim_err_set(err, ASIM_EUSAGE,
                            "%s needs --formulas=right or a schedule: AICB's rows lack it.", word);
    if (!opt->compute_model && (opt->kernels || opt->host_us > 0 || opt->precision))
        return asim_err_set(err, ASIM_EUSAGE,
                            "%s has no effect without a GPU: give --compute_model=A100.",
                            opt->kernels       ? "kernels"
                            : opt->host_us > 0 ? "host_us"
                                               : "precision");
    if (opt->optimizer == ASIM_LLM_SHARDED && (opt->moe || opt->pp > 1))
        return asim_err_set(err, ASIM_EUSAGE,
                            "optimizer=sharded is for models without experts and pipeline stages.");
    if (opt->kv_heads && opt->heads % opt->kv_heads)
        return asim_err_set(err, ASIM_EUSAGE,
                            "%u attention heads cannot be split into num_query_groups=%u.",
                            opt->heads, opt->kv_heads);
    return 0;
}

double asim_llm_element(const struct asim_llm_options *opt)
{
    return opt->precision == ASIM_LLM_16BIT ? 2 : 4;
}

uint64_t asim_llm_gradient(const struct asim_llm_options *opt)
{
    return opt->gradient_16bit ? 2 : 4;
}

/* AICB only warns and writes a workload without micro-batches. */
static int check_batch(const struct asim_llm *llm, struct asim_err *err)
{
    if (llm->ga || llm->opt->schedule) /* a step checks its own */
        return 0;
    return asim_err_set(err, ASIM_EUSAGE,
                        "global_batch=%u is less than one micro-batch of %u on each of %" PRIu64
                        " data-parallel ranks: raise it to at least %" PRIu64 ".",
                        llm->opt->global_batch, llm->opt->micro_batch, llm->dp,
                        llm->dp * llm->opt->micro_batch);
}

/* SwiGLU has three matrices instead of two; 8 h / 3 keeps the parameters, in steps of 64. In
 * doubles as AICB computes it: 4 h * 2 / 3 / 64 rounded down. */
static uint64_t inner_size(const struct asim_llm_options *opt)
{
    if (opt->ffn)
        return opt->ffn;
    if (!opt->swiglu)
        return 4 * opt->hidden;
    return (uint64_t)((double)(4 * opt->hidden * 2) / 3 / 64) * 64;
}

/* DeepSeek's attention has low-rank projections for the query, and for key and value together; only
 * the second halves are split over the tensor group. */
static uint64_t attention_params(const struct asim_llm *llm)
{
    const struct asim_llm_options *o = llm->opt;
    uint64_t h = o->hidden, t = o->tp, a = o->heads, wide = a * (o->qk_nope + o->qk_rope) / t;
    if (llm->deepseek)
        return (o->q_lora ? h * o->q_lora + o->q_lora * wide : h * wide) +
               h * (o->kv_lora + o->qk_rope) + o->kv_lora * a * (o->qk_nope + o->v_head) / t +
               a * o->v_head * h / t;
    return h * (llm->q + 2 * llm->kv) / t + h * llm->q / t + (o->bias ? 3 * h / t + h : 0);
}

/* Each count is of one layer and one GPU, so embedding and final layer are separate. */
static void count_params(struct asim_llm *llm)
{
    const struct asim_llm_options *o = llm->opt;
    uint64_t h = o->hidden, t = o->tp, f = llm->ffn, dense = o->dense_ffn ? o->dense_ffn : f,
             vocab = llm->padded_vocab / t;
    uint64_t inner = f * o->experts / o->ep / t, gates = o->right && (o->swiglu || llm->deepseek) ? 2 : 1;
    llm->p_embedding = o->right ? vocab * h : 4 * vocab * h + o->seq * h;
    llm->p_attention = attention_params(llm);
    llm->p_norm = o->right ? 4 * h : 2 * h;
    llm->p_mlp = gates * (h * dense / t) + dense * h / t + (o->bias ? dense / t + h : 0);
    llm->p_moe =
        llm->deepseek ? 3 * h * (inner + f * o->shared_experts / t) : gates * h * inner + inner * h;
    llm->p_final = h * vocab;
}

/* DeepSeek's first layers have no experts. With several stages the first stage is modelled, which
 * has those layers. */
static void sum_params(struct asim_llm *llm)
{
    const struct asim_llm_options *o = llm->opt;
    uint64_t layers = llm->stage_layers, moe = o->moe ? layers : 0;
    if (llm->deepseek && o->moe)
        moe = layers > o->dense_layers ? layers - o->dense_layers : 0;
    uint64_t ends = o->sp || o->right ? llm->p_final : 0,
             norms = o->sp || o->right ? llm->p_norm : 0;
    llm->params_moe = moe * llm->p_moe;
    llm->params_total = llm->p_embedding + ends + layers * (llm->p_attention + norms) +
                        (layers - moe) * llm->p_mlp + llm->params_moe;
}

double asim_llm_shard(const struct asim_llm *llm)
{
    double moe = (double)llm->params_moe, dp = (double)llm->dp, ep = llm->opt->ep;

    return ((double)llm->params_total - moe) / dp + moe / (dp > ep ? dp / ep : 1);
}

/* ga is micro-batches per data-parallel rank and iteration; the rest of an uneven batch is dropped,
 * as in AICB. */
int asim_llm_derive(struct asim_llm *llm, const struct asim_llm_options *opt, struct asim_err *err)
{
    memset(llm, 0, sizeof *llm);
    llm->opt = opt;
    int rc = check_parallelism(opt, err);
    if (!rc)
        rc = check_right(opt, err);
    if (rc)
        return rc;
    llm->deepseek = !strcmp(opt->frame, "DeepSeek");
    llm->dp = opt->world / ((uint64_t)opt->tp * opt->pp);
    llm->ga = opt->global_batch / (opt->micro_batch * llm->dp);
    llm->stage_layers = opt->layers / opt->pp;
    uint64_t unit = opt->vocab_unit * opt->tp;
    llm->padded_vocab = (opt->vocab + unit - 1) / unit * unit;
    llm->ffn = inner_size(opt);
    uint64_t head = opt->head_size ? opt->head_size : opt->hidden / opt->heads;
    llm->q = opt->head_size ? head * opt->heads : opt->hidden;
    llm->kv = opt->kv_heads ? head * opt->kv_heads : llm->q;
    llm->tokens_bytes = (uint64_t)asim_llm_element(opt) * opt->micro_batch * opt->seq * opt->hidden;
    count_params(llm);
    sum_params(llm);
    return check_batch(llm, err);
}
