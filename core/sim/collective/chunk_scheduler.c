/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queues of chunks. Every logical dimension owns queues, a queue runs a limited number of
 * chunks at once, and a chunk moves from phase to phase and from queue to queue
 * (system-layer.md#priorities and system-layer.md#queues-and-active-chunks). The order of the steps
 * in asim_chunk_advance is ASTRA-sim's: a chunk that moves on first lets its old queue start
 * another chunk, then enters the new one.
 *
 * Queue d x queues_per_dim + i is queue i of dimension d. A queue belongs to one rank, and nothing
 * here reads another rank. A chunk is in one queue from the start of a phase to its end, and
 * returns to the pool after its last phase.
 */
#include "sim/collective/chunk_scheduler.h"
#include "sim/parts.h"
#include "sim/collective/coll_run.h"
#include "sim/rank/rank_shard.h"

#include <stdlib.h>

/* --- the place of a chunk in its queue -----------------------------------------------------------
 *
 * The policies of "intra-dimension-scheduling" (system-layer.md#priorities). A new chunk never goes
 * before a running one. FIFO, the default and the only policy that ASTRA-sim reaches, puts it
 * behind all chunks of the same or a higher priority. The other policies apply to reduce-scatters
 * and all-gathers only and ignore priorities:
 *
 *   RG                       reduce-scatters and all-gathers in turn
 *   smallestFirst            by the larger of input and output of the phase
 *   lessRemainingPhaseFirst  by the number of phases left */
/* The larger of the phase's input and output. */
static uint64_t size_of(const struct asim_chunk *chunk)
{
    const struct asim_phase *phase = asim_chunk_phase(chunk);

    return phase->kind == ASIM_ALL_GATHER ? phase->bytes * phase->ring.n : phase->bytes;
}

/* The kinds to which the other three policies apply. */
static int obeys_policies(const struct asim_chunk *chunk)
{
    int kind = asim_chunk_phase(chunk)->kind;

    return kind == ASIM_REDUCE_SCATTER || kind == ASIM_ALL_GATHER;
}

/* 1 if the waiting chunk stays ahead of the new one. Of two equal chunks the earlier stays ahead.
 */
static int stays_ahead(int policy, const struct asim_chunk *waiting, const struct asim_chunk *fresh)
{
    if (policy == ASIM_INTRA_SMALLEST_FIRST)
        return size_of(waiting) <= size_of(fresh);
    if (policy == ASIM_INTRA_LESS_REMAINING_PHASE_FIRST)
        return waiting->n_phases - waiting->phase <= fresh->n_phases - fresh->phase;
    return waiting->priority >= fresh->priority;
}

/* The first place between two waiting chunks of the other kind; else the end. */
static struct asim_chunk *place_alternating(struct asim_queue *queue,
                                            const struct asim_chunk *fresh)
{
    int kind = asim_chunk_phase(fresh)->kind;
    struct asim_chunk *at = queue->head;

    for (; at && at->next; at = at->next)
        if (!at->next->started && asim_chunk_phase(at)->kind != kind &&
            asim_chunk_phase(at->next)->kind != kind)
            return at;
    return queue->tail;
}

/* Searches from the tail, where most chunks belong: mostly O(1), at worst O(waiting). */
static struct asim_chunk *enqueue_after(const struct asim_rank *rank, struct asim_queue *queue,
                                        const struct asim_chunk *fresh)
{
    int policy = obeys_policies(fresh) ? rank->world->set.system.intra_dim : ASIM_INTRA_FIFO;
    struct asim_chunk *after = queue->tail;

    if (policy == ASIM_INTRA_RG)
        return place_alternating(queue, fresh);
    while (after && !after->started && !stays_ahead(policy, after, fresh))
        after = after->prev;
    return after;
}

/* --- starting and ending phases ------------------------------------------------------------------
 */

static void unlink_chunk(struct asim_queue *queue, struct asim_chunk *chunk)
{
    *(chunk->prev ? &chunk->prev->next : &queue->head) = chunk->next;
    *(chunk->next ? &chunk->next->prev : &queue->tail) = chunk->prev;
    chunk->next = chunk->prev = NULL;
}

static void link_behind(struct asim_queue *queue, struct asim_chunk *chunk,
                        struct asim_chunk *after)
{
    chunk->prev = after;
    chunk->next = after ? after->next : queue->head;
    *(chunk->prev ? &chunk->prev->next : &queue->head) = chunk;
    *(chunk->next ? &chunk->next->prev : &queue->tail) = chunk;
}

/* 1 if a started chunk is of the same communicator. Started chunks precede waiting ones. */
static int has_group_of(const struct asim_queue *queue, const struct asim_chunk *waiting)
{
    uint64_t key = asim_group_key(waiting->coll->group);
    const struct asim_chunk *chunk = queue->head;

    while (chunk && chunk->started && asim_group_key(chunk->coll->group) != key)
        chunk = chunk->next;
    return chunk && chunk->started;
}

/* The next chunk that may start, behind those that have; NULL if there is none. */
static struct asim_chunk *next_to_start(struct asim_rank *rank, struct asim_queue *queue)
{
    const struct asim_world *world = rank->world;
    struct asim_chunk *last = NULL, *chunk = queue->head;

    if (queue->running >= world->set.queue_limit)
        return NULL;
    for (; chunk && chunk->started; chunk = chunk->next)
        last = chunk;
    if (!world->set.system.in_communicators)
        return chunk;
    while (chunk && has_group_of(queue, chunk))
        chunk = chunk->next;
    if (!chunk || chunk->prev == last)
        return chunk;
    unlink_chunk(queue, chunk);
    link_behind(queue, chunk, last);
    return chunk;
}

/* Starts waiting chunks while the queue has room, up to a chunk whose phase is over at once, which
 * it returns. */
static struct asim_chunk *start_waiting(struct asim_rank *rank, uint32_t q)
{
    struct asim_queue *queue = &rank->queues[q];
    struct asim_chunk *over = NULL, *chunk;

    while (!over && !rank->failed && (chunk = next_to_start(rank, queue))) {
        chunk->started = 1;
        queue->running++;
        over = asim_chunk_start_phase(rank, chunk);
        if (over && asim_chunk_is_held(rank, over))
            over = NULL;
    }
    return over;
}

/* Ends the collective after its last chunk. Its op ends in the middle of the last chunk's last
 * advance, as in ASTRA-sim: successors of the op may start while the chunk still counts. The struct
 * is freed last, because these successors may read the rank's list of open collectives. */
void asim_chunk_scheduler_ended(struct asim_rank *rank, struct asim_coll_op *coll)
{
    if (--coll->chunks)
        return;
    *(coll->prev ? &coll->prev->next : &rank->open_head) = coll->next;
    *(coll->next ? &coll->next->prev : &rank->open_tail) = coll->prev;
    rank->world->op_done(rank, coll->op);
    free(coll->sizes);
    asim_pool_put(&rank->shard->pools.coll_op, coll);
}

/* Lets a queue that has changed start chunks after those behind it in the stack. */
static void will_start(struct asim_rank *rank, uint32_t q)
{
    if (ASIM_VEC_PUSH(rank->shard->changed_queues, q))
        asim_rank_fail_nomem(rank, "starting a chunk");
}

/* Ends a chunk, or moves it into its next queue. */
static void move(struct asim_rank *rank, struct asim_chunk *chunk)
{
    int old = chunk->queue, over = chunk->phase == chunk->n_phases;
    struct asim_queue *queue;

    if (over)
        asim_chunk_scheduler_ended(rank, chunk->coll);
    if (old >= 0)
        unlink_chunk(&rank->queues[old], chunk);
    if (over) {
        asim_pool_put(&rank->shard->pools.chunk, chunk);
    } else {
        chunk->queue = (int)chunk->phases[chunk->phase++].queue;
        chunk->started = 0;
        chunk->kernel = ASIM_KERNEL_NONE;
        queue = &rank->queues[chunk->queue];
        link_behind(queue, chunk, enqueue_after(rank, queue, chunk));
        will_start(rank, (uint32_t)chunk->queue);
    }
    if (old >= 0) {
        rank->queues[old].running--;
        will_start(rank, (uint32_t)old);
    }
}

/* The order of system-layer.md#queues-and-active-chunks: end the collective, leave the list, end
 * the chunk or enter the next queue, start chunks of the old queue, then of the new one. A chunk
 * that is over at once goes through all this before the queue that started it starts another. An op
 * that follows the collective may issue chunks meanwhile: these come here with the entries above
 * `below`. */
void asim_chunk_advance(struct asim_rank *rank, struct asim_chunk *chunk)
{
    size_t below = rank->shard->changed_queues.n;

    if (asim_chunk_is_held(rank, chunk))
        return;
    move(rank, chunk);
    while (rank->shard->changed_queues.n > below) {
        chunk = start_waiting(rank, ASIM_VEC_POP(rank->shard->changed_queues));
        if (chunk)
            move(rank, chunk);
    }
}
