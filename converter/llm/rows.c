/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rows of the workload in AICB's order (simai.md#rows-with-compute-times and
 * simai.md#rows-without-compute-times): gradient collectives of the optimizer once, then every
 * micro-batch's embedding, layers and final layer, then loss and optimizer. T = 2 b s h is what one
 * activation of a micro-batch weighs.
 *
 * AICB's faults, kept unless formulas=right: the backward reduce-scatter of a column-parallel layer
 * has 0 bytes, a layer without sequence parallelism reduces nothing backward but all its parameters
 * at the end, the count exchange of
 * a MoE layer goes over the tensor group though meant for experts, the embedding's weight gradient
 * takes the optimizer's time, and without compute times there is no backward communication.
 */
#include "llm/llm.h"

#include <string.h>

struct maker {
    struct asim_llm_rows *rows;
    const struct asim_llm *llm;
    struct asim_llm_times *times;
    uint64_t T;
    int tensor; /* there is a tensor group */
};

#define NOTHING                                                                                    \
    {                                                                                              \
        "NONE", 0                                                                                  \
    }

/* AICB keeps the bytes of NONE in its form without times and drops them in the form with times;
 * users have files of both. */
static void put(struct maker *m, const char *name, const uint64_t ns[3],
                const struct asim_llm_comm comm[3])
{
    struct asim_llm_row row = {.name = name};
    memcpy(row.compute_ns, ns, sizeof row.compute_ns);
    memcpy(row.comm, comm, sizeof row.comm);
    for (int i = 0; i < 3 && (m->times->known || m->llm->opt->right); i++)
        if (!strcmp(row.comm[i].type, "NONE"))
            row.comm[i].bytes = 0; /* AICB does this at the end of its form with times */
    if (m->rows->failed || m->rows->list.n >= (1u << 24) || ASIM_VEC_PUSH(m->rows->list, row))
        m->rows->failed = 1;
}

/* A row that only communicates; its compute time is 1 ns. */
static void put_comm(struct maker *m, const char *name, struct asim_llm_comm fwd,
                     struct asim_llm_comm ig, struct asim_llm_comm wg)
{
    static const uint64_t filler[3] = {1, 1, 1};
    const struct asim_llm_comm comm[3] = {fwd, ig, wg};
    put(m, name, filler, comm);
}

/* A collective in a group of one is NONE, but keeps its bytes. */
static struct asim_llm_comm comm_if(int wanted, const char *type, uint64_t bytes)
{
    return (struct asim_llm_comm){wanted ? type : "NONE", bytes};
}

/* No collective and no bytes. */
static struct asim_llm_comm none(void)
{
    return (struct asim_llm_comm)NOTHING;
}

/* --- layers, with compute times --------------------------------------------------------------- */

/* A row's three times. */
static void put_phases(struct maker *m, const char *name, struct asim_llm_phases times,
                       const struct asim_llm_comm comm[3])
{
    const uint64_t ns[3] = {times.forward, times.input, times.weight};
    put(m, name, ns, comm);
}

/* Column-parallel: gathers before, scatters the gradient after. */
static void put_column(struct maker *m, const char *name, struct asim_llm_phases times)
{
    uint64_t back = m->llm->opt->right ? m->T : 0;
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "ALLGATHER", m->T),
                                          comm_if(m->tensor, "REDUCESCATTER", back), NOTHING};
    put_phases(m, name, times, comm);
}

/* Row-parallel: scatters the sums before, gathers the gradient after. */
static void put_row(struct maker *m, const char *name, struct asim_llm_phases times)
{
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "REDUCESCATTER", m->T),
                                          comm_if(m->tensor, "ALLGATHER", m->T), NOTHING};
    put_phases(m, name, times, comm);
}

/* A whole block without sequence parallelism. */
static void put_block(struct maker *m, const char *name, struct asim_llm_phases times)
{
    int back = m->tensor && m->llm->opt->right;
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "ALLREDUCE", m->T),
                                          comm_if(back, "ALLREDUCE", m->T), NOTHING};
    put_phases(m, name, times, comm);
}

/* One of `parts` equal pieces. */
static struct asim_llm_phases piece_of(struct asim_llm_phases times, uint64_t parts)
{
    times.forward /= parts;
    times.input /= parts;
    times.weight /= parts;
    return times;
}

static struct asim_llm_phases same(uint64_t ns)
{
    return (struct asim_llm_phases){ns, ns, ns};
}

/* AICB looks these times up by name; a roofline knows only the sum. */
static struct asim_llm_phases part_time(struct maker *m, const char *name)
{
    if (!m->times->known)
        return same(1);
    if (m->times->has_phases)
        return piece_of(m->times->parts[ASIM_LLM_ATTENTION], 5);
    return same(m->llm->opt->roofline ? m->times->attention / 5 : asim_llm_time_of(m->times, name));
}

/* Not split over the tensor group, so without communication. */
static void put_linear(struct maker *m, const char *name)
{
    const struct asim_llm_comm comm[3] = {NOTHING, NOTHING, NOTHING};
    put_phases(m, name, part_time(m, name), comm);
}

/* Query and key-value are projected to a low rank and up again; the up-projections are split. */
static void put_deepseek_attention(struct maker *m)
{
    struct asim_llm_phases q = part_time(m, "attention_q_column");
    struct asim_llm_phases kv = part_time(m, "attention_kv_column");
    struct asim_llm_phases o = part_time(m, "attention_o_row");
    put_linear(m, "attention_linear_q_lora");
    put_column(m, "attention_q_column", q);
    put_linear(m, "attention_linear_kv_lora");
    put_column(m, "attention_kv_column", kv);
    put_row(m, "attention_o_row", o);
}

/* The block's time, or 1 ns. */
static uint64_t block_time(const struct maker *m, uint64_t ns, uint64_t parts)
{
    return m->times->known ? ns / parts : 1;
}

/* One of the equal pieces of a part; ns: its time where all phases take the same. */
static struct asim_llm_phases part_of(const struct maker *m, enum asim_llm_part part, uint64_t ns,
                                      uint64_t pieces)
{
    if (m->times->has_phases)
        return piece_of(m->times->parts[part], pieces);
    return same(block_time(m, ns, pieces));
}

/* Each half of a block takes half of its time. Recomputation doubles the forward rows: AICB runs
 * the block again in the backward pass but writes it here. */
static void put_attention(struct maker *m)
{
    int pieces = m->llm->opt->sp ? 2 : 1;
    struct asim_llm_phases piece =
        part_of(m, ASIM_LLM_ATTENTION, m->times->attention, (uint64_t)pieces);
    if (m->llm->opt->recompute && m->times->known && !m->times->has_phases)
        piece.forward *= 2;
    if (m->llm->deepseek) {
        put_deepseek_attention(m);
    } else if (m->llm->opt->sp) {
        put_column(m, "attention_column", piece);
        put_row(m, "attention_row", piece);
    } else {
        put_block(m, "attention_layer", piece);
    }
}

/* Sends counts, then tokens to the experts, over their tensor group and back. */
static void put_moe(struct maker *m)
{
    const struct asim_llm_options *o = m->llm->opt;
    uint64_t routed = m->T * o->topk, sent = routed / o->tp,
             counts = 2ull * o->ep * o->experts * o->tp;
    struct asim_llm_phases times = part_of(m, ASIM_LLM_MLP, m->times->mlp, 1);
    uint64_t dispatch = m->llm->deepseek ? sent * 33 / 64 : sent; /* FP8 and its scales */
    int experts = o->ep > 1, any = experts || m->tensor;
    const char *count_type = o->right ? "ALLGATHER_EP" : "ALLGATHER";
    const struct asim_llm_comm first[3] = {comm_if(o->right ? experts : any, count_type, counts),
                                           NOTHING, NOTHING};
    if (!m->times->has_phases)
        times.weight = 1;
    put_phases(m, "mlp_moelayer", times, first);
    put_comm(m, "mlp_moelayer", comm_if(experts, "ALLTOALL_EP", dispatch),
             comm_if(experts, "ALLTOALL_EP", sent), none());
    put_comm(m, "mlp_moelayer", comm_if(m->tensor, "ALLGATHER", routed),
             comm_if(m->tensor, "REDUCESCATTER", routed), none());
    put_comm(m, "mlp_moelayer", comm_if(m->tensor, "REDUCESCATTER", routed),
             comm_if(m->tensor, "ALLGATHER", routed), none());
    put_comm(m, "mlp_moelayer", comm_if(experts, "ALLTOALL_EP", sent),
             comm_if(experts, "ALLTOALL_EP", sent), none());
}

/* Layers are counted from 0; only DeepSeek has dense_layers. */
static void put_mlp(struct maker *m, uint64_t layer)
{
    struct asim_llm_phases half = part_of(m, ASIM_LLM_DENSE, m->times->mlp, 2);
    struct asim_llm_phases full = part_of(m, ASIM_LLM_MLP, m->times->mlp, 1);
    if (m->llm->opt->moe && !(m->llm->deepseek && layer < m->llm->opt->dense_layers)) {
        put_moe(m);
    } else if (m->llm->opt->sp) {
        put_column(m, "mlp_column", half);
        put_row(m, "mlp_row", half);
    } else {
        put_block(m, "mlp_layer", full);
    }
}

/* Weight gradient of the embedding. AICB takes the optimizer's time for the first micro-batch and
 * the last row's time for later ones. */
static uint64_t embedding_weights(const struct maker *m, int first)
{
    if (m->times->has_phases)
        return m->times->parts[ASIM_LLM_EMBEDDING].weight;
    if (m->llm->opt->right || !m->times->known)
        return block_time(m, m->times->embedding, 1);
    return first ? m->times->grad_backward : m->rows->list.at[m->rows->list.n - 1].compute_ns[2];
}

/* A layer of which each data-parallel rank has a part gathers it before its forward pass (a row
 * before it) and before its backward pass (a row behind it), and reduces its gradients at the end
 * of that. Gathering is not overlapped with the layer before. _DP_EP is the data group without
 * experts.
 */
static void put_shards(struct maker *m, int behind)
{
    const struct asim_llm *llm = m->llm;
    uint64_t params = (llm->params_total - llm->p_embedding - llm->p_final) / llm->stage_layers;
    struct asim_llm_comm gather =
        comm_if(1, "ALLGATHER_DP_EP", (uint64_t)asim_llm_element(llm->opt) * params);
    if (llm->opt->optimizer != ASIM_LLM_SHARDED)
        return;
    if (behind)
        put_comm(m, "shard_gather", none(), gather, none());
    else
        put_comm(m, "shard_reduce", gather, none(),
                 comm_if(1, "REDUCESCATTER", asim_llm_gradient(llm->opt) * params));
}

/* Recomputation of a whole layer begins with its first row and is asked for by its last (write.c).
 */
static void put_layer(struct maker *m, uint64_t layer)
{
    size_t first = m->rows->list.n;
    put_attention(m);
    put_mlp(m, layer);
    if (m->rows->failed)
        return;
    m->rows->list.at[first].starts_layer = 1;
    m->rows->list.at[m->rows->list.n - 1].ends_layer = 1;
}

/* Logits and loss. AICB has them with sequence parallelism only, and gives them half of the
 * attention's time; a compute model knows their own. */
static void put_final(struct maker *m)
{
    const struct asim_llm_comm comm[3] = {NOTHING, comm_if(m->tensor, "ALLREDUCE", m->T), NOTHING};
    if (m->llm->opt->sp)
        put_column(m, "final_column",
                   m->times->has_phases ? m->times->parts[ASIM_LLM_FINAL]
                                        : part_of(m, ASIM_LLM_ATTENTION, m->times->attention, 2));
    else if (m->times->has_phases)
        put_phases(m, "final_column", m->times->parts[ASIM_LLM_FINAL], comm);
}

/* Every micro-batch of the modelled stage has embedding and final layer. */
static void put_batch(struct maker *m, int first)
{
    const uint64_t ns[3] = {block_time(m, m->times->embedding, 1), 1, embedding_weights(m, first)};
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "ALLREDUCE", m->T), NOTHING, NOTHING};
    put(m, "embedding_layer", ns, comm);
    for (uint64_t layer = 0; layer < m->llm->stage_layers; layer++) {
        put_shards(m, 0);
        put_layer(m, layer);
        put_shards(m, 1);
    }
    put_final(m);
}

/* With as many expert ranks as data-parallel ranks every expert is alone and reduces nothing. */
static void put_expert_gradients(struct maker *m)
{
    if (m->llm->opt->ep == m->llm->dp)
        return;
    put_comm(m, "moe_grad_norm1", none(), none(),
             comm_if(1, "ALLGATHER_DP_EP", 2 * m->llm->params_moe));
    put_comm(m, "moe_grad_norm2", none(), none(),
             comm_if(1, "REDUCESCATTER_DP_EP", 4 * m->llm->params_moe));
}

/* What data-parallel ranks exchange: gradients, by default in 4 bytes, and parameters in 2 unless
 * each rank has the whole optimizer. */
static void put_gradients(struct maker *m, uint64_t dense)
{
    const struct asim_llm_options *o = m->llm->opt;
    if (o->optimizer == ASIM_LLM_SHARDED) /* layers reduce their own (put_shards) */
        dense = m->llm->p_embedding + m->llm->p_final;
    uint64_t grads = asim_llm_gradient(o) * dense;
    if (o->optimizer == ASIM_LLM_REPLICATED) {
        put_comm(m, "grad_param_comm", none(), none(), comm_if(1, "ALLREDUCE", grads));
        return;
    }
    put_comm(m, "grad_gather", none(), none(),
             comm_if(1, "ALLGATHER", (uint64_t)asim_llm_element(o) * dense));
    put_comm(m, "grad_param_comm", none(), none(), comm_if(1, "REDUCESCATTER", grads));
}

/* The optimizer's step: gathers parameters, scatters gradients. It comes first because SimAI runs
 * weight-gradient columns last to first, so it runs at the end of the iteration. */
static void put_head(struct maker *m)
{
    static const struct asim_llm_comm nothing[3] = {NOTHING, NOTHING, NOTHING};
    uint64_t dense = m->llm->params_total - m->llm->params_moe;
    const uint64_t step[3] = {
        1, m->times->known ? m->times->grad_forward + m->times->grad_backward : 1, 1};
    put_gradients(m, dense);
    put(m, "grad_param_compute", step, nothing);
    if (!m->llm->opt->sp && !m->llm->opt->right)
        put_comm(m, "layernorm", none(), comm_if(1, "ALLREDUCE", 2 * m->llm->params_total), none());
    put_comm(m, "embedding_grads", none(), comm_if(m->tensor, "ALLREDUCE", m->T), none());
    put_expert_gradients(m);
}

/* --- AICB's form without compute times -------------------------------------------------------- */

static void put_plain_layer(struct maker *m, uint64_t layer)
{
    uint64_t gathered = m->llm->opt->recompute ? 2 * m->T : m->T;
    struct asim_llm_comm reduce = comm_if(m->tensor, "ALLREDUCE", m->T);
    struct asim_llm_comm scatter = comm_if(m->tensor, "REDUCESCATTER", m->T), back = {"NONE", m->T};
    int moe = m->llm->opt->moe && !(m->llm->deepseek && layer < m->llm->opt->dense_layers);
    if (m->llm->deepseek) {
        put_deepseek_attention(m);
    } else if (m->llm->opt->sp) {
        put_comm(m, "attention_column", comm_if(m->tensor, "ALLGATHER", gathered), none(), none());
        put_comm(m, "attention_row", scatter, back, none());
    } else {
        put_comm(m, "attention_layer", reduce, reduce, none());
    }
    if (moe) {
        put_moe(m);
    } else if (m->llm->opt->sp) {
        put_comm(m, "mlp_column", comm_if(m->tensor, "ALLGATHER", m->T), none(), none());
        put_comm(m, "mlp_row", scatter, back, none());
    } else {
        put_comm(m, "mlp_layer", reduce, reduce, none());
    }
}

/* AICB's fault: the gather uses the tensor group, because it is in the forward column. */
static void put_plain_head(struct maker *m)
{
    uint64_t params = m->llm->params_total;
    put_comm(m, "grad_norm", comm_if(1, "ALLGATHER", 2 * params), none(),
             comm_if(1, "REDUCESCATTER", 4 * params));
    if (!m->llm->opt->sp)
        put_comm(m, "layernorm", none(), comm_if(1, "ALLREDUCE", 2 * params), none());
    put_expert_gradients(m);
}

/* embedding_norm reduces the whole embedding matrix, without padding and unsplit. */
static void put_plain_batch(struct maker *m)
{
    const struct asim_llm_options *o = m->llm->opt;
    struct asim_llm_comm unused = {"NONE", m->T};
    put_comm(m, "embedding_layer", unused, unused, none());
    for (uint64_t layer = 0; layer < m->llm->stage_layers; layer++)
        put_plain_layer(m, layer);
    if (o->sp)
        put_comm(m, "final_column", comm_if(m->tensor, "ALLGATHER", m->T), none(), none());
    put_comm(m, "embedding_norm", comm_if(1, "ALLREDUCE", 2 * o->vocab * o->hidden), none(),
             none());
}

/* Loss and gradient norm: a few bytes over the tensor group, no compute. */
static void put_tail(struct maker *m)
{
    static const char *const names[] = {"cross_entropy1", "cross_entropy2", "cross_entropy3",
                                        "optimizer1",     "optimizer2",     "optimizer3",
                                        "optimizer4"};
    static const uint64_t no_time[3] = {0, 0, 0};
    uint64_t loss = 4 * m->llm->opt->seq * m->llm->opt->micro_batch;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct asim_llm_comm comm[3] = {{"ALLREDUCE", i < 3 ? loss : 4}, NOTHING, NOTHING};
        put(m, names[i], no_time, comm);
    }
}

/* Rows are about 90 bytes; a thousand micro-batches of a hundred layers are 36 MB. */
int asim_llm_rows_make(struct asim_llm_rows *rows, const struct asim_llm *llm,
                       struct asim_llm_times *times, struct asim_err *err)
{
    struct maker m = {rows, llm, times, llm->tokens_bytes, llm->opt->tp > 1};
    int timed = times->known || llm->opt->right;
    if (timed)
        put_head(&m);
    else
        put_plain_head(&m);
    for (uint64_t i = 0; i < llm->ga && !rows->failed; i++) {
        if (timed)
            put_batch(&m, i == 0);
        else
            put_plain_batch(&m);
    }
    put_tail(&m);
    if (!rows->failed)
        return 0;
    return asim_err_set(err, ASIM_ENOMEM,
                        "the workload has too many rows for the memory (or more than 2^24): lower "
                        "global_batch or the number of layers.");
}
