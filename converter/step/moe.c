/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Experts: dispatch of tokens, expert computation, combination of the results.
 *
 * - normal, DeepEP's kernels for training and prefill: a token goes once to each server with one of
 *   its experts, to the GPU of the sender's index there, and from it over NVLink once to each GPU
 *   with an expert; back the same way, with sums per server. The two legs run in `dispatch_chunks`
 *   pieces, so that a piece is forwarded while the next one is under way.
 * - low-latency, DeepEP's kernels for decode: a message for each (token, expert) pair, straight.
 * - all-to-all, Megatron Core's dispatcher: the same without the header of a message.
 *
 * Dispatch has 2 bytes an element or, with fp8, 1 and a scale of 4 bytes for 128; results have 2.
 * Backward, gradients are dispatched and combined likewise.
 */
#include "step/emit.h"

#include "step/step.h"

uint64_t asim_step_dispatch_bytes(const struct asim_step *s)
{
    uint64_t h = s->opt->hidden;
    uint64_t header = s->opt->dispatch == ASIM_STEP_LOW_LATENCY ? 16 : 0;

    return (s->opt->dispatch_fp8 ? h + (h + 127) / 128 * 4 : 2 * h) + header;
}

uint64_t asim_step_combine_bytes(const struct asim_step *s)
{
    return 2 * s->opt->hidden;
}

struct moe {
    struct asim_step_emit *e;
    const struct asim_step *s;
    const struct asim_step_route *route;
    uint32_t local, member, per, servers;
};

static struct moe open_moe(struct asim_step_emit *e, uint32_t layer)
{
    const struct asim_step *s = e->step;

    return (struct moe){e,
                        s,
                        &s->routes.at[asim_step_moe_before(s, layer)],
                        e->place.local,
                        e->place.expert,
                        s->routes.per_server,
                        s->routes.servers};
}

/* Of member `from` of the expert group to member `to`. */
static uint64_t rows(const struct moe *m, uint32_t from, uint32_t to)
{
    return m->route->rows[(size_t)asim_step_member(m->s, m->local, from) * m->s->ep + to];
}

static uint64_t copies(const struct moe *m, uint32_t from, uint32_t to)
{
    return m->route->copies[(size_t)asim_step_member(m->s, m->local, from) * m->s->ep + to];
}

static uint64_t to_server(const struct moe *m, uint32_t from, uint32_t server)
{
    return m->route->servers[(size_t)asim_step_member(m->s, m->local, from) * m->servers + server];
}

/* Tokens that come to a server's member `at` on the way from the sources of its index, for its
 * neighbour `to`. */
static uint64_t forwarded(const struct moe *m, uint32_t at, uint32_t to)
{
    uint32_t server = m->member / m->per;
    uint64_t sum = 0;

    for (uint32_t n = 0; n < m->servers; n++)
        sum += copies(m, n * m->per + at, server * m->per + to);
    return sum;
}

/* Piece q of n of so many tokens. */
static uint64_t piece(uint64_t tokens, uint32_t q, uint32_t n)
{
    return tokens * (q + 1) / n - tokens * q / n;
}

/* One leg of one piece; back: the way of the results. */
struct leg {
    int is_rail, back;
    uint32_t q, n;
    uint64_t token_bytes;
};

static uint64_t leg_tokens(const struct moe *m, const struct leg *leg, uint32_t i)
{
    uint32_t own = m->member % m->per, server = m->member / m->per;

    if (m->s->opt->dispatch != ASIM_STEP_NORMAL)
        return leg->back ? rows(m, i, m->member) : rows(m, m->member, i);
    if (leg->is_rail)
        return leg->back ? to_server(m, i * m->per + own, server) : to_server(m, m->member, i);
    return leg->back ? forwarded(m, i, own) : forwarded(m, own, i);
}

static uint64_t put_leg(const struct moe *m, const struct leg *leg, uint64_t at)
{
    int group = leg->is_rail ? ASIM_STEP_RAIL : ASIM_STEP_SERVER;
    uint32_t n = asim_step_group_size(m->s, &m->e->place, group);

    for (uint32_t i = 0; n > 1 && i < n; i++)
        m->e->sizes[i] = piece(leg_tokens(m, leg, i), leg->q, leg->n) * leg->token_bytes;
    return asim_step_all_to_all_v(m->e, leg->back ? "combine" : "dispatch", group,
                                  (struct asim_step_after){at, 0, 0});
}

/* Rail then server, or back. */
static uint64_t exchange(const struct moe *m, int back, uint64_t at)
{
    uint32_t n = m->s->opt->dispatch == ASIM_STEP_NORMAL ? m->s->opt->dispatch_chunks : 1;
    uint64_t bytes = back ? asim_step_combine_bytes(m->s) : asim_step_dispatch_bytes(m->s);
    uint64_t last = at;

    for (uint32_t q = 0; q < n; q++) {
        struct leg leg = {!back, back, q, n, bytes};
        last = put_leg(m, &leg, at);
        leg.is_rail = back;
        last = put_leg(m, &leg, last);
    }
    return last;
}

/* --- expert-tensor parallelism ---------------------------------------------------------------- */

/* Tokens that the rank receives, and pairs. */
static uint64_t received(const struct moe *m, int pairs)
{
    uint64_t sum = 0;

    for (uint32_t from = 0; from < m->s->ep; from++)
        sum += pairs ? rows(m, from, m->member) : copies(m, from, m->member);
    return sum;
}

/* The same rank as seen from member i of the expert-tensor group. */
static struct moe beside(const struct moe *m, uint32_t i)
{
    struct moe other = *m;

    other.local = m->local - m->e->place.expert_tensor + i;
    return other;
}

static uint64_t all_pairs(const struct moe *m)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < m->s->etp; i++) {
        struct moe other = beside(m, i);
        sum += received(&other, 1);
    }
    return sum;
}

/* An all-gather or reduce-scatter of unequal parts, as an all-to-all-v: each gives its tokens to
 * all, or to each what is that rank's. */
static uint64_t share_tokens(const struct moe *m, const char *name, int gather, uint64_t at)
{
    for (uint32_t i = 0; i < m->s->etp; i++) {
        struct moe other = beside(m, gather ? m->e->place.expert_tensor : i);
        m->e->sizes[i] = received(&other, 0) * 2 * m->s->opt->hidden;
    }
    return asim_step_all_to_all_v(m->e, name, ASIM_STEP_EXPERT_TENSOR,
                                  (struct asim_step_after){at, 0, 0});
}

/* --- the layer -------------------------------------------------------------------------------- */

static uint64_t experts(const struct moe *m, int phase, struct asim_step_after after)
{
    static const char *const names[] = {"moe_experts", "moe_experts_dgrad", "moe_experts_wgrad"};

    return asim_step_compute(m->e, names[phase], asim_step_expert_ns(m->s, all_pairs(m), phase),
                             after);
}

static uint64_t part(struct asim_step_emit *e, const char *name, int which, int phase, uint64_t at)
{
    return asim_step_compute_part(e, name, which, phase, (struct asim_step_after){at, 0, 0});
}

uint64_t asim_step_moe_forward(struct asim_step_emit *e, uint32_t layer, uint64_t at)
{
    struct moe m = open_moe(e, layer);
    uint64_t routed = part(e, "moe_router", ASIM_STEP_ROUTER, ASIM_STEP_FORWARD, at);
    uint64_t there = exchange(&m, 0, routed), shared = routed;

    if (e->step->times.part[ASIM_STEP_SHARED].flops > 0)
        shared = part(e, "moe_shared", ASIM_STEP_SHARED, ASIM_STEP_FORWARD, routed);
    there = share_tokens(&m, "gather_tokens", 1, there);
    at = experts(&m, ASIM_STEP_FORWARD, (struct asim_step_after){there, shared, 0});
    at = share_tokens(&m, "reduce_tokens", 0, at);
    at = exchange(&m, 1, at);
    return part(e, "moe_unpermute", ASIM_STEP_GATHER, ASIM_STEP_FORWARD, at);
}

/* Weight gradients of experts come before the tokens' gradients go back: Transformer Engine's
 * grouped product makes both in one function, unless the schedule splits them. */
uint64_t asim_step_moe_backward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int fused,
                                uint64_t *ready)
{
    struct moe m = open_moe(e, layer);
    uint64_t start = part(e, "moe_unpermute_dgrad", ASIM_STEP_GATHER, ASIM_STEP_DGRAD, at);
    uint64_t there = exchange(&m, 0, start), shared = start;

    if (e->step->times.part[ASIM_STEP_SHARED].flops > 0)
        shared = part(e, "moe_shared_dgrad", ASIM_STEP_SHARED, ASIM_STEP_DGRAD, start);
    there = share_tokens(&m, "gather_gradients", 1, there);
    *ready = experts(&m, ASIM_STEP_DGRAD, (struct asim_step_after){there, shared, 0});
    if (fused)
        *ready = experts(&m, ASIM_STEP_WGRAD, (struct asim_step_after){*ready, 0, 0});
    at = share_tokens(&m, "reduce_token_gradients", 0, *ready);
    at = exchange(&m, 1, at);
    return part(e, "moe_router_dgrad", ASIM_STEP_ROUTER, ASIM_STEP_DGRAD, at);
}

uint64_t asim_step_moe_weights(struct asim_step_emit *e, uint32_t layer, int fused,
                               struct asim_step_after after)
{
    struct moe m = open_moe(e, layer);
    uint64_t at = fused ? after.a : experts(&m, ASIM_STEP_WGRAD, after);

    if (e->step->times.part[ASIM_STEP_SHARED].flops > 0)
        at = asim_step_compute_part(e, "moe_shared_wgrad", ASIM_STEP_SHARED, ASIM_STEP_WGRAD,
                                    (struct asim_step_after){at, after.b, 0});
    return at;
}
