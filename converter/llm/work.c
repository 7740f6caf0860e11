/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The kernels of a transformer on one GPU, forward and backward, as Megatron-LM runs them: n tokens
 * of a micro-batch, h hidden, f inner, t tensor size, e bytes of an element. A matrix product takes
 * as many operations backward for the gradient of its input as forward, and again for the gradient
 * of its weights. FlashAttention computes half of the s x s scores (causal) and 2.5 times as much
 * backward; without it the scores are written and read by products, softmax and dropout, all s x s.
 *
 * Not counted: rotary embeddings, casts, gradient scaling, copies of transposed tensors.
 *
 * A part takes at least its number of kernels times host_us, the host's time to launch one: eager
 * PyTorch on small tensors is bound by that.
 */

#include "llm/llm.h"

enum phase { FORWARD, INPUT, WEIGHT };

struct maker {
    const struct asim_gpu_kernels *kernels;
    const struct asim_llm *llm;
    enum asim_gpu_dtype dtype;
    double e, n, h, q, t; /* q: elements of a token's queries */
    double local;         /* tokens of the parts outside of the tensor group: n / t with sequence
                             parallelism */
};

/* A phase of a part being summed. */
struct sum {
    double us, launches;
};
struct sums {
    struct sum of[3];
};

static void add(const struct maker *m, struct sum *sum, enum asim_gpu_class class,
                const struct asim_gpu_work *work)
{
    struct asim_gpu_work own = *work;

    own.class = class;
    own.dtype = m->dtype;
    if (own.count <= 0)
        own.count = 1;
    sum->us += asim_gpu_work_us(m->kernels, &own);
    sum->launches += own.count;
}

/* `count` products of a rows x inner and an inner x columns matrix. */
struct product {
    double rows, columns, inner, count;
};

static void add_product(const struct maker *m, struct sums *part, struct product p)
{
    const struct asim_gpu_work work = {
        .ops = 2 * p.rows * p.columns * p.inner,
        .bytes = m->e * (p.rows * p.columns + p.rows * p.inner + p.columns * p.inner),
        .count = p.count};

    for (int phase = FORWARD; phase <= WEIGHT; phase++)
        add(m, &part->of[phase], ASIM_GPU_GEMM, &work);
}

static void add_bytes(const struct maker *m, struct sum *sum, enum asim_gpu_class class,
                      double bytes)
{
    add(m, sum, class, &(struct asim_gpu_work){.bytes = bytes});
}

static void add_norm(const struct maker *m, struct sums *part)
{
    add_bytes(m, &part->of[FORWARD], ASIM_GPU_NORM, 2 * m->e * m->local * m->h);
    add_bytes(m, &part->of[INPUT], ASIM_GPU_NORM, 3 * m->e * m->local * m->h);
}

/* Dropout with a mask of bytes, and the sum with the residual. */
static void add_residual(const struct maker *m, struct sums *part)
{
    add_bytes(m, &part->of[FORWARD], ASIM_GPU_ELEMENTWISE, (3 * m->e + 1) * m->local * m->h);
    add_bytes(m, &part->of[INPUT], ASIM_GPU_ELEMENTWISE, (2 * m->e + 1) * m->local * m->h);
}

static void add_flash(const struct maker *m, struct sums *part)
{
    double s = (double)m->llm->opt->seq;
    struct asim_gpu_work work = {.ops = 2 * m->n * s * m->q / m->t,
                                 .bytes = 4 * m->e * m->n * m->q / m->t};

    add(m, &part->of[FORWARD], ASIM_GPU_ATTENTION_FORWARD, &work);
    work.ops *= 2.5;
    work.bytes *= 2;
    add(m, &part->of[INPUT], ASIM_GPU_ATTENTION_BACKWARD, &work);
}

/* Scores and context are products of all heads at once; each has two products backward. */
static void add_scores(const struct maker *m, struct sums *part)
{
    double s = (double)m->llm->opt->seq;
    double scores = m->n * (double)m->llm->opt->heads / m->t * s;
    const struct asim_gpu_work product = {.ops = 2 * m->n * s * m->q / m->t,
                                          .bytes = m->e * (2 * m->n * m->q / m->t + scores)};

    for (int i = 0; i < 2; i++) {
        add(m, &part->of[FORWARD], ASIM_GPU_GEMM, &product);
        add(m, &part->of[INPUT], ASIM_GPU_GEMM, &product);
        add(m, &part->of[INPUT], ASIM_GPU_GEMM, &product);
    }
    add_bytes(m, &part->of[FORWARD], ASIM_GPU_ELEMENTWISE, 2 * m->e * scores);       /* softmax */
    add_bytes(m, &part->of[FORWARD], ASIM_GPU_ELEMENTWISE, (2 * m->e + 1) * scores); /* dropout */
    add_bytes(m, &part->of[INPUT], ASIM_GPU_ELEMENTWISE, (2 * m->e + 1) * scores);
    add_bytes(m, &part->of[INPUT], ASIM_GPU_ELEMENTWISE, 3 * m->e * scores);
}

static void add_core(const struct maker *m, struct sums *part)
{
    if (m->llm->opt->flash)
        add_flash(m, part);
    else
        add_scores(m, part);
}

/* DeepSeek's projections are counted by their parameters, as five products. */
static void add_projections(const struct maker *m, struct sums *part)
{
    if (m->llm->deepseek) {
        double columns = (double)m->llm->p_attention / 5 / m->h;
        add_product(m, part, (struct product){m->n, columns, m->h, 5});
        return;
    }
    add_product(m, part, (struct product){m->n, (m->q + 2 * (double)m->llm->kv) / m->t, m->h, 1});
    add_product(m, part, (struct product){m->n, m->h, m->q / m->t, 1});
}

/* Selective recomputation runs the scores again in the backward pass; full recomputation is in the
 * order of the rows. */
static void attention(const struct maker *m, struct sums *part)
{
    const struct asim_llm_options *o = m->llm->opt;
    struct sums core = {0};

    add_norm(m, part);
    add_projections(m, part);
    add_core(m, &core);
    for (int phase = FORWARD; phase <= INPUT; phase++) {
        part->of[phase].us += core.of[phase].us;
        part->of[phase].launches += core.of[phase].launches;
    }
    if (o->recompute || o->recompute_how == ASIM_LLM_SELECTIVE) {
        part->of[INPUT].us += core.of[FORWARD].us;
        part->of[INPUT].launches += core.of[FORWARD].launches;
    }
    add_residual(m, part);
}

/* `count` MLPs of inner size f that share the tokens. DeepSeek's have three matrices always. */
static void add_mlp(const struct maker *m, struct sums *part, double tokens, double f, double count)
{
    double ups = m->llm->opt->swiglu || m->llm->deepseek ? 2 : 1;

    add_product(m, part, (struct product){tokens / count, ups * f, m->h, count});
    add_bytes(m, &part->of[FORWARD], ASIM_GPU_ACTIVATION, m->e * tokens * (ups + 1) * f);
    add_bytes(m, &part->of[INPUT], ASIM_GPU_ACTIVATION, m->e * tokens * (2 * ups + 1) * f);
    add_product(m, part, (struct product){tokens / count, m->h, f, count});
}

static void dense(const struct maker *m, struct sums *part)
{
    const struct asim_llm_options *o = m->llm->opt;
    uint64_t f = o->dense_ffn ? o->dense_ffn : m->llm->ffn;

    add_norm(m, part);
    add_mlp(m, part, m->n, (double)f / m->t, 1);
    add_residual(m, part);
}

/* Experts of a GPU are as many products of an equal part of the tokens; shared ones get all. */
static void mlp(const struct maker *m, struct sums *part)
{
    const struct asim_llm_options *o = m->llm->opt;
    double experts = (double)o->experts / o->ep, tokens = m->n * o->topk;
    double f = (double)m->llm->ffn / m->t;

    if (!o->moe) {
        dense(m, part);
        return;
    }
    add_norm(m, part);
    add_mlp(m, part, tokens, f, experts > tokens ? tokens : experts);
    if (m->llm->deepseek && o->shared_experts)
        add_mlp(m, part, m->n, f * (double)o->shared_experts, 1);
    add_residual(m, part);
}

static void embedding(const struct maker *m, struct sums *part)
{
    add_bytes(m, &part->of[FORWARD], ASIM_GPU_ELEMENTWISE, 2 * m->e * m->n * m->h);
    add_bytes(m, &part->of[WEIGHT], ASIM_GPU_ELEMENTWISE, 3 * m->e * m->n * m->h);
}

/* Logits, and a loss that goes five times over them in 4 bytes, twice backward. */
static void final(const struct maker *m, struct sums *part)
{
    double words = (double)m->llm->padded_vocab / m->t;

    add_norm(m, part);
    add_product(m, part, (struct product){m->n, words, m->h, 1});
    for (int i = 0; i < 5; i++)
        add_bytes(m, &part->of[FORWARD], ASIM_GPU_ELEMENTWISE, 4 * m->n * words);
    for (int i = 0; i < 2; i++)
        add_bytes(m, &part->of[INPUT], ASIM_GPU_ELEMENTWISE, 4 * m->n * words);
}

/* Adam on 4-byte values: reads gradient, value and two moments, writes the last three and the
 * 2-byte value (30 bytes a parameter); before it the norm of the gradients and their clipping (12).
 * A kernel serves 64 Mi parameters. */
static struct sum optimizer(const struct maker *m)
{
    const struct asim_llm *llm = m->llm;
    double params = llm->opt->optimizer == ASIM_LLM_REPLICATED ? (double)llm->params_total
                                                               : asim_llm_shard(llm);
    double launches = 3 * (params / (1 << 26) + 1);
    struct sum sum = {0, launches};
    const struct asim_gpu_work work = {
        .class = ASIM_GPU_OPTIMIZER, .bytes = 42 * params, .count = 1};

    sum.us = asim_gpu_work_us(m->kernels, &work);
    return sum;
}

/* At least 1 ns, because rows without time are left out. */
static uint64_t ns_of(const struct maker *m, const struct sum *sum)
{
    double host = sum->launches * m->llm->opt->host_us, us = sum->us > host ? sum->us : host;

    return us * 1000 < 1 ? 1 : (uint64_t)(us * 1000 + 0.5);
}

static void finish(const struct maker *m, enum asim_llm_part part, struct asim_llm_times *times,
                   void (*fill)(const struct maker *, struct sums *))
{
    struct sums sums = {0};

    fill(m, &sums);
    times->parts[part].forward = ns_of(m, &sums.of[FORWARD]);
    times->parts[part].input = ns_of(m, &sums.of[INPUT]);
    times->parts[part].weight = ns_of(m, &sums.of[WEIGHT]);
}

void asim_llm_work_times(struct asim_llm_times *times, const struct asim_llm *llm,
                         const struct asim_gpu_kernels *kernels)
{
    const struct asim_llm_options *o = llm->opt;
    struct maker m = {.kernels = kernels, .llm = llm};
    struct sum step;

    m.dtype = o->precision == ASIM_LLM_16BIT  ? ASIM_GPU_16BIT
              : o->precision == ASIM_LLM_TF32 ? ASIM_GPU_TF32
                                              : ASIM_GPU_32BIT;
    m.e = asim_llm_element(o);
    m.n = (double)o->micro_batch * (double)o->seq;
    m.h = (double)o->hidden;
    m.q = (double)llm->q;
    m.t = o->tp;
    m.local = o->sp ? m.n / m.t : m.n;
    finish(&m, ASIM_LLM_ATTENTION, times, attention);
    finish(&m, ASIM_LLM_MLP, times, mlp);
    finish(&m, ASIM_LLM_DENSE, times, dense);
    finish(&m, ASIM_LLM_EMBEDDING, times, embedding);
    finish(&m, ASIM_LLM_FINAL, times, final);
    step = optimizer(&m);
    times->known = times->has_phases = 1;
    times->attention = times->parts[ASIM_LLM_ATTENTION].forward;
    times->mlp = times->parts[ASIM_LLM_MLP].forward;
    times->embedding = times->parts[ASIM_LLM_EMBEDDING].forward;
    times->grad_forward = 0;
    times->grad_backward = ns_of(&m, &step);
}
