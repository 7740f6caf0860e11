/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One engine for every algorithm: it walks the plan's steps as tokens come (see coll/coll.h). A
 * token costs the endpoint delay and, where the plan says so, three passes over local memory for
 * the reduction, each truncated on its own (system-layer.md#endpoint-delay-and-reduction). Inside
 * sub-groups the delay is 10 ns whatever endpoint-delay says. parity: ASTRA-sim's "Fast"
 * transport.
 *
 * State per stream: the step next to be taken, tokens free, messages received. Cost per step: one
 * look at the plan and one message; nothing is allocated but events. The engine knows no algorithm
 * by name: what differs between ring, tree and direct is in the plan.
 */
#include "sim/collective/coll_run.h"
#include "sim/collective/chunk_scheduler.h"
#include "sim/collective/graph_runner.h"
#include "sim/collective/match.h"
#include "sim/collective/send.h"
#include "sim/parts.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/bus.h"
#include "sim/collective/uniform_phase.h"

enum { SUBGROUP_DELAY_NS = 10, REDUCE_PASSES = 3 };

/* Positions of plans become ranks here, and only here. */
uint32_t asim_ring_rank(const struct asim_ring_of *ring, uint32_t position)
{
    return ring->members ? ring->members[position] : ring->base + position * ring->stride;
}

/* Over the bus: bundle number h goes from the NPU or from the memory agent and may come back, as
 * the pipeline's pattern says; algorithms without one come from the NPU at the start only.
 * Only the LogGP bus wants to know; without it a bundle is its delay. */
static struct asim_bus_transfer carry_of(const struct asim_plan *plan, uint64_t h, uint64_t reduce)
{
    struct asim_bus_transfer carry = {.bytes = plan->msg_bytes, .reduce_bytes = reduce};
    uint64_t at = plan->cycle ? h % plan->cycle : h;
    struct asim_step step;

    if (!plan->cycle) {
        carry.bytes = carry.bytes ? carry.bytes : plan->coll.bytes;
        carry.from_npu = h < plan->start_credits;
        return carry;
    }
    plan->algo->step(plan, h, &step);
    carry.bytes = step.send_bytes;
    carry.from_npu = at < plan->burst;
    carry.back = !carry.from_npu && plan->cycle - at > plan->burst;
    return carry;
}

/* Token number h of the phase is on its way; `reduce` bytes are reduced before it is free. */
static void mint(struct asim_rank *rank, struct asim_chunk *stream, uint64_t h, uint64_t reduce)
{
    struct asim_bus_transfer carry;

    if (stream->delay_ns != ASIM_NEVER) {
        asim_clock_add_chunk(rank, stream->delay_ns, ASIM_RANK_EVENT_DELAY, stream, reduce);
        return;
    }
    carry = carry_of(&stream->plan, h, reduce);
    asim_bus_start(rank, stream, &carry);
}

static uint64_t delay_of(const struct asim_rank *rank, const struct asim_chunk *stream)
{
    const struct asim_phase *phase = asim_chunk_phase(stream);

    if (phase->subgroup && !phase->choice->algo->subgroup_pays_delay)
        return SUBGROUP_DELAY_NS + rank->endpoint_ns - (uint64_t)rank->world->endpoint_ns;
    return rank->bus ? ASIM_NEVER : rank->endpoint_ns;
}

/* The send is given to the network before the receive is posted (system-layer.md#credit-engine).
 * Sends of collectives carry no cookie: nothing waits for them. */
static inline void do_step(struct asim_rank *rank, struct asim_chunk *stream,
                           const struct asim_step *step)
{
    struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = step->send_bytes,
                           .tag = stream->tag,
                           .cookie = ASIM_NEVER,
                           .src = rank->id,
                           .dst = step->to};

    if (world->queue && !world->settings.rendezvous && step->to != ASIM_NOBODY &&
        step->from != ASIM_NOBODY) { /* what asim_send and asim_receive come to */
        msg.id = asim_send_id(rank);
        if (world->backend->send(world->carrier, &msg))
            asim_rank_fail_nomem(rank, "sending a message");
        asim_match_post_chunk(rank, stream, step->from, step->recv_bytes);
        return;
    }
    if (step->to != ASIM_NOBODY)
        asim_send(rank, &msg);
    if (step->from != ASIM_NOBODY)
        asim_receive(rank, &(struct asim_recv){.bytes = step->recv_bytes,
                                               .stream = stream,
                                               .src = step->from,
                                               .tag = stream->tag});
}

/* Steps are computed one ahead, once each. */
static void prepare(struct asim_chunk *stream)
{
    const struct asim_ring_of *ring = &asim_chunk_phase(stream)->ring;
    struct asim_step *step = &stream->next_step;

    if (stream->step >= stream->plan.steps || (stream->step && stream->plan.algo->identical_steps))
        return;
    stream->plan.algo->step(&stream->plan, stream->step, step);
    if (step->to != ASIM_NOBODY)
        step->to = asim_ring_rank(ring, step->to);
    if (step->from != ASIM_NOBODY)
        step->from = asim_ring_rank(ring, step->from);
}

/* Takes steps while there are tokens and arrivals for them. A step may end other things on the
 * spot, but never this stream: that is asim_chunk_credit's to do. */
static inline void pump(struct asim_rank *rank, struct asim_chunk *stream)
{
    const struct asim_step *step = &stream->next_step;

    while (stream->step < stream->plan.steps && step->credits <= stream->tokens &&
           step->min_arrivals <= stream->received && !rank->failed) {
        stream->tokens -= step->credits;
        stream->step++;
        do_step(rank, stream, step);
        prepare(stream);
    }
}

/* All three: a phase may have its tokens back before its last message has come. */
static int is_over(const struct asim_chunk *stream)
{
    return stream->step == stream->plan.steps && stream->tokens == stream->plan.end_credits &&
           stream->received == stream->plan.arrivals;
}

/* Makes the plan of the stream's present phase; start tokens cost a bundle each. */
void asim_chunk_start_phase(struct asim_rank *rank, struct asim_chunk *stream)
{
    const struct asim_phase *phase = asim_chunk_phase(stream);
    struct asim_coll coll;

    if (phase->recipe) {
        asim_graph_runner_start(rank, stream);
        return;
    }
    coll = (struct asim_coll){.coll_type = phase->kind,
                              .n = phase->ring.n,
                              .index = phase->ring.index,
                              .step = phase->step,
                              .subgroup = phase->subgroup,
                              .window = phase->choice->window,
                              .variant = phase->variant,
                              .root = phase->ring.root,
                              .bytes = phase->bytes,
                              .sizes = stream->data->sizes,
                              .share = stream->share,
                              .shares = rank->world->system.splits};

    stream->delay_ns = delay_of(rank, stream);
    stream->step = stream->received = 0;
    stream->tokens = 0;
    if (asim_coll_plan(&stream->plan, phase->choice->algo, &coll, &rank->lane->trial)) {
        asim_rank_record_failure(rank);
        return;
    }
    for (uint32_t i = 0; i < stream->plan.start_credits; i++)
        mint(rank, stream, i, 0);
    prepare(stream);
    if (!asim_uniform_phase_begin(rank, stream))
        pump(rank, stream);
}

/* A reduction of `bytes` costs two reads and a write of local memory, each truncated. bandwidth 0 =
 * free (system-layer.md#endpoint-delay-and-reduction). */
uint64_t asim_chunk_reduce_ns(const struct asim_rank *rank, uint64_t bytes)
{
    double bw = rank->world->system.local_mem_bw_gbps * 1e9;

    return REDUCE_PASSES * (bw > 0 ? asim_ns_whole((double)bytes / bw * 1e9) : 0);
}

void asim_chunk_reduce(struct asim_rank *rank, struct asim_chunk *stream, uint64_t bytes)
{
    asim_clock_add_chunk(rank, asim_chunk_reduce_ns(rank, bytes), ASIM_RANK_EVENT_CREDIT, stream,
                         0);
}

/* The endpoint delay is over; without a reduction a token is free: go on, and end the phase when
 * that was all. */
void asim_chunk_credit(struct asim_rank *rank, struct asim_chunk *stream, uint64_t bytes)
{
    if (bytes) {
        asim_chunk_reduce(rank, stream, bytes);
        return;
    }
    if (stream->march) {
        asim_uniform_phase_credit(rank, stream);
        return;
    }
    stream->tokens++;
    pump(rank, stream);
    if (is_over(stream) && !rank->failed)
        asim_chunk_advance(rank, stream);
}

/* The i-th message of this phase. Which block it holds does not matter to time. */
void asim_chunk_arrival(struct asim_rank *rank, struct asim_chunk *stream)
{
    uint64_t i;

    if (stream->march) {
        asim_uniform_phase_arrival(rank, stream->march);
        return;
    }
    i = stream->received++;
    if (stream->plan.no_reduction && stream->delay_ns != ASIM_NEVER) {
        asim_clock_add_chunk(rank, stream->delay_ns, ASIM_RANK_EVENT_DELAY, stream, 0);
        return;
    }
    asim_chunk_complete_arrival(rank, stream, i);
}

void asim_chunk_complete_arrival(struct asim_rank *rank, struct asim_chunk *stream, uint64_t i)
{
    mint(rank, stream, stream->plan.start_credits + i,
         stream->plan.algo->arrival(&stream->plan, i));
}
