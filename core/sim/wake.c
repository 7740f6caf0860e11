/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See wake.h. Events of one time run in the order of registration, including events that these
 * events add for the same time (system-layer.md#ticks-and-event-order). Nearly every event of a
 * large run is a credit of a uniform phase, so that case has a path of its own.
 */
#include "sim/wake.h"
#include "sim/collective/bus.h"
#include "sim/collective/coll_run.h"
#include "sim/collective/graph_runner.h"
#include "sim/collective/uniform_phase.h"
#include "sim/ops/issue.h"
#include "sim/ops/memory.h"
#include "sim/rank/clock.h"

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
        asim_graph_runner_node_ended(rank, event.runner, event.op);
        break;
    case ASIM_RANK_EVENT_FLOW:
        asim_graph_runner_send_flow(rank, event.runner, event.op);
        break;
    case ASIM_RANK_EVENT_MEMORY:
        asim_memory_next(rank, event.op);
        break;
    case ASIM_RANK_EVENT_BUS:
        asim_bus_step(rank, &event);
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
        asim_uniform_phase_step(rank, kept->uniform, now);
        return;
    }
    if (kept->kind == ASIM_RANK_EVENT_CREDIT)
        bytes = 0; /* the reduction is over */
    asim_pool_give(&rank->shard->pools.event, kept);
    asim_chunk_credit(rank, chunk, bytes);
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
    asim_uniform_phase_step(rank, kept->uniform, tick->t);
    if (tick->head)
        run_tick(rank, tick);
    else if (--rank->n_ticks)
        asim_tick_move(tick, &rank->ticks[rank->n_ticks]);
}
