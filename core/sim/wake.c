/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Turns events, messages and complete receives of a rank into calls. Matching and engines return
 * what is over, and this file acts on it, so no call comes back up and no depth of calls grows with
 * the workload.
 *
 * Events of one time run in the order of registration, including events that these events add for
 * the same time (system-layer.md#ticks-and-event-order). Nearly every event of a large run is a
 * credit of a uniform phase, so that case has a path of its own.
 */
#include "sim/wake.h"
#include "sim/collective/bus.h"
#include "sim/collective/chunk_scheduler.h"
#include "sim/collective/coll_run.h"
#include "sim/collective/graph_runner.h"
#include "sim/collective/match.h"
#include "sim/collective/send.h"
#include "sim/collective/uniform_phase.h"
#include "sim/ops/issue.h"
#include "sim/ops/memory.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"

/* chunk: what an engine returns; NULL: no phase is over. */
static inline void advance(struct asim_rank *rank, struct asim_chunk *chunk)
{
    if (chunk)
        asim_chunk_advance(rank, chunk);
}

/* --- messages ----------------------------------------------------------------------------------
 */
/* action: NULL for the receive of a chunk or an op. A receive that the end of a request posts may
 * be complete at once; then the loop goes on with its own action. */
static void complete(struct asim_rank *rank, struct asim_deferred_action *action,
                     struct asim_chunk *chunk, uint32_t op)
{
    while (action) {
        struct asim_deferred_action now = asim_deferred_action_take(rank, action);

        switch (now.kind) {
        case ASIM_DEFERRED_SEND:
            asim_send_now(rank, &now.msg);
            return;
        case ASIM_DEFERRED_NODE:
            advance(rank, asim_graph_runner_node_ended(rank, now.runner, now.node));
            return;
        case ASIM_DEFERRED_ROUND:
            asim_issue_after_storage(rank);
            return;
        case ASIM_DEFERRED_POST:
            if (!asim_match_post(rank, &now.recv))
                return;
            action = now.recv.action;
            chunk = now.recv.chunk;
            op = now.recv.op;
        }
    }
    if (chunk)
        asim_chunk_arrival(rank, chunk);
    else
        asim_op_done(rank, op);
}

/* Frees recv first, because the calls may post the next receive. */
void asim_rank_received(struct asim_rank *rank, struct asim_recv *recv)
{
    struct asim_chunk *chunk = recv->chunk;
    struct asim_deferred_action *action = recv->action;
    uint32_t op = recv->op;

    if (!recv->uniform)
        asim_pool_give(&rank->shard->pools.recv, recv);
    complete(rank, action, chunk, op);
}

/* Each receive goes its way before the next is taken: what it starts may post further ones. */
static void arrived_any(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = asim_match_add(rank, msg);
    struct asim_recv *recv;

    if (!inbox)
        return;
    while ((recv = asim_match_next(inbox)))
        asim_rank_received(rank, recv);
    asim_match_unpin(rank, inbox);
}

void asim_rank_arrived(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_recv *recv = asim_match_only(rank, msg);

    if (!recv)
        arrived_any(rank, msg);
    else if (recv->uniform)
        asim_uniform_phase_arrival(rank, recv->uniform);
    else
        asim_rank_received(rank, recv);
}

void asim_rank_relay_over(void *self)
{
    struct asim_uniform_phase *uniform = self;
    struct asim_rank *rank = uniform->rank; /* the end frees the phase */

    if (!rank->failed)
        advance(rank, asim_uniform_phase_over(uniform));
}

void asim_rank_repeat_begin(void *self, struct asim_repeat *repeat)
{
    struct asim_chunk *over;
    struct asim_rank *rank = asim_graph_runner_begin(self, repeat, &over);

    advance(rank, over);
}

void asim_rank_repeat_over(void *self)
{
    struct asim_chunk *over;
    struct asim_rank *rank = asim_graph_runner_over(self, &over);

    advance(rank, over);
}

void asim_rank_repeat_release(void *self)
{
    asim_graph_runner_release(self);
}

/* cookie: ASIM_NEVER: no one waits for the end; else a deferred action, or the index of an op. */
void asim_rank_sent(struct asim_rank *rank, const struct asim_msg *msg)
{
    if (msg->cookie != ASIM_NEVER)
        complete(rank, asim_cookie_action(msg->cookie), NULL, (uint32_t)msg->cookie);
}

/* --- events ------------------------------------------------------------------------------------
 */
static void run_bus(struct asim_rank *rank, const struct asim_rank_event *event)
{
    struct asim_bus_credit over;

    if (asim_bus_step(rank, event, &over))
        advance(rank, asim_chunk_credit(rank, over.chunk, over.bytes));
    asim_bus_go_on(rank, event->op);
}

/* Works on a copy, because the memory of the event is free before the call that may want it. */
static void run_any(struct asim_rank *rank, struct asim_rank_event *kept)
{
    struct asim_rank_event event = *kept;

    asim_pool_give(&rank->shard->pools.event, kept);
    switch (event.kind) {
    case ASIM_RANK_EVENT_OP_DONE:
        asim_op_done(rank, event.op);
        break;
    case ASIM_RANK_EVENT_UNIFORM: /* run() has handled these three */
    case ASIM_RANK_EVENT_DELAY:
    case ASIM_RANK_EVENT_CREDIT:
        break;
    case ASIM_RANK_EVENT_NODE:
        advance(rank, asim_graph_runner_node_ended(rank, event.runner, event.op));
        break;
    case ASIM_RANK_EVENT_FLOW:
        asim_graph_runner_send_flow(rank, event.runner, event.op);
        break;
    case ASIM_RANK_EVENT_MEMORY:
        asim_memory_next(rank, event.op);
        break;
    case ASIM_RANK_EVENT_KERNEL:
        advance(rank, asim_chunk_kernel(rank, event.chunk));
        break;
    case ASIM_RANK_EVENT_BUS:
        run_bus(rank, &event);
        break;
    case ASIM_RANK_EVENT_START:
        asim_issue_first(rank);
    }
}

/* Frees the event before the call, because the call is likely to allocate one. */
static inline void run(struct asim_rank *rank, struct asim_rank_event *kept, uint64_t now)
{
    struct asim_chunk *chunk = kept->chunk;
    uint64_t bytes = kept->bytes;

    if (kept->kind > ASIM_RANK_EVENT_CREDIT) {
        run_any(rank, kept);
        return;
    }
    if (kept->kind == ASIM_RANK_EVENT_UNIFORM) {
        advance(rank, asim_uniform_phase_step(rank, kept->uniform, now));
        return;
    }
    if (kept->kind == ASIM_RANK_EVENT_CREDIT)
        bytes = 0; /* the reduction is over */
    asim_pool_give(&rank->shard->pools.event, kept);
    advance(rank, asim_chunk_credit(rank, chunk, bytes));
}

/* A tick does not move while its events run: its events may add ticks behind it, and only this
 * function removes one. Events added for the same time run in this loop. After a failure the other
 * events stay; closing frees them. */
static void run_tick(struct asim_rank *rank, struct asim_tick *tick)
{
    struct asim_rank_event *kept;

    while (tick && (kept = tick->head) && !rank->failed) {
        tick->head = kept->next;
        run(rank, kept, tick->t);
    }
    if (tick)
        asim_clock_forget(rank, tick);
}

static void wake_any(struct asim_rank *rank)
{
    run_tick(rank, asim_clock_find(rank, asim_rank_now(rank)));
}

/* The fast path for a rank whose only event is the credit of a uniform phase. The tick stays in
 * place during the step, so that an event added for the same time joins this tick and runs before
 * this function returns. */
void asim_rank_wake(struct asim_rank *rank)
{
    struct asim_tick *tick = rank->ticks;
    struct asim_rank_event *kept = tick->head;

    if (!rank->n_ticks || !kept || kept->kind != ASIM_RANK_EVENT_UNIFORM || kept->next ||
        tick->t != asim_rank_now(rank)) {
        wake_any(rank);
        return;
    }
    tick->head = NULL;
    advance(rank, asim_uniform_phase_step(rank, kept->uniform, tick->t));
    if (tick->head)
        run_tick(rank, tick);
    else if (--rank->n_ticks)
        asim_tick_move(tick, &rank->ticks[rank->n_ticks]);
}
