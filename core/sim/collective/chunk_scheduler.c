/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which chunk runs when: every logical dimension owns queues, a queue runs so many chunks at
 * once, and a chunk passes from phase to phase and queue to queue (system-layer.md#priorities and
 * system-layer.md#queues-and-active-chunks). The order of the steps in asim_chunk_advance is
 * ASTRA-sim's: a chunk that moves on first lets its old queue start_waiting, then joins the new
 * one.
 *
 * Queues are numbered dimension x queues_per_dim + i and belong to one rank; nothing here looks at
 * another rank. A chunk is in one queue at a time, from the phase's beginning to its end, and goes
 * back to the pool when its last phase is over.
 */
#include "sim/collective/chunk_scheduler.h"
#include "sim/parts.h"
#include "sim/collective/coll_run.h"

#include <stdlib.h>

/* --- its place among the waiting ---------------------------------------------------------------
 *
 * Where a chunk enters its queue ("intra-dimension-scheduling", system-layer.md#priorities).
 * Never before a chunk that runs. FIFO, the default and ASTRA-sim's only reachable policy:
 * behind everything of the same or a higher priority. The others look at reduce-scatters and
 * all-gathers only; for the rest of the kinds FIFO stands, and they do not look at priorities:
 *
 *   RG                       reduce-scatters and all-gathers in turn
 *   smallestFirst            by the larger of what a phase takes in and gives out
 *   lessRemainingPhaseFirst  by the number of phases still to come
 */
/* What the phase takes in or gives out, whichever is more. */
static uint64_t size_of(const struct asim_chunk *chunk)
{
    const struct asim_phase *phase = asim_chunk_phase(chunk);

    return phase->kind == ASIM_ALL_GATHER ? phase->bytes * phase->ring.n : phase->bytes;
}

/* The kinds the three other policies look at. */
static int is_balanced(const struct asim_chunk *chunk)
{
    int kind = asim_chunk_phase(chunk)->kind;

    return kind == ASIM_REDUCE_SCATTER || kind == ASIM_ALL_GATHER;
}

/* 1 if the waiting chunk stays ahead of the new one.
 * Equal ones stay ahead: first come, first served. */
static int stays_ahead(int policy, const struct asim_chunk *waiting, const struct asim_chunk *fresh)
{
    if (policy == ASIM_INTRA_SMALLEST_FIRST)
        return size_of(waiting) <= size_of(fresh);
    if (policy == ASIM_INTRA_LESS_REMAINING_PHASE_FIRST)
        return waiting->n_phases - waiting->phase <= fresh->n_phases - fresh->phase;
    return waiting->priority >= fresh->priority;
}

/* The first place among the waiting where two of the other kind follow each other.
 * Where there is no such place the chunk goes to the end. */
static struct asim_chunk *place_in_turn(struct asim_queue *queue, const struct asim_chunk *fresh)
{
    int kind = asim_chunk_phase(fresh)->kind;
    struct asim_chunk *at = queue->head;

    for (; at && at->next; at = at->next)
        if (!at->next->started && asim_chunk_phase(at)->kind != kind &&
            asim_chunk_phase(at->next)->kind != kind)
            return at;
    return queue->tail;
}

/* From the tail, because most chunks belong there: O(1) usually, O(waiting) at worst. */
static struct asim_chunk *enqueue_after(const struct asim_rank *rank, struct asim_queue *queue,
                                        const struct asim_chunk *fresh)
{
    int policy = is_balanced(fresh) ? rank->world->set.system.intra_dim : ASIM_INTRA_FIFO;
    struct asim_chunk *after = queue->tail;

    if (policy == ASIM_INTRA_RG)
        return place_in_turn(queue, fresh);
    while (after && !after->started && !stays_ahead(policy, after, fresh))
        after = after->prev;
    return after;
}

/* --- which runs ------------------------------------------------------------------------------- */

static void unlink_chunk(struct asim_queue *queue, struct asim_chunk *chunk)
{
    *(chunk->prev ? &chunk->prev->next : &queue->head) = chunk->next;
    *(chunk->next ? &chunk->next->prev : &queue->tail) = chunk->prev;
    chunk->next = chunk->prev = NULL;
}

/* Into its place among the waiting . */
static void link_chunk(struct asim_rank *rank, struct asim_queue *queue, struct asim_chunk *chunk)
{
    struct asim_chunk *after = enqueue_after(rank, queue, chunk);

    chunk->prev = after;
    chunk->next = after ? after->next : queue->head;
    *(chunk->prev ? &chunk->prev->next : &queue->head) = chunk;
    *(chunk->next ? &chunk->next->prev : &queue->tail) = chunk;
}

/* Starts waiting chunks while the queue has room.
 * Started ones stand before waiting ones in the list, so the first that is not started is the
 * next. */
static void start_waiting(struct asim_rank *rank, uint32_t q)
{
    struct asim_queue *queue = &rank->queues[q];

    while (queue->running < rank->world->set.queue_limit && !rank->failed) {
        struct asim_chunk *chunk = queue->head;

        while (chunk && chunk->started)
            chunk = chunk->next;
        if (!chunk)
            return;
        chunk->started = 1;
        queue->running++;
        asim_chunk_start_phase(rank, chunk); /* may already end it, and others after it */
    }
}

/* q is -1 for a chunk that has not been in a queue yet. */
static void leave_queue(struct asim_rank *rank, int q)
{
    if (q < 0)
        return;
    rank->queues[q].running--;
    start_waiting(rank, (uint32_t)q);
}

/* The collective is over: its op ends here, in the middle of the last chunk's last advance, as in
 * ASTRA-sim; the op's successors may already be issued while the chunk still counts.
 * Its sizes (all-to-all-v) go with it: no plan of its chunks is asked any more.
 * The collective op is freed last: the op's successors may look at the rank's open list. */
static void finish_chunk_of(struct asim_rank *rank, struct asim_coll_op *coll)
{
    if (--coll->chunks)
        return;
    *(coll->prev ? &coll->prev->next : &rank->open_head) = coll->next;
    *(coll->next ? &coll->next->prev : &rank->open_tail) = coll->prev;
    rank->world->op_done(rank, coll->op);
    free(coll->sizes);
    asim_pool_put(&rank->shard->pools.coll_op, coll);
}

/* Steps in the order of system-layer.md#queues-and-active-chunks: tell the collective, leave the
 * list, end, enter the next queue, start_waiting the old queue, start_waiting the new one. */
void asim_chunk_advance(struct asim_rank *rank, struct asim_chunk *chunk)
{
    int old = chunk->queue;
    int over = chunk->phase == chunk->n_phases;
    uint32_t q;

    if (over)
        finish_chunk_of(rank, chunk->coll);
    if (old >= 0)
        unlink_chunk(&rank->queues[old], chunk);
    if (over) {
        leave_queue(rank, old);
        asim_pool_put(&rank->shard->pools.chunk, chunk);
        return;
    }
    q = chunk->phases[chunk->phase++].queue;
    chunk->queue = (int)q;
    chunk->started = 0;
    link_chunk(rank, &rank->queues[q], chunk);
    leave_queue(rank, old);
    start_waiting(rank, q);
}
