/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Phases uniform (uniform_phase.h): what the general engine of coll_run.c does with credits,
 * steps and arrivals, for phases in which each step is the same and takes one credit. Behaviour and
 * order of events are those of the general engine to the last event; what is saved is looking
 * things up. A message costs two events, and neither allocates, copies a message or searches an
 * inbox.
 *
 * The order of send and receive: the general engine gives the send to the network first
 * (system-layer.md#credit-engine). Where the receive finds nothing to take, posting it makes no
 * event, and the two may change places.
 */
#include "sim/collective/uniform_phase.h"
#include "net/fast_path.h"
#include "sim/collective/chunk_scheduler.h"
#include "sim/collective/coll_run.h"
#include "sim/collective/match.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"

#include <stddef.h>

#if UINTPTR_MAX > UINT32_MAX
_Static_assert(offsetof(struct asim_uniform_phase, credit.next) == 64 &&
                   offsetof(struct asim_uniform_phase, recv.chunk) == 192,
               "what a message looks at is two cache lines");
#endif

/* All steps alike, one message out and one in for one credit: those of a ring. Then there are as
 * many arrivals as steps, and as many credits at the end as at the start: when those are free and
 * all steps taken, every message has come, and nothing of the uniform phase is in use any more. */
static int is_uniform(const struct asim_rank *rank, const struct asim_chunk *chunk)
{
    const struct asim_step *step = &chunk->next_step;
    const struct asim_plan *plan = &chunk->plan;
    const struct asim_world *world = rank->world;

    if (world->set.without & ASIM_FAST_UNIFORM_PHASE)
        return 0;
    return !world->set.settings.rendezvous && chunk->delay_ns != ASIM_NEVER &&
           plan->algo->identical_steps && plan->steps && plan->arrivals == plan->steps &&
           plan->start_credits == plan->end_credits && step->credits == 1 && !step->min_arrivals &&
           step->to != ASIM_NOBODY && step->from != ASIM_NOBODY && step->send_bytes &&
           step->recv_bytes && step->recv_bytes != ASIM_ANY_BYTES && plan->steps < UINT32_MAX &&
           (!world->via.fabric || step->send_bytes <= ASIM_PACKET_BYTES_MAX);
}

static inline int has_row(const struct asim_uniform_phase *uniform)
{
    return uniform->to == ASIM_NOBODY;
}

/* 0 or ASIM_ENOMEM. The network numbers the messages of a row by itself. */
static int open_row(struct asim_rank *rank, struct asim_uniform_phase *uniform,
                    const struct asim_step *step)
{
    struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = step->send_bytes,
                           .tag = uniform->recv.tag,
                           .src = rank->id,
                           .dst = step->to,
                           .id = (uint64_t)rank->id << 32 | (uint32_t)rank->sent,
                           .cookie = ASIM_NEVER};

    if (!world->via.backend->row_open)
        return 0;
    uniform->row = world->via.backend->row_open(world->via.carrier, &msg);
    if (!uniform->row)
        return ASIM_ENOMEM;
    uniform->to = ASIM_NOBODY;
    rank->sent += uniform->left;
    return 0;
}

/* Fails the rank when out of memory. */
static void begin(struct asim_rank *rank, struct asim_chunk *chunk)
{
    const struct asim_step *step = &chunk->next_step;
    struct asim_uniform_phase *uniform = asim_pool_get(&rank->shard->pools.uniform);

    if (!uniform) {
        asim_rank_fail_nomem(rank, "beginning a phase of a collective");
        return;
    }
    uniform->left = (uint32_t)chunk->plan.steps;
    uniform->delay_ns = chunk->delay_ns;
    uniform->constant_until = chunk->plan.no_reduction ? UINT32_MAX : 0;
    uniform->credit_free = 1;
    uniform->send_bytes = step->send_bytes;
    uniform->to = step->to;
    uniform->credit = (struct asim_rank_event){.kind = ASIM_RANK_EVENT_UNIFORM, .uniform = uniform};
    uniform->credit.due = (struct asim_due){.kind = ASIM_DUE_OWN, .rank = rank->id};
    uniform->recv = (struct asim_recv){.bytes = step->recv_bytes,
                                       .uniform = uniform,
                                       .chunk = chunk,
                                       .src = step->from,
                                       .tag = chunk->tag};
    uniform->inbox = asim_match_pin(rank, step->from, chunk->tag);
    if (!uniform->inbox || open_row(rank, uniform, step)) {
        asim_rank_fail_nomem(rank, "beginning a phase of a collective");
        return;
    }
    chunk->uniform = uniform;
}

int asim_uniform_phase_begin(struct asim_rank *rank, struct asim_chunk *chunk)
{
    if (!is_uniform(rank, chunk))
        return 0;
    begin(rank, chunk);
    return 1;
}

/* Nothing points at the uniform phase any more: see is_uniform. */
static void end(struct asim_rank *rank, struct asim_chunk *chunk)
{
    struct asim_world *world = rank->world;
    struct asim_uniform_phase *uniform = chunk->uniform;

    chunk->uniform = NULL;
    if (has_row(uniform))
        world->via.backend->row_close(world->via.carrier, uniform->row);
    asim_match_unpin(rank, uniform->inbox);
    asim_pool_put(&rank->shard->pools.uniform, uniform);
    asim_chunk_advance(rank, chunk);
}

uint64_t asim_uniform_phase_unsent(const struct asim_rank *rank)
{
    const struct asim_world *world = rank->world;
    size_t queues = world->set.dims.n * world->set.settings.queues_per_dim;
    uint64_t left = 0;

    for (size_t q = 0; q < queues; q++)
        for (const struct asim_chunk *at = rank->queues[q].head; at; at = at->next)
            left += at->uniform && has_row(at->uniform) ? at->uniform->left : 0;
    return left;
}

/* Posting the receive of a step where nothing has come yet, and no other waits, is no event. */
static inline int post_first(struct asim_uniform_phase *uniform, uint64_t now)
{
    struct asim_inbox *inbox = uniform->inbox;
    struct asim_recv *recv = &uniform->recv;

    if (inbox->head || inbox->arrived)
        return 0;
    recv->next = NULL;
    recv->posted_ns = now;
    inbox->head = inbox->tail = recv;
    return 1;
}

static void send(struct asim_rank *rank, const struct asim_uniform_phase *uniform)
{
    const struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = uniform->send_bytes,
                           .tag = uniform->recv.tag,
                           .src = rank->id,
                           .dst = uniform->to,
                           .id = asim_send_id(rank),
                           .cookie = ASIM_NEVER};

    if (world->via.backend->send(world->via.carrier, &msg))
        asim_rank_fail_nomem(rank, "sending a message");
}

/* The long way: one credit more, whatever stands in the inbox, and perhaps the last. */
void asim_uniform_phase_credit(struct asim_rank *rank, struct asim_chunk *chunk)
{
    const struct asim_world *world = rank->world;
    struct asim_uniform_phase *uniform = chunk->uniform;

    uniform->credits++;
    while (uniform->credits && uniform->left && !rank->failed) {
        uniform->credits--;
        uniform->left--;
        if (has_row(uniform))
            world->via.backend->row_send(world->via.carrier, uniform->row);
        else
            send(rank, uniform);
        if (!post_first(uniform, asim_rank_now(rank)))
            asim_match_post_chunk(rank, chunk, uniform->recv.src, uniform->recv.bytes);
    }
    if (!uniform->left && uniform->credits == chunk->plan.end_credits && !rank->failed)
        end(rank, chunk);
}

/* What the next messages to come reduce: their count tells (coll.h). The plan lies elsewhere, and
 * is asked a few times a phase only where it says for how long its answer holds. */
static void look_up_reduction(struct asim_uniform_phase *uniform)
{
    const struct asim_plan *plan = &uniform->recv.chunk->plan;
    uint64_t until = uniform->arrived + 1;

    uniform->bytes = plan->algo->arrival(plan, uniform->arrived);
    if (plan->algo->constant_until)
        until = plan->algo->constant_until(plan, uniform->arrived);
    uniform->constant_until = until < UINT32_MAX ? (uint32_t)until : UINT32_MAX;
}

/* The phase's own credit, whose credit.bytes are set, comes back after delay_ns; it must be free.
 */
static inline void add_credit(struct asim_rank *rank, struct asim_uniform_phase *uniform,
                              uint64_t delay_ns)
{
    uniform->credit_free = 0;
    asim_clock_add_embedded(rank, delay_ns, &uniform->credit);
}

/* Also where the uniform phase's own credit is in use. */
void asim_uniform_phase_arrival(struct asim_rank *rank, struct asim_uniform_phase *uniform)
{
    if (uniform->arrived >= uniform->constant_until)
        look_up_reduction(uniform);
    uniform->arrived++;
    if (!uniform->credit_free) {
        asim_clock_add_chunk(rank, uniform->delay_ns, ASIM_RANK_EVENT_DELAY, uniform->recv.chunk,
                             uniform->bytes);
        return;
    }
    uniform->credit.bytes = uniform->bytes;
    add_credit(rank, uniform, uniform->delay_ns);
}

/* The delay is over: now the reduction, which takes the credit once more. */
void asim_uniform_phase_reduce(struct asim_rank *rank, struct asim_uniform_phase *uniform)
{
    uint64_t bytes = uniform->credit.bytes;

    uniform->credit.bytes = 0;
    if (bytes != uniform->reduce_bytes) {
        uniform->reduce_bytes = bytes;
        uniform->reduce_ns = asim_chunk_reduce_ns(rank, bytes);
    }
    add_credit(rank, uniform, uniform->reduce_ns);
}

/* Mostly the credit is the only one, is good for one more step, and its receive finds nothing: it
 * may as well be posted before the send, so that no call is left in the middle. */
void asim_uniform_phase_step(struct asim_rank *rank, struct asim_uniform_phase *uniform,
                             uint64_t now)
{
    const struct asim_world *world = rank->world;

    uniform->credit_free = 1;
    if (uniform->credit.bytes) {
        asim_uniform_phase_reduce(rank, uniform);
        return;
    }
    if (!uniform->left || uniform->credits || !post_first(uniform, now)) {
        asim_uniform_phase_credit(rank, uniform->recv.chunk);
        return;
    }
    uniform->left--;
    if (has_row(uniform))
        world->via.backend->row_send(world->via.carrier, uniform->row);
    else
        send(rank, uniform);
}
