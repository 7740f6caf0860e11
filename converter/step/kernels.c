/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Kernels of a layer, and their time: measured shares of the GPU's peak by class of kernels
 * (--compute_model), or one efficiency for all (--roofline). A matrix product takes as long
 * backward for the activations and for the weights as forward; FlashAttention's backward pass
 * has 2.5 times the products of the forward pass (Dao, 2023). Bytes are counted as in llm/work.c.
 *
 * With FP8 or FP4 the products of linear layers take those rates; their inputs, and backward the
 * gradients of their outputs, are first cast: read in 2 bytes, written as they are and transposed
 * (Transformer Engine). Attention, router and final layer stay in 16 bits.
 *
 * Experts' products of gate and up are one product. Their activation function is a kernel of its
 * own, and where tokens come in the order of their senders (Megatron's all-to-all) a copy sorts
 * them by expert before and behind, if the rank has more than one. --recompute_modules runs kernels
 * of those modules again before their backward pass, by Megatron Core's names.
 *
 * A measured section replaces the forward time of the kernel of its name; NAME_dgrad and NAME_wgrad
 * those of the backward passes, which else keep the ratio. A kernel with neither a section nor a
 * GPU for the rest is an error.
 */
#include "step/step.h"

#include <stdio.h>
#include <string.h>

struct kernel {
    enum asim_step_part part;
    const char *name;
    enum asim_gpu_class class;
    double flops, bytes;
    double dgrad, wgrad; /* multiples of the forward pass */
    double in, out;      /* elements that a linear layer takes and makes; 0: no linear layer */
};

/* A part being summed, by phase. */
struct sums {
    double us[3], launches[3];
};

struct model {
    struct asim_step *step;
    const struct asim_llm_times *measured;
    struct sums part[ASIM_STEP_PARTS];
    char misses[400]; /* kernels without a measured time */
};

static int measured_us(const struct model *m, const char *name, const char *tail, double *us)
{
    char wanted[64];

    if (!m->measured)
        return 0;
    snprintf(wanted, sizeof wanted, "%s%s", name, tail);
    for (size_t i = 0; i < m->measured->sections.n; i++)
        if (!strcmp(m->measured->sections.at[i].name, wanted)) {
            *us = m->measured->sections.at[i].avg_us;
            return 1;
        }
    return 0;
}

static void add_miss(struct model *m, const char *name)
{
    size_t n = strlen(m->misses);

    if (!strstr(m->misses, name))
        snprintf(m->misses + n, sizeof m->misses - n, "%s%s", n ? ", " : "", name);
}

static double scale_of(const struct kernel *k, int phase)
{
    return phase == ASIM_STEP_FORWARD ? 1 : phase == ASIM_STEP_DGRAD ? k->dgrad : k->wgrad;
}

static enum asim_gpu_dtype linear_dtype(const struct asim_llm_options *o)
{
    return o->precision == ASIM_LLM_FP8   ? ASIM_GPU_8BIT
           : o->precision == ASIM_LLM_FP4 ? ASIM_GPU_4BIT
                                          : ASIM_GPU_16BIT;
}

/* us to cast so many elements to the type of linear layers. */
static double cast_us(const struct asim_step *s, double elements)
{
    enum asim_gpu_dtype to = linear_dtype(s->opt);
    double bytes = to == ASIM_GPU_8BIT ? 1 : 0.5;
    const struct asim_gpu_work work = {ASIM_GPU_ELEMENTWISE, ASIM_GPU_16BIT, 0,
                                       (2 + 2 * bytes) * elements, 1};

    return to == ASIM_GPU_16BIT ? 0 : asim_gpu_work_us(&s->times.gpu, &work);
}

/* Backward a product is several products of the forward one's size, others are one larger kernel.
 */
static double modelled_us(const struct model *m, const struct kernel *k, int phase)
{
    double scale = scale_of(k, phase), count = 1;
    struct asim_gpu_work work = {.class = k->class};

    if (scale <= 0 || !m->step->times.has_gpu)
        return 0;
    if (k->in > 0)
        work.dtype = linear_dtype(m->step->opt);
    if (k->class == ASIM_GPU_GEMM) {
        count = scale;
        scale = 1;
    }
    if (k->class == ASIM_GPU_ATTENTION_FORWARD && phase != ASIM_STEP_FORWARD)
        work.class = ASIM_GPU_ATTENTION_BACKWARD;
    work.ops = scale * k->flops;
    work.bytes = scale * k->bytes;
    work.count = count;
    return asim_gpu_work_us(&m->step->times.gpu, &work) +
           cast_us(m->step, phase == ASIM_STEP_FORWARD ? k->in
                            : phase == ASIM_STEP_DGRAD ? k->out
                                                       : 0);
}

static void add_kernel(struct model *m, const struct kernel *k)
{
    static const char *const tails[] = {"", "_dgrad", "_wgrad"};
    struct asim_step_time *part = &m->step->times.part[k->part];
    double modelled = modelled_us(m, k, ASIM_STEP_FORWARD), forward = modelled;

    if (k->flops <= 0 && k->bytes <= 0)
        return;
    if (!measured_us(m, k->name, "", &forward))
        add_miss(m, k->name);
    for (int phase = ASIM_STEP_FORWARD; phase <= ASIM_STEP_WGRAD; phase++) {
        double us = modelled > 0 ? modelled_us(m, k, phase) * forward / modelled
                                 : scale_of(k, phase) * forward;
        measured_us(m, k->name, tails[phase], &us);
        m->part[k->part].us[phase] += us;
        m->part[k->part].launches[phase] += us > 0;
    }
    part->flops += k->flops;
    part->bytes += k->bytes;
}

/* Whether --recompute_modules has that word. */
static int is_recomputed(const struct asim_llm_options *o, const char *module)
{
    const char *at = o->recompute_modules;
    size_t n = strlen(module);

    while (at && (strncmp(at, module, n) || (at[n] && at[n] != ','))) {
        at = strchr(at, ',');
        at += at != NULL;
    }
    return at != NULL;
}

/* The kernel's forward pass in the backward pass, where its module is recomputed. */
static void add_again(struct model *m, const char *module, const struct kernel *k)
{
    struct sums *part = &m->part[k->part];
    double us = modelled_us(m, k, ASIM_STEP_FORWARD);

    measured_us(m, k->name, "", &us);
    if (!is_recomputed(m->step->opt, module))
        return;
    part->us[ASIM_STEP_DGRAD] += us;
    part->launches[ASIM_STEP_DGRAD] += us > 0;
}

/* A part takes at least the host's time to launch its kernels. */
static uint64_t ns_of(const struct model *m, const struct sums *sum, int phase)
{
    double host = sum->launches[phase] * m->step->opt->host_us;

    return (uint64_t)((sum->us[phase] > host ? sum->us[phase] : host) * 1000 + 0.5);
}

static void add_kernels(struct model *m, const struct kernel *kernels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_kernel(m, &kernels[i]);
}

/* Sizes in elements of 2 bytes. */
struct sizes {
    double tokens, own, h, q, kv, f, t, s, heads; /* own: tokens of a rank between the matrices */
    double up;                                    /* matrices of an MLP's first half */
};

static struct sizes sizes_of(const struct asim_step *s)
{
    const struct asim_llm_options *o = s->opt;
    struct sizes z = {.tokens = (double)s->tokens, .h = (double)o->hidden, .t = s->tp};

    z.own = o->sp ? z.tokens / z.t : z.tokens;
    z.q = (double)s->llm->q;
    z.kv = (double)s->llm->kv;
    z.f = (double)(o->dense_ffn ? o->dense_ffn : s->llm->ffn);
    z.s = (double)o->seq;
    z.heads = o->heads;
    z.up = s->gated ? 2 : 1;
    return z;
}

/* What only some models have: norms of queries and keys, low-rank projections up again. */
static void add_projections(struct model *m, const struct sizes *z)
{
    const struct asim_llm_options *o = m->step->opt;
    double low = (double)(o->q_lora + o->kv_lora);
    double up = z->heads / z->t *
                ((double)o->q_lora * (double)(o->qk_nope + o->qk_rope) +
                 (double)o->kv_lora * (double)(o->qk_nope + o->v_head));
    const struct kernel norm = {ASIM_STEP_QKV,
                                "atten_qk_norm",
                                ASIM_GPU_NORM,
                                0,
                                4 * z->tokens * (z->q + z->kv) / z->t,
                                1.5,
                                0};
    const struct kernel projection = {ASIM_STEP_QKV,
                                      "mla_up_proj",
                                      ASIM_GPU_GEMM,
                                      2 * z->tokens * up,
                                      2 * (up + z->tokens * (low + 3 * z->q / z->t)),
                                      1,
                                      1,
                                      z->tokens * low};

    if (o->qk_norm)
        add_kernel(m, &norm);
    if (m->step->llm->deepseek)
        add_again(m, "mla_up_proj", &projection);
}

/* Rotation of queries and keys where Megatron Core has no fused kernel: with YaRN's factor on
 * cosine and sine (rope_utils.py). Each way a negation of a half, a join, two products and a sum,
 * and plain passes: forward a copy, backward a fill and a sum. */
static void add_rotation(struct model *m, const struct sizes *z)
{
    double elements = z->tokens * (z->q + z->kv) / z->t;
    const struct kernel kernels[] = {
        {ASIM_STEP_QKV, "rope_eager", ASIM_GPU_EAGER, 0, 20 * elements, 1, 0},
        {ASIM_STEP_QKV, "rope_copies", ASIM_GPU_ELEMENTWISE, 0, 4 * elements, 2, 0},
    };

    if (m->step->opt->eager_rope)
        add_kernels(m, kernels, sizeof kernels / sizeof *kernels);
}

/* Scores: causal, so half of s x s with FlashAttention; without it the whole square is computed,
 * and written and read four times by softmax and dropout. */
static void add_attention(struct model *m, const struct sizes *z)
{
    double square = z->tokens * z->s * z->heads / z->t, flops = 4 * z->tokens * z->s * z->q / z->t;
    double matrices = m->step->llm->deepseek
                          ? (double)m->step->llm->p_attention
                          : z->h * (z->q + 2 * z->kv) / z->t + z->h * z->q / z->t;
    double proj = z->h * z->q / z->t, qkv = matrices - proj;
    double wide = z->tokens * (z->q + 2 * z->kv) / z->t;
    const struct kernel kernels[] = {
        {ASIM_STEP_NORM1, "layernorm", ASIM_GPU_NORM, 0, 4 * z->own * z->h, 1.5, 0},
        {ASIM_STEP_QKV, "atten_qkv", ASIM_GPU_GEMM, 2 * z->tokens * qkv,
         2 * (qkv + z->tokens * z->h + wide), 1, 1, z->tokens * z->h, wide},
        {ASIM_STEP_PROJ, "atten_linear", ASIM_GPU_GEMM, 2 * z->tokens * proj,
         2 * (proj + z->tokens * z->q / z->t + z->tokens * z->h), 1, 1, z->tokens * z->q / z->t,
         z->tokens * z->h},
        {ASIM_STEP_NORM2, "bias_dropout_add", ASIM_GPU_ELEMENTWISE, 0, 7 * z->own * z->h, 5.0 / 7,
         0},
        {ASIM_STEP_NORM2, "layernorm2", ASIM_GPU_NORM, 0, 4 * z->own * z->h, 1.5, 0},
    };
    const struct kernel flash = {ASIM_STEP_CORE,
                                 "atten_flash",
                                 ASIM_GPU_ATTENTION_FORWARD,
                                 flops / 2,
                                 2 * (wide + z->tokens * z->q / z->t),
                                 2.5,
                                 0};
    const struct kernel plain[] = {
        {ASIM_STEP_CORE, "atten_core_qk", ASIM_GPU_GEMM, flops / 2, 2 * (wide + square), 2, 0},
        {ASIM_STEP_CORE, "atten_core_softmax", ASIM_GPU_ELEMENTWISE, 0, 9 * square, 11.0 / 9, 0},
        {ASIM_STEP_CORE, "atten_core_context", ASIM_GPU_GEMM, flops / 2, 2 * (wide + square), 2, 0},
    };

    add_kernels(m, kernels, sizeof kernels / sizeof *kernels);
    add_again(m, "layernorm", &kernels[0]);
    add_again(m, "layernorm", &kernels[4]);
    add_projections(m, z);
    add_rotation(m, z);
    if (m->step->opt->flash)
        add_kernel(m, &flash);
    else
        add_kernels(m, plain, sizeof plain / sizeof *plain);
}

static void add_mlp(struct model *m, const struct sizes *z)
{
    double in = z->tokens * z->h, mid = z->tokens * z->f / z->t, w = z->h * z->f / z->t;
    const struct kernel kernels[] = {
        {ASIM_STEP_MLP, "mlp_linear_1", ASIM_GPU_GEMM, 2 * in * z->up * z->f / z->t,
         2 * (z->up * w + in + z->up * mid), 1, 1, in, z->up * mid},
        {ASIM_STEP_MLP, "mlp_gelu", ASIM_GPU_ACTIVATION, 0, 2 * (z->up + 1) * mid,
         (2 * z->up + 1) / (z->up + 1), 0},
        {ASIM_STEP_MLP, "mlp_linear_2", ASIM_GPU_GEMM, 2 * in * z->f / z->t, 2 * (w + mid + in), 1,
         1, mid, in},
        {ASIM_STEP_MLP, "bias_dropout_add", ASIM_GPU_ELEMENTWISE, 0, 7 * z->own * z->h, 5.0 / 7, 0},
    };

    add_kernels(m, kernels, sizeof kernels / sizeof *kernels);
    for (int i = 0; i < 3; i++)
        add_again(m, "mlp", &kernels[i]);
}

static void add_moe(struct model *m, const struct sizes *z)
{
    const struct asim_llm_options *o = m->step->opt;
    double own = z->tokens / z->t, k = o->topk;
    double inner =
        m->step->llm->deepseek ? (double)m->step->llm->ffn * (double)o->shared_experts / z->t : 0;
    double shared = (z->up + 1) * z->h * inner;
    const struct kernel kernels[] = {
        {ASIM_STEP_ROUTER, "moe_router", ASIM_GPU_GEMM, 2 * own * z->h * o->experts,
         2 * (z->h * o->experts + own * z->h), 1, 1},
        {ASIM_STEP_ROUTER, "moe_permute", ASIM_GPU_ELEMENTWISE, 0, 4 * own * k * z->h, 1, 0},
        {ASIM_STEP_GATHER, "moe_unpermute", ASIM_GPU_ELEMENTWISE, 0, 2 * own * (k + 1) * z->h, 1,
         0},
        {ASIM_STEP_SHARED, "moe_shared", ASIM_GPU_GEMM, 2 * z->tokens * shared,
         shared > 0 ? 2 * (shared + 2 * z->tokens * z->h) : 0, 1, 1,
         shared > 0 ? z->tokens * (z->h + inner) : 0,
         shared > 0 ? z->tokens * (z->h + inner * z->up) : 0},
        {ASIM_STEP_SHARED, "moe_shared_gelu", ASIM_GPU_ACTIVATION, 0,
         2 * (z->up + 1) * z->tokens * inner, (2 * z->up + 1) / (z->up + 1), 0},
    };

    add_kernels(m, kernels, sizeof kernels / sizeof *kernels);
}

/* The loss of a vocabulary-parallel softmax reads and writes the logits in 4 bytes. */
static void add_ends(struct model *m, const struct sizes *z)
{
    double vocab = (double)m->step->llm->padded_vocab / z->t, in = z->tokens * z->h;
    const struct kernel kernels[] = {
        {ASIM_STEP_EMBED, "Emb", ASIM_GPU_ELEMENTWISE, 0, 4 * in, 0, 1.5},
        {ASIM_STEP_HEAD, "layernorm_post", ASIM_GPU_NORM, 0, 4 * z->own * z->h, 1.5, 0},
        {ASIM_STEP_HEAD, "logit_time", ASIM_GPU_GEMM, 2 * in * vocab,
         2 * (vocab * z->h + in + z->tokens * vocab), 1, 1},
        {ASIM_STEP_HEAD, "cross_entropy", ASIM_GPU_ELEMENTWISE, 0, 20 * z->tokens * vocab, 0.4, 0},
    };

    add_kernels(m, kernels, sizeof kernels / sizeof *kernels);
}

static int open_gpu(struct model *m, struct asim_err *err)
{
    const struct asim_llm_options *o = m->step->opt;
    struct asim_step_times *times = &m->step->times;
    const char *name = o->compute_model ? o->compute_model : o->roofline;
    struct asim_gpu gpu;
    int rc;

    if (!name)
        return 0;
    rc = asim_gpu_find(&gpu, name, o->gpus_file, err);
    if (rc)
        return rc;
    if ((o->precision == ASIM_LLM_FP8 && gpu.tflops_8bit <= 0) ||
        (o->precision == ASIM_LLM_FP4 && gpu.tflops_4bit <= 0))
        return asim_err_set(err, ASIM_EINVAL,
                            "the GPU %s has no rate in %d bits (catalogue/gpus.json): leave "
                            "--precision out, or give a table with it in --gpus.",
                            gpu.name, o->precision == ASIM_LLM_FP8 ? 8 : 4);
    times->has_gpu = 1;
    if (o->compute_model)
        return asim_gpu_kernels_find(&times->gpu, &gpu, o->kernels, err);
    asim_gpu_kernels_even(&times->gpu, &gpu, o->efficiency);
    return 0;
}

int asim_step_kernels(struct asim_step *s, const struct asim_llm_times *measured,
                      struct asim_err *err)
{
    struct model m = {.step = s, .measured = measured};
    struct sizes z = sizes_of(s);
    int rc = open_gpu(&m, err);

    if (rc)
        return rc;
    add_attention(&m, &z);
    add_mlp(&m, &z);
    if (s->opt->moe)
        add_moe(&m, &z);
    add_ends(&m, &z);
    for (int part = 0; part < ASIM_STEP_PARTS; part++) {
        s->times.part[part].forward = ns_of(&m, &m.part[part], 0);
        s->times.part[part].dgrad = ns_of(&m, &m.part[part], 1);
        s->times.part[part].wgrad = ns_of(&m, &m.part[part], 2);
    }
    if (!measured || !measured->sections.n || s->times.has_gpu || !*m.misses)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "%s has no time of %s for these sizes: add them, or name a GPU with "
                        "--roofline for what is missing.",
                        s->opt->database ? s->opt->database : s->opt->comp_file, m.misses);
}

/* Bytes of a pair that Megatron Core 0.16 moves where experts have biases, in passes of PyTorch.
 * The bias of the second product (experts.py, _apply_bias) is multiplied with the probability,
 * added and joined, and their gradients are products and sums; probabilities have 4 bytes behind
 * DeepEP's kernels and make all of that so wide, and a cast more. The activation's two halves are
 * clamped and joined first (fused_bias_geglu.py), with masks backward. The first product adds its
 * own bias. */
static double bias_bytes(const struct asim_step *s, double h, double wide_f, int phase)
{
    static const double of_output[2][2] = {{12, 28}, {16, 40}}, of_clamp[2] = {8, 15};
    int has_4_bytes = s->opt->dispatch != ASIM_STEP_ALL_TO_ALL;
    int again = phase == ASIM_STEP_DGRAD && is_recomputed(s->opt, "moe_act");

    if (!s->opt->expert_bias || phase == ASIM_STEP_WGRAD)
        return 0;
    return of_output[phase][has_4_bytes] * h + (of_clamp[phase] + again * of_clamp[0]) * wide_f;
}

/* us of kernels of the memory beside the experts' products, for so many pairs: sorting (see above),
 * biases, activation function, casts. */
static double beside_experts_us(const struct asim_step *s, double pairs, int phase)
{
    const struct asim_llm_options *o = s->opt;
    double h = (double)o->hidden, f = (double)s->llm->ffn / s->etp, up = s->gated ? 2 : 1;
    double act = phase ? 2 * up + 1 + is_recomputed(o, "moe_act") * (up + 1) : up + 1;
    int is_sorted = o->dispatch == ASIM_STEP_ALL_TO_ALL && o->experts > s->ep;
    double passes = 8 * is_sorted * h + bias_bytes(s, h, up * f, phase);
    const struct asim_gpu_work simple = {ASIM_GPU_ELEMENTWISE, ASIM_GPU_16BIT, 0, passes * pairs,
                                         1};
    const struct asim_gpu_work activation = {ASIM_GPU_ACTIVATION, ASIM_GPU_16BIT, 0,
                                             2 * act * f * pairs, 1};

    if (phase == ASIM_STEP_WGRAD)
        return 0;
    return asim_gpu_work_us(&s->times.gpu, &simple) + asim_gpu_work_us(&s->times.gpu, &activation) +
           cast_us(s, pairs * (h + (phase ? up * f : f)));
}

/* Each expert of the rank has equal parts of the pairs, and its own products. */
uint64_t asim_step_expert_ns(const struct asim_step *s, uint64_t pairs, int phase)
{
    double n = (double)s->opt->experts / s->ep, each = (double)pairs / n;
    double h = (double)s->opt->hidden, f = (double)s->llm->ffn / s->etp, up = s->gated ? 2 : 1;
    const struct asim_gpu_work first = {ASIM_GPU_GROUPED, linear_dtype(s->opt),
                                        2 * each * h * up * f,
                                        2 * (h * up * f + each * (h + up * f)), n};
    const struct asim_gpu_work second = {ASIM_GPU_GROUPED, linear_dtype(s->opt), 2 * each * h * f,
                                         2 * (h * f + each * (h + f)), n};
    double us, host = (2 * n + (phase != ASIM_STEP_WGRAD)) * s->opt->host_us;

    if (!pairs || !s->times.has_gpu)
        return 1;
    us = asim_gpu_work_us(&s->times.gpu, &first) + asim_gpu_work_us(&s->times.gpu, &second) +
         beside_experts_us(s, (double)pairs, phase);
    return (uint64_t)((us > host ? us : host) * 1000 + 0.5);
}

/* Adam: 42 bytes a parameter (llm/work.c). */
uint64_t asim_step_optimizer_ns(const struct asim_step *s, uint64_t params)
{
    const struct asim_gpu_work work = {ASIM_GPU_OPTIMIZER, ASIM_GPU_16BIT, 0, 42 * (double)params,
                                       1};

    return s->times.has_gpu ? (uint64_t)(asim_gpu_work_us(&s->times.gpu, &work) * 1000 + 0.5) : 1;
}
