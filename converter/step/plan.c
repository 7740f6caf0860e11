/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sizes of a training step. Unlike AICB's rows, embedding and final layer are on the first and last
 * stage only, are not tied, and each matrix counts once.
 */
#include "step/step.h"

#include <inttypes.h>
#include <string.h>

static int check_world(const struct asim_step *s, struct asim_err *err)
{
    const struct asim_llm_options *o = s->opt;
    uint64_t model = (uint64_t)o->tp * o->cp * o->pp;
    uint32_t own = !!o->first_layers + !!o->last_layers;

    if (o->optimizer)
        return asim_err_set(err, ASIM_EUSAGE,
                            "optimizer has no effect with a schedule: --zero "
                            "says what is sharded.");
    if (o->precision == ASIM_LLM_TF32 || o->precision == ASIM_LLM_32BIT)
        return asim_err_set(err, ASIM_EUSAGE,
                            "precision with a schedule is 16bit, fp8 or fp4: "
                            "all values there are sent in 2 bytes.");
    if (o->world % model)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "%u GPUs cannot be split into tp=%u x cp=%u x pp=%u: give a multiple of %" PRIu64 ".",
            o->world, o->tp, o->cp, o->pp, model);
    if (o->seq % ((uint64_t)o->cp * (o->cp > 1 ? 2 : 1)) ||
        (o->seq / o->cp * o->micro_batch) % (o->sp ? o->tp : 1))
        return asim_err_set(err, ASIM_EUSAGE,
                            "seq_length=%" PRIu64
                            " cannot be split among cp=%u (in two halves each) and tp=%u.",
                            o->seq, o->cp, o->tp);
    if (o->layers < s->virtuals)
        return asim_err_set(err, ASIM_EUSAGE, "%u layers are too few for %u pipeline stages.",
                            o->layers, s->virtuals);
    if ((own && own >= s->virtuals) ||
        (uint64_t)o->first_layers + o->last_layers + s->virtuals - own > o->layers)
        return asim_err_set(err, ASIM_EUSAGE,
                            "first_stage_layers=%u and last_stage_layers=%u do not leave a layer "
                            "of %u to each of the other %u virtual stages.",
                            o->first_layers, o->last_layers, o->layers, s->virtuals - own);
    if ((!o->head_size && o->hidden % o->heads) || o->heads % o->tp || s->kv_heads > o->heads ||
        o->heads % s->kv_heads)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "hidden_size=%" PRIu64
            ", num_attention_heads=%u, num_query_groups=%u and tp=%u do not divide.",
            o->hidden, o->heads, s->kv_heads, o->tp);
    return 0;
}

/* Each word of a list with commas is known. */
static int check_modules(const char *list, struct asim_err *err)
{
    static const char *const words[] = {"layernorm", "mla_up_proj", "mlp", "moe_act"};

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t n = strcspn(at, ","), i = 0;
        while (i < 4 && (strlen(words[i]) != n || strncmp(at, words[i], n)))
            i++;
        if (i == 4)
            return asim_err_set(err, ASIM_EUSAGE,
                                "recompute_modules: '%.*s' is neither layernorm, mla_up_proj, mlp "
                                "nor moe_act; --recompute_granularity has attention scores and "
                                "whole layers.",
                                n < 40 ? (int)n : 40, at);
    }
    return 0;
}

static int check_experts(const struct asim_step *s, struct asim_err *err)
{
    const struct asim_llm_options *o = s->opt;

    if (!o->moe && (o->ep > 1 || o->distribution))
        return asim_err_set(err, ASIM_EUSAGE, "%s needs experts: add --moe and --num_experts.",
                            o->ep > 1 ? "expert_model_parallel_size" : "token_distribution");
    if (s->stage_ranks % ((uint64_t)s->ep * s->etp))
        return asim_err_set(err, ASIM_EUSAGE,
                            "the %u ranks of a stage cannot be folded into ep=%u x etp=%u.",
                            s->stage_ranks, s->ep, s->etp);
    if (o->moe && o->experts % s->ep)
        return asim_err_set(err, ASIM_EUSAGE, "%u experts cannot be split among ep=%u.", o->experts,
                            s->ep);
    if (o->moe && o->topk > o->experts)
        return asim_err_set(err, ASIM_EUSAGE, "moe_router_topk is %u, but there are %u experts.",
                            o->topk, o->experts);
    if (o->moe && s->tp > 1 && !o->sp)
        return asim_err_set(err, ASIM_EUSAGE,
                            "experts on tp=%u need sequence parallelism: add --sp.", s->tp);
    if (o->router_groups &&
        (o->experts % o->router_groups || !o->router_topk_groups ||
         o->router_topk_groups > o->router_groups ||
         (uint64_t)o->experts / o->router_groups * o->router_topk_groups < o->topk))
        return asim_err_set(err, ASIM_EUSAGE,
                            "router_groups=%u of %u experts with router_topk_groups=%u cannot give "
                            "topk=%u experts.",
                            o->router_groups, o->experts, o->router_topk_groups, o->topk);
    return 0;
}

static int check_schedule(const struct asim_step *s, struct asim_err *err)
{
    const struct asim_llm_options *o = s->opt;

    if (!s->micros)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "global_batch=%u is less than one micro-batch of %u on each of %u data-parallel ranks.",
            o->global_batch, o->micro_batch, s->dp);
    if (o->schedule == ASIM_STEP_INTERLEAVED && (s->pp < 2 || s->micros % s->pp))
        return asim_err_set(err, ASIM_EUSAGE,
                            "the interleaved schedule needs pp of 2 or more, and as many "
                            "micro-batches as a multiple of it: pp=%u, %u micro-batches.",
                            s->pp, s->micros);
    if (o->schedule == ASIM_STEP_DUALPIPE &&
        (s->pp < 2 || s->pp % 2 || s->micros % 2 || s->micros < 2 * s->pp))
        return asim_err_set(err, ASIM_EUSAGE,
                            "DualPipe needs an even pp and an even number of micro-batches of 2 pp "
                            "or more: pp=%u, %u micro-batches.",
                            s->pp, s->micros);
    if (o->schedule == ASIM_STEP_DUALPIPE && o->zero > 1)
        return asim_err_set(err, ASIM_EUSAGE,
                            "DualPipe holds two copies of the parameters; zero is 0 or 1 with it.");
    if (o->overlap_parameters &&
        (o->schedule == ASIM_STEP_DUALPIPE || (o->zero != 1 && o->zero != 2)))
        return asim_err_set(err, ASIM_EUSAGE,
                            "overlap_param_gather goes with zero=1 or 2, and not with DualPipe.");
    if (o->virtual_stages > 1 && o->schedule != ASIM_STEP_INTERLEAVED)
        return asim_err_set(err, ASIM_EUSAGE,
                            "virtual_stages goes with --schedule=interleaved only.");
    if ((uint64_t)s->micros * s->virtuals * 4 >= UINT32_C(1) << 30)
        return asim_err_set(err, ASIM_EUSAGE, "%u micro-batches on %u stages are too many.",
                            s->micros, s->virtuals);
    return 0;
}

static void count_params(struct asim_step *s)
{
    const struct asim_llm_options *o = s->opt;
    uint64_t h = o->hidden, t = s->tp;
    uint64_t f = o->dense_ffn ? o->dense_ffn : s->llm->ffn, matrices = s->gated ? 3 : 2;

    s->p_attention =
        (s->llm->deepseek ? s->llm->p_attention : h * (2 * s->llm->q + 2 * s->llm->kv) / t) + 4 * h;
    s->p_mlp = matrices * h * f / t;
    s->p_embedding = s->llm->padded_vocab / t * h;
    if (!o->moe)
        return;
    s->p_router = h * o->experts;
    if (s->llm->deepseek)
        s->p_router += matrices * h * s->llm->ffn * o->shared_experts / t;
    s->p_experts = o->experts / s->ep * matrices * h * s->llm->ffn / s->etp;
}

int asim_step_plan(struct asim_step *s, const struct asim_llm *llm, struct asim_err *err)
{
    const struct asim_llm_options *o = llm->opt;
    int rc;

    memset(s, 0, sizeof *s);
    s->llm = llm;
    s->opt = o;
    s->tp = o->tp;
    s->cp = o->cp;
    s->pp = o->pp;
    s->ep = o->ep;
    s->kv_heads = o->kv_heads ? o->kv_heads : o->heads;
    s->etp = o->etp ? o->etp : o->tp;
    s->chunks = o->schedule == ASIM_STEP_DUALPIPE      ? 2
                : o->schedule == ASIM_STEP_INTERLEAVED ? (o->virtual_stages ? o->virtual_stages : 2)
                                                       : 1;
    s->virtuals = o->schedule == ASIM_STEP_DUALPIPE ? s->pp : s->pp * s->chunks;
    s->gated = o->swiglu || llm->deepseek;
    rc = check_world(s, err);
    if (!rc)
        rc = check_modules(o->recompute_modules, err);
    if (rc)
        return rc;
    s->dp = o->world / (s->tp * s->cp * s->pp);
    s->stage_ranks = s->tp * s->cp * s->dp;
    s->micros = o->global_batch / (o->micro_batch * s->dp);
    s->layers = o->layers + o->mtp_layers;
    s->first_moe = !o->moe ? s->layers : llm->deepseek ? (uint32_t)o->dense_layers : 0;
    s->tokens = o->micro_batch * (o->seq / s->cp);
    s->activation = 2 * s->tokens * o->hidden;
    s->kv_bytes = 4 * s->tokens * llm->kv / s->tp;
    rc = check_experts(s, err);
    if (!rc)
        rc = check_schedule(s, err);
    if (rc)
        return rc;
    s->edp = s->stage_ranks / (s->ep * s->etp);
    count_params(s);
    return 0;
}

struct asim_step_place asim_step_place_of(const struct asim_step *s, uint32_t rank)
{
    struct asim_step_place p = {
        .rank = rank, .stage = rank / s->stage_ranks, .local = rank % s->stage_ranks};

    p.tensor = p.local % s->tp;
    p.context = p.local / s->tp % s->cp;
    p.data = p.local / (s->tp * s->cp);
    p.expert_tensor = p.local % s->etp;
    p.expert = p.local / s->etp % s->ep;
    p.expert_data = p.local / (s->etp * s->ep);
    return p;
}

uint32_t asim_step_virtual(const struct asim_step *s, uint32_t stage, uint32_t chunk)
{
    if (s->opt->schedule == ASIM_STEP_DUALPIPE)
        return chunk ? s->pp - 1 - stage : stage;
    return chunk * s->pp + stage;
}

uint32_t asim_step_stage(const struct asim_step *s, uint32_t virtual_stage, uint32_t chunk)
{
    if (s->opt->schedule == ASIM_STEP_DUALPIPE)
        return chunk ? s->pp - 1 - virtual_stage : virtual_stage;
    return virtual_stage % s->pp;
}

/* Of stages that share layers evenly a remainder goes to the first ones. */
uint32_t asim_step_first_layer(const struct asim_step *s, uint32_t virtual_stage)
{
    uint32_t first = s->opt->first_layers, last = s->opt->last_layers;
    uint32_t n = s->virtuals - !!first - !!last, layers = s->opt->layers - first - last;
    uint32_t at = virtual_stage - (virtual_stage && first);

    if (virtual_stage == s->virtuals)
        return s->layers;
    return (virtual_stage ? first : 0) + at * (layers / n) + (at < layers % n ? at : layers % n);
}

int asim_step_is_moe(const struct asim_step *s, uint32_t layer)
{
    return layer >= s->first_moe;
}

uint32_t asim_step_moe_before(const struct asim_step *s, uint32_t layer)
{
    return layer > s->first_moe ? layer - s->first_moe : 0;
}

struct asim_step_params asim_step_layer_params(const struct asim_step *s, uint32_t layer)
{
    struct asim_step_params p = {s->p_attention + s->p_mlp, 0};

    if (asim_step_is_moe(s, layer))
        p = (struct asim_step_params){s->p_attention + s->p_router, s->p_experts};
    return p;
}
