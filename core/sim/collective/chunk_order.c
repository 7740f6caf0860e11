/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where a chunk enters its queue ("intra-dimension-scheduling", system-layer.md#priorities).
 * Never before a chunk that runs. FIFO, the default and the reference's only reachable policy:
 * behind everything of the same or a higher priority. The others look at reduce-scatters and
 * all-gathers only; for the rest of the kinds FIFO stands, and they do not look at priorities:
 *
 *   RG                       reduce-scatters and all-gathers in turn
 *   smallestFirst            by the larger of what a phase takes in and gives out
 *   lessRemainingPhaseFirst  by the number of phases still to come
 */
#include "sim/sim.h"

/* What the phase takes in or gives out, whichever is more. */
static uint64_t size_of(const struct asim_chunk *stream)
{
    const struct asim_phase *phase = asim_chunk_phase(stream);

    return phase->kind == ASIM_ALL_GATHER ? phase->bytes * phase->ring.n : phase->bytes;
}

/* The kinds the three other policies look at. */
static int is_balanced(const struct asim_chunk *stream)
{
    int kind = asim_chunk_phase(stream)->kind;

    return kind == ASIM_REDUCE_SCATTER || kind == ASIM_ALL_GATHER;
}

/* 1 if the waiting stream stays ahead of the new one.
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
 * Where there is no such place the stream goes to the end. */
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

/* From the tail, because most streams belong there: O(1) usually, O(waiting) at worst. */
struct asim_chunk *asim_chunk_enqueue_after(const struct asim_rank *rank, struct asim_queue *queue,
                                            const struct asim_chunk *fresh)
{
    int policy = is_balanced(fresh) ? rank->world->system.intra_dim : ASIM_INTRA_FIFO;
    struct asim_chunk *after = queue->tail;

    if (policy == ASIM_INTRA_RG)
        return place_in_turn(queue, fresh);
    while (after && !after->started && !stays_ahead(policy, after, fresh))
        after = after->prev;
    return after;
}
