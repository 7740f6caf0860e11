/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Tells how far the collectives of a rank have come: by phases, and in a phase by messages.
 */
#include "sim/collective/coll_progress.h"
#include "sim/collective/uniform_phase.h"
#include "sim/world.h"

/* 0 to 1 of the phase that the chunk is in. Graphs count as not begun until they end. */
static double share_of_phase(const struct asim_world *world, const struct asim_chunk *chunk)
{
    const struct asim_uniform_phase *uniform = chunk->uniform;
    uint64_t arrived = uniform ? asim_uniform_phase_arrived(world, uniform) : chunk->received;

    if (!chunk->started || chunk->kernel == ASIM_KERNEL_LAUNCHED || chunk->runner ||
        !chunk->plan.arrivals)
        return 0;
    return arrived < chunk->plan.arrivals ? (double)arrived / (double)chunk->plan.arrivals : 1;
}

/* Each phase of a chunk counts alike. */
static double bytes_left(const struct asim_world *world, const struct asim_chunk *chunk)
{
    double phases = chunk->n_phases, ended = chunk->phase ? chunk->phase - 1 : 0;

    return (double)chunk->phases[0].bytes * (1 - (ended + share_of_phase(world, chunk)) / phases);
}

/* Of the chunks of one op, or of all: `any`. A chunk is in one queue until it ends. */
static double chunks_left(const struct asim_rank *rank, uint32_t op, int any)
{
    const struct asim_world *world = rank->world;
    size_t queues = rank->job->dims.n * world->set.settings.queues_per_dim;
    double left = 0;

    for (size_t q = 0; q < queues; q++)
        for (const struct asim_chunk *chunk = rank->queues[q].head; chunk; chunk = chunk->next)
            if ((any || chunk->coll->op == op) && chunk->n_phases)
                left += bytes_left(world, chunk);
    return left;
}

/* A remainder makes one more full chunk, so more may be left than the op has. */
static uint64_t difference(uint64_t bytes, double left)
{
    return left < (double)bytes ? bytes - (uint64_t)left : 0;
}

uint64_t asim_coll_bytes_done(const struct asim_rank *rank, uint32_t op)
{
    for (const struct asim_coll_op *coll = rank->open_head; coll; coll = coll->next)
        if (coll->op == op)
            return difference(coll->bytes, chunks_left(rank, op, 0));
    return 0;
}

uint64_t asim_coll_bytes_under_way(const struct asim_rank *rank)
{
    uint64_t bytes = 0;

    for (const struct asim_coll_op *coll = rank->open_head; coll; coll = coll->next)
        bytes += coll->bytes;
    return bytes ? difference(bytes, chunks_left(rank, 0, 1)) : 0;
}
