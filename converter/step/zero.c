/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What data parallelism sends: gradients, and with ZeRO parameters (Rajbhandari et al., 2020).
 * zero=0  all-reduce of the gradients once a step zero=1  reduce-scatter of the gradients,
 * all-gather of the parameters once a step zero=2  the gradients are reduced and scattered after
 * every micro-batch zero=3  so, and parameters are gathered before each forward and backward pass
 * of a layer, `prefetch` layer passes ahead With overlap_param_gather, zero=1 and 2 gather those of
 * a layer before its first forward pass, as if the step before had left them. Parameters have 2
 * bytes, gradients `grad_bytes`. Gathers and reductions have communicators of their own, so that
 * one need not wait for the other (as FullyShardedDataParallel does with streams).
 */
#include "step/emit.h"

#include "step/step.h"

static uint64_t share(uint64_t bytes, uint64_t n)
{
    return (bytes + n - 1) / n;
}

static uint64_t gather_one(struct asim_step_emit *e, int group, uint64_t params, uint64_t at)
{
    uint64_t n = asim_step_group_size(e->step, &e->place, group);

    return asim_step_collective(
        e,
        (struct asim_step_coll){"gather_parameters", group, ASIM_ALL_GATHER, share(2 * params, n)},
        (struct asim_step_after){at, 0, 0});
}

struct asim_step_after asim_step_gather(struct asim_step_emit *e, struct asim_step_params params,
                                        uint64_t at)
{
    struct asim_step_after after = {at, 0, 0};
    uint64_t ahead = e->step->opt->prefetch, from = at;

    if (e->step->opt->zero < 3 && !(e->step->opt->overlap_parameters && e->is_first))
        return after;
    e->starts[e->n_starts % ASIM_STEP_STARTS] = at;
    if (ahead)
        from = e->n_starts >= ahead ? e->starts[(e->n_starts - ahead) % ASIM_STEP_STARTS] : 0;
    e->n_starts++;
    if (params.dense)
        after.b = gather_one(e, ASIM_STEP_GATHERS, params.dense, from);
    if (params.experts)
        after.c = gather_one(e, ASIM_STEP_EXPERT_GATHERS, params.experts, from);
    return after;
}

static void reduce_one(struct asim_step_emit *e, int group, uint64_t params, uint64_t at)
{
    uint64_t n = asim_step_group_size(e->step, &e->place, group);
    uint64_t bytes = params * (uint64_t)(e->step->opt->gradient_16bit ? 2 : 4);
    int type = e->step->opt->zero ? ASIM_REDUCE_SCATTER : ASIM_ALL_REDUCE;

    if (e->step->opt->zero) /* padded, so that the parts are equal */
        bytes = share(bytes, n) * n;
    asim_step_collective(e, (struct asim_step_coll){"reduce_gradients", group, type, bytes},
                         (struct asim_step_after){at, 0, 0});
}

/* The lower and the upper stage of a DualPipe pair have groups of their own, because the two ranks
 * come to them in different orders. */
static int upper(const struct asim_step_emit *e, uint32_t virtual_stage)
{
    return e->step->opt->schedule == ASIM_STEP_DUALPIPE && virtual_stage >= e->step->pp / 2
               ? ASIM_STEP_UPPER - ASIM_STEP_GATHERS
               : 0;
}

void asim_step_reduce(struct asim_step_emit *e, uint32_t virtual_stage,
                      struct asim_step_params params, uint64_t at)
{
    int more = upper(e, virtual_stage);

    if (params.dense)
        reduce_one(e, ASIM_STEP_REDUCES + more, params.dense, at);
    if (params.experts)
        reduce_one(e, ASIM_STEP_EXPERT_REDUCES + more, params.experts, at);
}

/* The last micro-batch of the chunk: DualPipe gives each direction half of them. */
int asim_step_reduces_now(const struct asim_step_emit *e, uint32_t micro, uint32_t chunk)
{
    uint32_t last = e->step->micros - 1;

    if (e->step->opt->schedule == ASIM_STEP_DUALPIPE && !chunk)
        last = e->step->micros / 2 - 1;
    return e->step->opt->zero >= 2 || (e->step->opt->overlap_gradients && micro == last);
}

static struct asim_step_params chunk_params(const struct asim_step *s, uint32_t virtual_stage)
{
    struct asim_step_params sum = {0, 0};
    uint32_t end = asim_step_first_layer(s, virtual_stage + 1);

    for (uint32_t l = asim_step_first_layer(s, virtual_stage); l < end; l++) {
        struct asim_step_params p = asim_step_layer_params(s, l);
        sum.dense += p.dense;
        sum.experts += p.experts;
    }
    sum.dense += (virtual_stage == 0) * s->p_embedding;
    sum.dense += (virtual_stage == s->virtuals - 1) * s->p_embedding;
    return sum;
}

/* Time of the optimizer for the rank's shard. */
static uint64_t optimizer_ns(const struct asim_step_emit *e, struct asim_step_params p)
{
    uint64_t dense = 1, experts = 1;

    if (e->step->opt->zero) {
        dense = asim_step_group_size(e->step, &e->place, ASIM_STEP_GATHERS);
        experts = asim_step_group_size(e->step, &e->place, ASIM_STEP_EXPERT_GATHERS);
    }
    return asim_step_optimizer_ns(e->step, share(p.dense, dense) + share(p.experts, experts));
}

static uint64_t last_reductions(struct asim_step_emit *e, uint64_t at)
{
    int more = ASIM_STEP_UPPER - ASIM_STEP_GATHERS;

    if (e->step->opt->schedule == ASIM_STEP_DUALPIPE)
        at =
            asim_step_compute(e, "gradients_ready", 1,
                              (struct asim_step_after){at, e->stream[ASIM_STEP_REDUCES + more],
                                                       e->stream[ASIM_STEP_EXPERT_REDUCES + more]});
    return asim_step_collective(
        e, (struct asim_step_coll){"gradient_norm", ASIM_STEP_WORLD, ASIM_ALL_REDUCE, 4},
        (struct asim_step_after){at, e->stream[ASIM_STEP_REDUCES],
                                 e->stream[ASIM_STEP_EXPERT_REDUCES]});
}

void asim_step_optimizer(struct asim_step_emit *e, uint64_t at)
{
    const struct asim_step *s = e->step;
    struct asim_step_params sum = {0, 0};

    for (uint32_t chunk = 0; chunk < s->chunks; chunk++) {
        uint32_t v = asim_step_virtual(s, e->place.stage, chunk);
        struct asim_step_params p = chunk_params(s, v);
        sum.dense += p.dense;
        sum.experts += p.experts;
        if (s->opt->zero < 2 && !s->opt->overlap_gradients)
            asim_step_reduce(e, v, p, at);
    }
    at = last_reductions(e, at);
    at =
        asim_step_compute(e, "optimizer", optimizer_ns(e, sum), (struct asim_step_after){at, 0, 0});
    if (s->opt->zero == 0 || s->opt->zero == 3 || s->opt->overlap_parameters)
        return;
    for (uint32_t chunk = 0; chunk < s->chunks; chunk++) {
        uint32_t v = asim_step_virtual(s, e->place.stage, chunk);
        struct asim_step_params p = chunk_params(s, v);
        gather_one(e, ASIM_STEP_GATHERS + upper(e, v), p.dense, at);
        if (p.experts)
            gather_one(e, ASIM_STEP_EXPERT_GATHERS + upper(e, v), p.experts, at);
    }
}
