/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Passes follow each other on the GPU. A pass receives its input when the pass before it has ended
 * (Megatron posts its receives so), and its last op sends the output, which nothing on this rank
 * waits for. A joined pass (DualPipe) begins with the one before it: the computation of the one
 * fills what the communication of the other leaves free.
 */

#include <inttypes.h>
#include <stdio.h>

#include "step/emit.h"

struct pass {
    const struct asim_step_pass *what;
    uint32_t stage; /* virtual */
    uint64_t from;  /* the op behind which it begins */
};

static struct asim_step_after behind(uint64_t at)
{
    return (struct asim_step_after){at, 0, 0};
}

/* --- between stages --------------------------------------------------------------------------- */

/* The message over the border behind virtual stage `from`: activations forward, or gradients back.
 */
static struct asim_step_message border(const struct asim_step_emit *e, const struct pass *p,
                                       uint32_t from, int back)
{
    const struct asim_step *s = e->step;
    uint32_t direction = s->opt->schedule == ASIM_STEP_DUALPIPE ? p->what->chunk : 0;
    uint32_t stage = asim_step_stage(s, p->stage == from ? from + 1 : from, direction);

    return (struct asim_step_message){
        .name = back ? "gradients" : "activations",
        .kind = ASIM_STEP_PIPE,
        .peer = stage * s->stage_ranks + e->place.local,
        .tag = ((p->what->micro * s->virtuals + from) * 2 + (uint32_t)back) * 2 + direction,
        .bytes = s->opt->sp ? s->activation / s->tp : s->activation};
}

static uint64_t receive(struct asim_step_emit *e, const struct pass *p, uint32_t from, int back)
{
    struct asim_step_message m = border(e, p, from, back);

    return asim_step_message(e, m, behind(p->from));
}

static void give(struct asim_step_emit *e, const struct pass *p, uint32_t from, int back,
                 uint64_t at)
{
    struct asim_step_message m = border(e, p, from, back);

    m.is_send = 1;
    asim_step_message(e, m, behind(at));
}

/* --- the ends of the model -------------------------------------------------------------------- */

static uint64_t embedding(struct asim_step_emit *e, uint64_t at)
{
    struct asim_step_after after =
        asim_step_gather(e, (struct asim_step_params){e->step->p_embedding, 0}, at);

    at = asim_step_compute_part(e, "embedding", ASIM_STEP_EMBED, ASIM_STEP_FORWARD, after);
    return asim_step_behind_row(e, "embedding_reduce", at);
}

/* Logits and the loss of a vocabulary-parallel softmax: three all-reduces of 4 bytes a token. Each
 * layer that predicts a further token has a loss, by the same matrix (DeepSeek-V3, section 2.2). */
static uint64_t head(struct asim_step_emit *e, uint64_t at)
{
    struct asim_step_after after =
        asim_step_gather(e, (struct asim_step_params){e->step->p_embedding, 0}, at);

    if (after.b)
        at = asim_step_compute(e, "parameters_ready", 1, after);
    for (uint32_t loss = 0; loss <= e->step->opt->mtp_layers; loss++) {
        at = asim_step_before_column(e, "head_gather", at);
        at = asim_step_compute_part(e, "head", ASIM_STEP_HEAD, ASIM_STEP_FORWARD, behind(at));
        for (int i = 0; i < 3; i++)
            at = asim_step_collective(e,
                                      (struct asim_step_coll){"loss", ASIM_STEP_TENSOR,
                                                              ASIM_ALL_REDUCE, 4 * e->step->tokens},
                                      behind(at));
    }
    return at;
}

static uint64_t head_backward(struct asim_step_emit *e, uint64_t at)
{
    for (uint32_t loss = 0; loss <= e->step->opt->mtp_layers; loss++)
        at = asim_step_behind_row(
            e, "head_reduce_gradients",
            asim_step_compute_part(e, "head_dgrad", ASIM_STEP_HEAD, ASIM_STEP_DGRAD, behind(at)));
    return at;
}

static uint64_t head_weights(struct asim_step_emit *e, uint64_t at)
{
    for (uint32_t loss = 0; loss <= e->step->opt->mtp_layers; loss++) {
        uint64_t inputs = asim_step_before_column(e, "head_gather_inputs", at);
        at = asim_step_compute_part(e, "head_wgrad", ASIM_STEP_HEAD, ASIM_STEP_WGRAD,
                                    (struct asim_step_after){at, inputs, 0});
    }
    return at;
}

static uint64_t embedding_weights(struct asim_step_emit *e, uint64_t at)
{
    at = asim_step_before_column(e, "embedding_gather_gradients", at);
    return asim_step_compute_part(e, "embedding_wgrad", ASIM_STEP_EMBED, ASIM_STEP_WGRAD,
                                  behind(at));
}

/* --- passes ----------------------------------------------------------------------------------- */

static uint64_t forward(struct asim_step_emit *e, const struct pass *p)
{
    const struct asim_step *s = e->step;
    uint32_t end = asim_step_first_layer(s, p->stage + 1);
    uint64_t at = p->stage ? receive(e, p, p->stage - 1, 0) : embedding(e, p->from);

    for (uint32_t layer = asim_step_first_layer(s, p->stage); layer < end; layer++)
        at = asim_step_layer_forward(e, layer, at, 0);
    if (p->stage + 1 == s->virtuals)
        return head(e, at);
    give(e, p, p->stage, 0, at);
    return at;
}

/* Gradients of a layer, or an end of the model, whose weights this pass did. */
static void reduce(struct asim_step_emit *e, const struct pass *p, struct asim_step_params params,
                   uint64_t at)
{
    if (asim_step_reduces_now(e, p->what->micro, p->what->chunk))
        asim_step_reduce(e, p->stage, params, at);
}

static uint64_t backward(struct asim_step_emit *e, const struct pass *p, int fused)
{
    const struct asim_step *s = e->step;
    uint32_t first = asim_step_first_layer(s, p->stage);
    uint64_t at = p->from;

    if (p->stage + 1 < s->virtuals) {
        at = receive(e, p, p->stage, 1);
    } else {
        at = head_backward(e, at);
        if (fused) {
            at = head_weights(e, at);
            reduce(e, p, (struct asim_step_params){s->p_embedding, 0}, at);
        }
    }
    for (uint32_t layer = asim_step_first_layer(s, p->stage + 1); layer-- > first;) {
        at = asim_step_layer_backward(e, layer, at, fused);
        if (fused)
            reduce(e, p, asim_step_layer_params(s, layer), at);
    }
    if (p->stage) {
        give(e, p, p->stage - 1, 1, at);
    } else if (fused) {
        at = embedding_weights(e, at);
        reduce(e, p, (struct asim_step_params){s->p_embedding, 0}, at);
    }
    return at;
}

static uint64_t weights(struct asim_step_emit *e, const struct pass *p)
{
    const struct asim_step *s = e->step;
    uint32_t first = asim_step_first_layer(s, p->stage);
    uint64_t at = p->from;

    if (p->stage + 1 == s->virtuals) {
        at = head_weights(e, at);
        reduce(e, p, (struct asim_step_params){s->p_embedding, 0}, at);
    }
    for (uint32_t layer = asim_step_first_layer(s, p->stage + 1); layer-- > first;) {
        at = asim_step_layer_weights(e, layer, at);
        reduce(e, p, asim_step_layer_params(s, layer), at);
    }
    if (!p->stage) {
        at = embedding_weights(e, at);
        reduce(e, p, (struct asim_step_params){s->p_embedding, 0}, at);
    }
    return at;
}

static uint64_t run_pass(struct asim_step_emit *e, const struct asim_step_pass *what, uint64_t from)
{
    static const char *const letters[] = {"F", "BW", "B", "W"};
    struct pass p = {what, asim_step_virtual(e->step, e->place.stage, what->chunk), from};

    snprintf(e->prefix, sizeof e->prefix, "%s%" PRIu32 ".%" PRIu32 " ", letters[what->type],
             what->micro, p.stage);
    e->is_back = what->type != ASIM_STEP_F;
    e->is_first = !e->is_back && !what->micro;
    if (!e->is_back)
        return forward(e, &p);
    return what->type == ASIM_STEP_W ? weights(e, &p) : backward(e, &p, what->type == ASIM_STEP_BW);
}

/* The end of two joined passes is an op behind both. */
void asim_step_passes(struct asim_step_emit *e, const struct asim_step_order *order)
{
    uint64_t at = 0, before = 0;

    for (size_t i = 0; i < order->list.n && !e->rc; i++) {
        const struct asim_step_pass *what = &order->list.at[i];
        uint64_t from = what->joined ? before : at;
        uint64_t end = run_pass(e, what, from);
        if (what->joined)
            end = asim_step_compute(e, "joined", 1, (struct asim_step_after){at, end, 0});
        before = from;
        at = end;
    }
    e->prefix[0] = '\0';
    asim_step_optimizer(e, at);
}
