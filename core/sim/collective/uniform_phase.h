/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A phase uniform: all its steps are one message out and one message in, of known sizes, for
 * one credit each, as a ring's are. Nearly every message of a large run belongs to one, so these
 * have a short way of their own.
 *
 * The messages out are a row of the network's (net/net.h) where it has rows; those in come to one
 * inbox, which is held meanwhile. The usual credit and the usual receive stand in the uniform phase
 * itself, and take others from the pools only while those are in use.
 */
#ifndef ASIM_SIM_COLLECTIVE_UNIFORM_PHASE_H
#define ASIM_SIM_COLLECTIVE_UNIFORM_PHASE_H

#include "sim/sim.h"

/* So that what follows the credit's place in a queue begins a cache line. */
enum { ASIM_UNIFORM_PHASE_PAD = 64 - sizeof(struct asim_due) };

/* From its shard's pool, for the time of a phase. All that a message looks at is on the second and
 * third of its cache lines, apart from the chunk, which nobody needs on the way: of 128 ranks with
 * four of these each, another line would be a sixteenth of a processor's second cache. */
struct asim_uniform_phase {
    char
        before[ASIM_UNIFORM_PHASE_PAD]; /* only the place of the credit in a queue lies before these
                                         */
    struct asim_rank_event credit;
    uint32_t credit_free; /* it may be scheduled */
    uint32_t credits;
    uint64_t delay_ns;
    struct asim_inbox *inbox;
    /* Steps still to be taken; messages that have come; the first that may reduce something else
     * than `bytes`. */
    uint32_t left, arrived, constant_until;
    uint32_t to; /* whom a step sends to; ASIM_NOBODY: the network has a row */
    uint64_t bytes;
    union {
        struct asim_row *row;
        uint64_t send_bytes; /* what a step sends */
    };
    struct asim_recv recv;
    uint64_t reduce_bytes, reduce_ns; /* how long so many bytes take to be reduced */
};

/* Sets the chunk's phase uniform if it is of that kind; 0 = it is not. Fails the rank when out of
 * memory. */
int asim_uniform_phase_begin(struct asim_rank *rank, struct asim_chunk *chunk);
/* One credit more, however it arrived: takes steps, and ends the phase with the last. */
void asim_uniform_phase_credit(struct asim_rank *rank, struct asim_chunk *chunk);
/* The uniform phase's own credit is free: mostly one step. */
void asim_uniform_phase_step(struct asim_rank *rank, struct asim_uniform_phase *uniform,
                             uint64_t now);

/* Its own credit comes back with something to be reduced: not for others. */
void asim_uniform_phase_reduce(struct asim_rank *rank, struct asim_uniform_phase *uniform);
/* Messages of the rank that are numbered, because their phase is uniform, but not yet sent.
 * Looks at all its open chunks. */
uint64_t asim_uniform_phase_unsent(const struct asim_rank *rank);

/* The next message has come. */
void asim_uniform_phase_arrival(struct asim_rank *rank, struct asim_uniform_phase *uniform);

#endif
