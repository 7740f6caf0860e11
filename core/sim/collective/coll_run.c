/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One engine for every algorithm: it walks the steps of the plan as credits arrive (coll/coll.h). A
 * credit costs the endpoint delay and, where the plan says so, three passes over local memory for
 * the reduction, each truncated separately (system-layer.md#endpoint-delay-and-reduction). Inside
 * sub-groups the delay is 10 ns for any endpoint-delay. parity: ASTRA-sim's "Fast" transport.
 *
 * State per chunk: the next step, free credits, messages received. Cost per step: one look at the
 * plan and one message; the engine allocates only events. The engine knows no algorithm by name:
 * the plan holds every difference between ring, tree and direct.
 */
#include "sim/collective/coll_run.h"
#include "sim/collective/graph_runner.h"
#include "sim/collective/match.h"
#include "sim/collective/send.h"
#include "sim/parts.h"
#include "sim/rank/clock.h"
#include "sim/rank/compute.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/bus.h"
#include "sim/collective/uniform_phase.h"

enum { SUBGROUP_DELAY_NS = 10 };

/* The bus transfer of credit number h. With a pattern of bursts (plan->cycle) the step tells the
 * bytes, and the position in the pattern tells the direction and the way back. Other algorithms
 * start from the NPU with their start credits only. Without the LogGP bus a credit costs only a
 * delay. */
static struct asim_bus_transfer transfer_of(const struct asim_plan *plan, uint64_t h,
                                            uint64_t reduce)
{
    struct asim_bus_transfer transfer = {.bytes = plan->msg_bytes, .reduce_bytes = reduce};
    uint64_t at = plan->cycle ? h % plan->cycle : h;
    struct asim_coll_step step;

    if (!plan->cycle) {
        transfer.bytes = transfer.bytes ? transfer.bytes : plan->coll.bytes;
        transfer.from_npu = h < plan->start_credits;
        return transfer;
    }
    plan->algo->step(plan, h, &step);
    transfer.bytes = step.send_bytes;
    transfer.from_npu = at < plan->burst;
    transfer.back = !transfer.from_npu && plan->cycle - at > plan->burst;
    return transfer;
}

/* Issues credit number h of the phase; the engine reduces `reduce` bytes before the credit is free.
 */
static void issue_credit(struct asim_rank *rank, struct asim_chunk *chunk, uint64_t h,
                         uint64_t reduce)
{
    struct asim_bus_transfer transfer;

    if (chunk->delay_ns != ASIM_NEVER) {
        asim_clock_add_chunk(rank, chunk->delay_ns, ASIM_RANK_EVENT_DELAY, chunk, reduce);
        return;
    }
    transfer = transfer_of(&chunk->plan, h, reduce);
    asim_bus_start(rank, chunk, &transfer);
}

static uint64_t delay_of(const struct asim_rank *rank, const struct asim_chunk *chunk)
{
    const struct asim_phase *phase = asim_chunk_phase(chunk);

    if (phase->flow_bytes)
        return rank->endpoint_ns;
    if (phase->subgroup && !chunk->plan.algo->subgroup_pays_delay)
        return SUBGROUP_DELAY_NS + rank->endpoint_ns - (uint64_t)rank->world->set.endpoint_ns;
    return rank->bus ? ASIM_NEVER : rank->endpoint_ns;
}

/* Sends before it posts the receive (system-layer.md#credit-engine). Sends of collectives carry no
 * cookie, since no op waits for their end. 1: the message to receive is there already. */
static inline int do_step(struct asim_rank *rank, struct asim_chunk *chunk,
                          const struct asim_coll_step *step)
{
    struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = step->send_bytes,
                           .tag = chunk->tag,
                           .cookie = ASIM_NEVER,
                           .src = rank->id,
                           .dst = step->to,
                           .is_uniform = (uint8_t)asim_uniform_phase_fits(chunk)};

    if (world->via.queue && !world->set.settings.rendezvous && step->to != ASIM_NOBODY &&
        step->from != ASIM_NOBODY) { /* a short form of asim_send and asim_receive */
        msg.id = asim_send_id(rank);
        if (world->via.backend->send(world->via.carrier, &msg))
            asim_rank_fail_nomem(rank, "sending a message");
        return asim_match_post_chunk(rank, chunk, step->from, step->recv_bytes);
    }
    if (step->to != ASIM_NOBODY)
        asim_send(rank, &msg, chunk->coll->op);
    return step->from != ASIM_NOBODY &&
           asim_receive(rank, &(struct asim_recv){.bytes = step->recv_bytes,
                                                  .chunk = chunk,
                                                  .src = step->from,
                                                  .tag = chunk->tag});
}

/* Computes the next step, once. */
static void prepare(struct asim_chunk *chunk)
{
    const struct asim_ring_of *ring = &asim_chunk_phase(chunk)->ring;
    struct asim_coll_step *step = &chunk->next_step;

    if (chunk->step >= chunk->plan.steps || (chunk->step && chunk->plan.algo->identical_steps))
        return;
    chunk->plan.algo->step(&chunk->plan, chunk->step, step);
    if (asim_chunk_phase(chunk)->flow_bytes)
        step->send_bytes = step->recv_bytes = asim_chunk_phase(chunk)->flow_bytes;
    if (step->to != ASIM_NOBODY)
        step->to = asim_ring_rank(ring, step->to);
    if (step->from != ASIM_NOBODY)
        step->from = asim_ring_rank(ring, step->from);
}

/* Time does not depend on the block of data that the message holds. */
void asim_chunk_arrival(struct asim_rank *rank, struct asim_chunk *chunk)
{
    uint64_t i;

    if (chunk->uniform) {
        asim_uniform_phase_arrival(rank, chunk->uniform);
        return;
    }
    i = chunk->received++;
    if (chunk->plan.no_reduction && chunk->delay_ns != ASIM_NEVER) {
        asim_clock_add_chunk(rank, chunk->delay_ns, ASIM_RANK_EVENT_DELAY, chunk, 0);
        return;
    }
    issue_credit(rank, chunk, chunk->plan.start_credits + i,
                 chunk->plan.algo->arrival(&chunk->plan, i));
}

/* Takes steps while credits and arrivals suffice. */
static inline void take_steps(struct asim_rank *rank, struct asim_chunk *chunk)
{
    const struct asim_coll_step *step = &chunk->next_step;

    while (chunk->step < chunk->plan.steps && step->credits <= chunk->credits &&
           step->min_arrivals <= chunk->received && !rank->failed) {
        chunk->credits -= step->credits;
        chunk->step++;
        if (do_step(rank, chunk, step))
            asim_chunk_arrival(rank, chunk);
        prepare(chunk);
    }
}

/* Tests all three, because a phase may have its credits back before its last message arrives. */
static int is_over(const struct asim_chunk *chunk)
{
    return chunk->step == chunk->plan.steps && chunk->credits == chunk->plan.end_credits &&
           chunk->received == chunk->plan.arrivals;
}

/* Makes the plan and issues the start credits. Only a graph can be over at once: else
 * asim_chunk_credit ends the phase. */
struct asim_chunk *asim_chunk_start_phase(struct asim_rank *rank, struct asim_chunk *chunk)
{
    const struct asim_phase *phase = asim_chunk_phase(chunk);
    struct asim_coll coll;

    if (phase->kernel.least_ns && chunk->kernel == ASIM_KERNEL_NONE) {
        chunk->kernel = ASIM_KERNEL_LAUNCHED;
        chunk->least_end_ns = asim_rank_now(rank) + phase->kernel.least_ns;
        asim_clock_add_chunk(rank, phase->kernel.start_ns, ASIM_RANK_EVENT_KERNEL, chunk, 0);
        return NULL;
    }
    if (phase->graph)
        return asim_graph_runner_start(rank, chunk);
    coll = (struct asim_coll){.coll_type = phase->kind,
                              .n = phase->ring.n,
                              .index = phase->ring.index,
                              .step = phase->step,
                              .subgroup = phase->subgroup,
                              .window = phase->choice->window,
                              .channels = phase->choice->channels,
                              .servers = phase->choice->servers,
                              .first = phase->choice->first,
                              .pxn = phase->pxn,
                              .variant = phase->variant,
                              .root = phase->ring.root,
                              .bytes = phase->bytes,
                              .sizes = chunk->coll->sizes,
                              .share = chunk->share,
                              .shares = rank->world->set.system.splits};

    chunk->step = chunk->received = 0;
    chunk->credits = 0;
    if (asim_coll_plan(&chunk->plan, phase->choice->algo, &coll, &rank->shard->scratch_err)) {
        asim_rank_record_failure(rank);
        return NULL;
    }
    chunk->plan.no_reduction |= phase->flow_bytes > 0;
    chunk->delay_ns = delay_of(rank, chunk);
    for (uint32_t i = 0; i < chunk->plan.start_credits; i++)
        issue_credit(rank, chunk, i, 0);
    prepare(chunk);
    if (!asim_uniform_phase_begin(rank, chunk))
        take_steps(rank, chunk);
    return NULL;
}

struct asim_chunk *asim_chunk_kernel(struct asim_rank *rank, struct asim_chunk *chunk)
{
    if (chunk->kernel++ == ASIM_KERNEL_LAUNCHED)
        return asim_chunk_start_phase(rank, chunk);
    return chunk;
}

int asim_chunk_is_held(struct asim_rank *rank, struct asim_chunk *chunk)
{
    uint64_t now = asim_rank_now(rank);

    if (chunk->kernel != ASIM_KERNEL_RUNS || now >= chunk->least_end_ns)
        return 0;
    asim_clock_add_chunk(rank, chunk->least_end_ns - now, ASIM_RANK_EVENT_KERNEL, chunk, 0);
    return 1;
}

/* Without bytes to reduce the credit is free: takes steps, and ends the phase after the last. */
struct asim_chunk *asim_chunk_credit(struct asim_rank *rank, struct asim_chunk *chunk,
                                     uint64_t bytes)
{
    if (bytes) {
        asim_clock_add_chunk(rank, asim_reduce_ns(rank, bytes), ASIM_RANK_EVENT_CREDIT, chunk, 0);
        return NULL;
    }
    if (chunk->uniform)
        return asim_uniform_phase_credit(rank, chunk);
    chunk->credits++;
    take_steps(rank, chunk);
    return is_over(chunk) && !rank->failed ? chunk : NULL;
}
