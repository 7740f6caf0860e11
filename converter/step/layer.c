/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ops of one layer in one pass. `at` is the op that they follow; each returns the last one.
 * Tensor parallelism with sequence parallelism (Korthikanti et al., 2022): forward an all-gather
 * before and a reduce-scatter behind attention and MLP each; backward the same with the gradients,
 * and the inputs of both are gathered again for the weight gradients. Without sequence parallelism
 * (Shoeybi et al., 2019): an all-reduce behind each, forward and backward. Weight gradients are
 * computed while the gradients of the inputs are on their way.
 */
#include "step/emit.h"

static struct asim_step_after behind(uint64_t at)
{
    return (struct asim_step_after){at, 0, 0};
}

static uint64_t part(struct asim_step_emit *e, const char *name, int which, int phase, uint64_t at)
{
    return asim_step_compute_part(e, name, which, phase, behind(at));
}

uint64_t asim_step_before_column(struct asim_step_emit *e, const char *name, uint64_t at)
{
    const struct asim_step *s = e->step;

    if (!s->opt->sp)
        return at;
    return asim_step_collective(
        e, (struct asim_step_coll){name, ASIM_STEP_TENSOR, ASIM_ALL_GATHER, s->activation / s->tp},
        behind(at));
}

uint64_t asim_step_behind_row(struct asim_step_emit *e, const char *name, uint64_t at)
{
    const struct asim_step *s = e->step;

    return asim_step_collective(
        e,
        (struct asim_step_coll){name, ASIM_STEP_TENSOR,
                                s->opt->sp ? ASIM_REDUCE_SCATTER : ASIM_ALL_REDUCE, s->activation},
        behind(at));
}

/* Experts have no tensor-parallel collectives of their own; shared ones do. */
static int has_row(const struct asim_step *s, uint32_t layer)
{
    return !asim_step_is_moe(s, layer) || s->times.part[ASIM_STEP_SHARED].flops > 0;
}

static uint64_t mlp_forward(struct asim_step_emit *e, uint32_t layer, uint64_t at)
{
    int row = has_row(e->step, layer);

    if (row)
        at = asim_step_before_column(e, "mlp_gather", at);
    if (asim_step_is_moe(e->step, layer))
        at = asim_step_moe_forward(e, layer, at);
    else
        at = part(e, "mlp", ASIM_STEP_MLP, ASIM_STEP_FORWARD, at);
    return row ? asim_step_behind_row(e, "mlp_reduce", at) : at;
}

uint64_t asim_step_layer_forward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int again)
{
    struct asim_step_after after =
        again ? behind(at) : asim_step_gather(e, asim_step_layer_params(e->step, layer), at);

    at = asim_step_compute_part(e, "layernorm", ASIM_STEP_NORM1, ASIM_STEP_FORWARD, after);
    at = asim_step_before_column(e, "attention_gather", at);
    at = part(e, "atten_qkv", ASIM_STEP_QKV, ASIM_STEP_FORWARD, at);
    at = asim_step_ring_forward(e, at);
    at = part(e, "atten_linear", ASIM_STEP_PROJ, ASIM_STEP_FORWARD, at);
    at = asim_step_behind_row(e, "attention_reduce", at);
    at = part(e, "layernorm2", ASIM_STEP_NORM2, ASIM_STEP_FORWARD, at);
    return mlp_forward(e, layer, at);
}

/* --- backward --------------------------------------------------------------------------------- */

/* What the weight gradients of a block wait for: the inputs gathered again, from the start of the
 * block on, and the gradients. */
static uint64_t mlp_weights(struct asim_step_emit *e, uint32_t layer, int fused,
                            struct asim_step_after after)
{
    if (asim_step_is_moe(e->step, layer))
        return asim_step_moe_weights(e, layer, fused, after);
    return asim_step_compute_part(e, "mlp_wgrad", ASIM_STEP_MLP, ASIM_STEP_WGRAD, after);
}

static uint64_t attention_weights(struct asim_step_emit *e, struct asim_step_after after)
{
    uint64_t at =
        asim_step_compute_part(e, "atten_linear_wgrad", ASIM_STEP_PROJ, ASIM_STEP_WGRAD, after);

    return part(e, "atten_qkv_wgrad", ASIM_STEP_QKV, ASIM_STEP_WGRAD, at);
}

static uint64_t mlp_backward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int fused)
{
    int row = has_row(e->step, layer);
    uint64_t gradients, inputs = 0, sent, weights = 0;

    if (row)
        at = asim_step_before_column(e, "mlp_gather_gradients", at);
    if (row && fused)
        inputs = asim_step_before_column(e, "mlp_gather_inputs", at);
    if (asim_step_is_moe(e->step, layer)) {
        sent = asim_step_moe_backward(e, layer, at, fused, &gradients);
    } else {
        sent = gradients = part(e, "mlp_dgrad", ASIM_STEP_MLP, ASIM_STEP_DGRAD, at);
    }
    if (row)
        sent = asim_step_behind_row(e, "mlp_reduce_gradients", sent);
    if (fused)
        weights = mlp_weights(e, layer, 1, (struct asim_step_after){gradients, inputs, 0});
    return asim_step_compute_part(e, "layernorm2_dgrad", ASIM_STEP_NORM2, ASIM_STEP_DGRAD,
                                  (struct asim_step_after){sent, weights, 0});
}

static uint64_t attention_backward(struct asim_step_emit *e, uint64_t at, int fused)
{
    uint64_t inputs = 0, sent, weights = 0;

    at = asim_step_before_column(e, "attention_gather_gradients", at);
    if (fused)
        inputs = asim_step_before_column(e, "attention_gather_inputs", at);
    at = part(e, "atten_linear_dgrad", ASIM_STEP_PROJ, ASIM_STEP_DGRAD, at);
    if (e->step->opt->recompute || e->step->opt->recompute_how == ASIM_LLM_SELECTIVE)
        at = asim_step_ring_forward(e, at);
    at = asim_step_ring_backward(e, at);
    at = part(e, "atten_qkv_dgrad", ASIM_STEP_QKV, ASIM_STEP_DGRAD, at);
    sent = asim_step_behind_row(e, "attention_reduce_gradients", at);
    if (fused)
        weights = attention_weights(e, (struct asim_step_after){at, inputs, 0});
    return asim_step_compute_part(e, "layernorm_dgrad", ASIM_STEP_NORM1, ASIM_STEP_DGRAD,
                                  (struct asim_step_after){sent, weights, 0});
}

uint64_t asim_step_layer_backward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int fused)
{
    struct asim_step_after after = asim_step_gather(e, asim_step_layer_params(e->step, layer), at);

    if (after.b || after.c)
        at = asim_step_compute(e, "parameters_ready", 1, after);
    if (e->step->opt->recompute_how == ASIM_LLM_FULL)
        at = asim_step_layer_forward(e, layer, at, 1);
    at = mlp_backward(e, layer, at, fused);
    return attention_backward(e, at, fused);
}

uint64_t asim_step_layer_weights(struct asim_step_emit *e, uint32_t layer, uint64_t at)
{
    uint64_t inputs = 0;

    if (has_row(e->step, layer))
        inputs = asim_step_before_column(e, "mlp_gather_inputs", at);
    at = mlp_weights(e, layer, 0, (struct asim_step_after){at, inputs, 0});
    inputs = asim_step_before_column(e, "attention_gather_inputs", at);
    return attention_weights(e, (struct asim_step_after){at, inputs, 0});
}
