/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Phases on the march (uniform_phase.h): what the general engine of coll_run.c does with tokens,
 * steps and arrivals, for phases in which each step is the same and takes one token. Behaviour and
 * order of events are those of the general engine to the last event; what is saved is looking
 * things up. A message costs two events, and neither allocates, copies a message or searches an
 * inbox.
 *
 * The order of send and receive: the general engine gives the send to the network first
 * (system-layer.md#credit-engine). Where the receive finds nothing to take, posting it makes no
 * event, and the two may change places.
 */
#include "sim/collective/uniform_phase.h"
#include "sim/collective/chunk_scheduler.h"
#include "sim/collective/coll_run.h"
#include "sim/collective/match.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"

#include <stddef.h>

#if UINTPTR_MAX > UINT32_MAX
_Static_assert(offsetof(struct asim_uniform_phase, token.next) == 64 &&
                   offsetof(struct asim_uniform_phase, recv.stream) == 192,
               "what a message looks at is two cache lines");
#endif

/* All steps alike, one message out and one in for one token: those of a ring. Then there are as
 * many arrivals as steps, and as many tokens at the end as at the start: when those are free and
 * all steps taken, every message has come, and nothing of the march is in use any more. */
static int may_march(const struct asim_rank *rank, const struct asim_chunk *stream)
{
    const struct asim_step *step = &stream->next_step;
    const struct asim_plan *plan = &stream->plan;
    const struct asim_world *world = rank->world;

    return !world->settings.rendezvous && stream->delay_ns != ASIM_NEVER &&
           plan->algo->identical_steps && plan->steps && plan->arrivals == plan->steps &&
           plan->start_credits == plan->end_credits && step->credits == 1 && !step->min_arrivals &&
           step->to != ASIM_NOBODY && step->from != ASIM_NOBODY && step->send_bytes &&
           step->recv_bytes && step->recv_bytes != ASIM_ANY_BYTES && plan->steps < UINT32_MAX &&
           (!world->fabric || step->send_bytes <= ASIM_PACKET_BYTES_MAX);
}

static inline int has_row(const struct asim_uniform_phase *march)
{
    return march->to == ASIM_NOBODY;
}

/* 0 or ASIM_ENOMEM. The network numbers the messages of a row by itself. */
static int open_row(struct asim_rank *rank, struct asim_uniform_phase *march,
                    const struct asim_step *step)
{
    struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = step->send_bytes,
                           .tag = march->recv.tag,
                           .src = rank->id,
                           .dst = step->to,
                           .id = (uint64_t)rank->id << 32 | (uint32_t)rank->sent,
                           .cookie = ASIM_NEVER};

    if (!world->backend->row_open)
        return 0;
    march->row = world->backend->row_open(world->carrier, &msg);
    if (!march->row)
        return ASIM_ENOMEM;
    march->to = ASIM_NOBODY;
    rank->sent += march->left;
    return 0;
}

/* Fails the rank when out of memory. */
static void begin(struct asim_rank *rank, struct asim_chunk *stream)
{
    const struct asim_step *step = &stream->next_step;
    struct asim_uniform_phase *march = asim_pool_get(&rank->lane->pools.march);

    if (!march) {
        asim_rank_fail_nomem(rank, "beginning a phase of a collective");
        return;
    }
    march->left = (uint32_t)stream->plan.steps;
    march->delay_ns = stream->delay_ns;
    march->same_until = stream->plan.no_reduction ? UINT32_MAX : 0;
    march->token_free = 1;
    march->send_bytes = step->send_bytes;
    march->to = step->to;
    march->token = (struct asim_rank_event){.kind = ASIM_RANK_EVENT_UNIFORM, .march = march};
    march->token.due = (struct asim_due){.kind = ASIM_DUE_OWN, .rank = rank->id};
    march->recv = (struct asim_recv){.bytes = step->recv_bytes,
                                     .march = march,
                                     .stream = stream,
                                     .src = step->from,
                                     .tag = stream->tag};
    march->inbox = asim_match_pin(rank, step->from, stream->tag);
    if (!march->inbox || open_row(rank, march, step)) {
        asim_rank_fail_nomem(rank, "beginning a phase of a collective");
        return;
    }
    stream->march = march;
}

int asim_uniform_phase_begin(struct asim_rank *rank, struct asim_chunk *stream)
{
    if (!may_march(rank, stream))
        return 0;
    begin(rank, stream);
    return 1;
}

/* Nothing points at the march any more: see may_march. */
static void end(struct asim_rank *rank, struct asim_chunk *stream)
{
    struct asim_world *world = rank->world;
    struct asim_uniform_phase *march = stream->march;

    stream->march = NULL;
    if (has_row(march))
        world->backend->row_close(world->carrier, march->row);
    asim_match_unpin(rank, march->inbox);
    asim_pool_put(&rank->lane->pools.march, march);
    asim_chunk_advance(rank, stream);
}

uint64_t asim_uniform_phase_unsent(const struct asim_rank *rank)
{
    const struct asim_world *world = rank->world;
    size_t queues = world->dims.n * world->settings.queues_per_dim;
    uint64_t left = 0;

    for (size_t q = 0; q < queues; q++)
        for (const struct asim_chunk *at = rank->queues[q].head; at; at = at->next)
            left += at->march && has_row(at->march) ? at->march->left : 0;
    return left;
}

/* Posting the receive of a step where nothing has come yet, and no other waits, is no event. */
static inline int post_first(struct asim_uniform_phase *march, uint64_t now)
{
    struct asim_inbox *inbox = march->inbox;
    struct asim_recv *recv = &march->recv;

    if (inbox->head || inbox->arrived)
        return 0;
    recv->next = NULL;
    recv->posted_ns = now;
    inbox->head = inbox->tail = recv;
    return 1;
}

static void send(struct asim_rank *rank, const struct asim_uniform_phase *march)
{
    const struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = march->send_bytes,
                           .tag = march->recv.tag,
                           .src = rank->id,
                           .dst = march->to,
                           .id = asim_send_id(rank),
                           .cookie = ASIM_NEVER};

    if (world->backend->send(world->carrier, &msg))
        asim_rank_fail_nomem(rank, "sending a message");
}

/* The long way: one token more, whatever stands in the inbox, and perhaps the last. */
void asim_uniform_phase_credit(struct asim_rank *rank, struct asim_chunk *stream)
{
    const struct asim_world *world = rank->world;
    struct asim_uniform_phase *march = stream->march;

    march->tokens++;
    while (march->tokens && march->left && !rank->failed) {
        march->tokens--;
        march->left--;
        if (has_row(march))
            world->backend->row_send(world->carrier, march->row);
        else
            send(rank, march);
        if (!post_first(march, asim_rank_now(rank)))
            asim_match_post_chunk(rank, stream, march->recv.src, march->recv.bytes);
    }
    if (!march->left && march->tokens == stream->plan.end_credits && !rank->failed)
        end(rank, stream);
}

/* What the next messages to come reduce: their count tells (coll.h). The plan lies elsewhere, and
 * is asked a few times a phase only where it says for how long its answer holds. */
static void ask_plan(struct asim_uniform_phase *march)
{
    const struct asim_plan *plan = &march->recv.stream->plan;
    uint64_t until = march->came + 1;

    march->bytes = plan->algo->arrival(plan, march->came);
    if (plan->algo->constant_until)
        until = plan->algo->constant_until(plan, march->came);
    march->same_until = until < UINT32_MAX ? (uint32_t)until : UINT32_MAX;
}

/* The phase's own credit, whose token.bytes are set, comes back after delay_ns; it must be free. */
static inline void add_credit(struct asim_rank *rank, struct asim_uniform_phase *march,
                              uint64_t delay_ns)
{
    march->token_free = 0;
    asim_clock_add_embedded(rank, delay_ns, &march->token);
}

/* Also where the march's own token is in use. */
void asim_uniform_phase_arrival(struct asim_rank *rank, struct asim_uniform_phase *march)
{
    if (march->came >= march->same_until)
        ask_plan(march);
    march->came++;
    if (!march->token_free) {
        asim_clock_add_chunk(rank, march->delay_ns, ASIM_RANK_EVENT_DELAY, march->recv.stream,
                             march->bytes);
        return;
    }
    march->token.bytes = march->bytes;
    add_credit(rank, march, march->delay_ns);
}

/* The delay is over: now the reduction, which takes the token once more. */
void asim_uniform_phase_reduce(struct asim_rank *rank, struct asim_uniform_phase *march)
{
    uint64_t bytes = march->token.bytes;

    march->token.bytes = 0;
    if (bytes != march->reduce_bytes) {
        march->reduce_bytes = bytes;
        march->reduce_ns = asim_chunk_reduce_ns(rank, bytes);
    }
    add_credit(rank, march, march->reduce_ns);
}

/* Mostly the token is the only one, is good for one more step, and its receive finds nothing: it
 * may as well be posted before the send, so that no call is left in the middle. */
void asim_uniform_phase_step(struct asim_rank *rank, struct asim_uniform_phase *march, uint64_t now)
{
    const struct asim_world *world = rank->world;

    march->token_free = 1;
    if (march->token.bytes) {
        asim_uniform_phase_reduce(rank, march);
        return;
    }
    if (!march->left || march->tokens || !post_first(march, now)) {
        asim_uniform_phase_credit(rank, march->recv.stream);
        return;
    }
    march->left--;
    if (has_row(march))
        world->backend->row_send(world->carrier, march->row);
    else
        send(rank, march);
}
