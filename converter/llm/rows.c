/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rows of the workload in AICB's order (simai.md#rows-with-compute-times and
 * simai.md#rows-without-compute-times): gradient collectives of the optimizer once, then every
 * micro-batch's embedding, layers and final layer, then loss and optimizer. T = 2 b s h is what one
 * activation of a micro-batch weighs.
 *
 * AICB's faults, kept unless formulas=right: the backward reduce-scatter of a column-parallel layer
 * has 0 bytes, a layer without sequence parallelism reduces nothing backward, the count exchange of
 * a MoE layer goes over the tensor group though meant for experts, the embedding's weight gradient
 * takes the optimizer's time, and without compute times there is no backward communication.
 */
#include "llm/llm.h"
#include "llm/rows.h"
#include "llm/times.h"

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

/* --- layers, with compute times ------------------------------------------------------------------
 */

/* Column-parallel: gathers before, scatters the gradient after. */
static void put_column(struct maker *m, const char *name, uint64_t fwd_ns, uint64_t bwd_ns)
{
    uint64_t back = m->llm->opt->right ? m->T : 0;
    const uint64_t ns[3] = {fwd_ns, bwd_ns, bwd_ns};
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "ALLGATHER", m->T),
                                          comm_if(m->tensor, "REDUCESCATTER", back), NOTHING};
    put(m, name, ns, comm);
}

/* Row-parallel: scatters the sums before, gathers the gradient after. */
static void put_row(struct maker *m, const char *name, uint64_t fwd_ns, uint64_t bwd_ns)
{
    const uint64_t ns[3] = {fwd_ns, bwd_ns, bwd_ns};
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "REDUCESCATTER", m->T),
                                          comm_if(m->tensor, "ALLGATHER", m->T), NOTHING};
    put(m, name, ns, comm);
}

/* A whole block without sequence parallelism. */
static void put_block(struct maker *m, const char *name, uint64_t fwd_ns, uint64_t bwd_ns)
{
    const uint64_t ns[3] = {fwd_ns, bwd_ns, bwd_ns};
    int back = m->tensor && m->llm->opt->right;
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "ALLREDUCE", m->T),
                                          comm_if(back, "ALLREDUCE", m->T), NOTHING};
    put(m, name, ns, comm);
}

/* AICB looks these times up by name; a roofline knows only the sum. */
static uint64_t part_time(struct maker *m, const char *name)
{
    if (!m->times->known)
        return 1;
    return m->llm->opt->roofline ? m->times->attention / 5 : asim_llm_time_of(m->times, name);
}

/* Not split over the tensor group, so without communication. */
static void put_linear(struct maker *m, const char *name)
{
    uint64_t time = part_time(m, name);
    const uint64_t ns[3] = {time, time, time};
    const struct asim_llm_comm comm[3] = {NOTHING, NOTHING, NOTHING};
    put(m, name, ns, comm);
}

/* Query and key-value are projected to a low rank and up again; the up-projections are split. */
static void put_deepseek_attention(struct maker *m)
{
    uint64_t q = part_time(m, "attention_q_column"), kv = part_time(m, "attention_kv_column");
    uint64_t o = part_time(m, "attention_o_row");
    put_linear(m, "attention_linear_q_lora");
    put_column(m, "attention_q_column", q, q);
    put_linear(m, "attention_linear_kv_lora");
    put_column(m, "attention_kv_column", kv, kv);
    put_row(m, "attention_o_row", o, o);
}

/* The block's time, or 1 ns. */
static uint64_t block_time(const struct maker *m, uint64_t ns, uint64_t parts)
{
    return m->times->known ? ns / parts : 1;
}

/* Each half of a block takes half of its time. Recomputation doubles the forward rows: AICB runs
 * the block again in the backward pass but writes it here. */
static void put_attention(struct maker *m)
{
    uint64_t half = block_time(m, m->times->attention, 2);
    uint64_t full = block_time(m, m->times->attention, 1);
    uint64_t again = m->llm->opt->recompute && m->times->known ? 2 : 1;
    if (m->llm->deepseek) {
        put_deepseek_attention(m);
    } else if (m->llm->opt->sp) {
        put_column(m, "attention_column", again * half, half);
        put_row(m, "attention_row", again * half, half);
    } else {
        put_block(m, "attention_layer", again * full, full);
    }
}

/* Sends counts, then tokens to the experts, over their tensor group and back. */
static void put_moe(struct maker *m)
{
    const struct asim_llm_options *o = m->llm->opt;
    uint64_t routed = m->T * o->topk, sent = routed / o->tp,
             counts = 2ull * o->ep * o->experts * o->tp;
    uint64_t time = block_time(m, m->times->mlp, 1);
    uint64_t dispatch = m->llm->deepseek ? sent * 33 / 64 : sent; /* FP8 and its scales */
    int experts = o->ep > 1, any = experts || m->tensor;
    const uint64_t ns[3] = {time, time, 1};
    const char *count_type = o->right ? "ALLGATHER_EP" : "ALLGATHER";
    const struct asim_llm_comm first[3] = {comm_if(o->right ? experts : any, count_type, counts),
                                           NOTHING, NOTHING};
    put(m, "mlp_moelayer", ns, first);
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
    uint64_t half = block_time(m, m->times->mlp, 2), full = block_time(m, m->times->mlp, 1);
    if (m->llm->opt->moe && !(m->llm->deepseek && layer < m->llm->opt->dense_layers)) {
        put_moe(m);
    } else if (m->llm->opt->sp) {
        put_column(m, "mlp_column", half, half);
        put_row(m, "mlp_row", half, half);
    } else {
        put_block(m, "mlp_layer", full, full);
    }
}

/* Weight gradient of the embedding. AICB takes the optimizer's time for the first micro-batch and
 * the last row's time for later ones. */
static uint64_t embedding_weights(const struct maker *m, int first)
{
    if (m->llm->opt->right || !m->times->known)
        return block_time(m, m->times->embedding, 1);
    return first ? m->times->grad_backward : m->rows->list.at[m->rows->list.n - 1].compute_ns[2];
}

/* Every micro-batch of the modelled stage has embedding and final layer. */
static void put_batch(struct maker *m, int first)
{
    uint64_t half = block_time(m, m->times->attention, 2);
    const uint64_t ns[3] = {block_time(m, m->times->embedding, 1), 1, embedding_weights(m, first)};
    const struct asim_llm_comm comm[3] = {comm_if(m->tensor, "ALLREDUCE", m->T), NOTHING, NOTHING};
    put(m, "embedding_layer", ns, comm);
    for (uint64_t layer = 0; layer < m->llm->stage_layers; layer++) {
        put_attention(m);
        put_mlp(m, layer);
    }
    if (m->llm->opt->sp)
        put_column(m, "final_column", half, half);
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

/* The optimizer's step: gathers parameters in 2 bytes, scatters gradients in 4. It comes first
 * because SimAI runs weight-gradient columns last to first, so it runs at the end of the
 * iteration. */
static void put_head(struct maker *m)
{
    static const struct asim_llm_comm nothing[3] = {NOTHING, NOTHING, NOTHING};
    uint64_t dense = m->llm->params_total - m->llm->params_moe;
    const uint64_t step[3] = {
        1, m->times->known ? m->times->grad_forward + m->times->grad_backward : 1, 1};
    put_comm(m, "grad_gather", none(), none(), comm_if(1, "ALLGATHER", 2 * dense));
    put_comm(m, "grad_param_comm", none(), none(), comm_if(1, "REDUCESCATTER", 4 * dense));
    put(m, "grad_param_compute", step, nothing);
    if (!m->llm->opt->sp)
        put_comm(m, "layernorm", none(), comm_if(1, "ALLREDUCE", 2 * m->llm->params_total), none());
    put_comm(m, "embedding_grads", none(), comm_if(m->tensor, "ALLREDUCE", m->T), none());
    put_expert_gradients(m);
}

/* --- AICB's form without compute times ----------------------------------------------------------
 */

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
