/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The fast path for uniform phases. In a uniform phase all steps are alike: each sends one message
 * and receives one message of known sizes for one credit, as the steps of a ring do. Nearly every
 * message of a large run belongs to one.
 *
 * A network with relays (net/net.h) carries the whole phase and says when it is over; no message of
 * it comes here. Else the outgoing messages form a train of the network where it has trains. The
 * incoming messages go to one inbox, which is pinned for the phase. One credit and one receive are
 * part of the struct; the pools serve further ones while these are in use.
 */
#ifndef ASIM_SIM_COLLECTIVE_UNIFORM_PHASE_H
#define ASIM_SIM_COLLECTIVE_UNIFORM_PHASE_H

#include "sim/sim.h"

/* The fields behind credit.due begin a cache line. */
enum { ASIM_UNIFORM_PHASE_PAD = 64 - sizeof(struct asim_due) };

/* A uniform phase under way, from its shard's pool. Every field that a message reads is on the
 * second and third of its cache lines, apart from the chunk: with 128 ranks of four chunks each,
 * one more line would take a sixteenth of a processor's second-level cache. */
struct asim_uniform_phase {
    char before[ASIM_UNIFORM_PHASE_PAD]; /* credit.due, which is rarely read, goes to the first line
                                          */
    struct asim_rank_event credit;
    uint32_t credit_free; /* 1: `credit` is not scheduled */
    uint32_t credits;
    uint64_t delay_ns;
    struct asim_inbox *inbox;
    /* Steps left; messages that have arrived; the first message that may reduce another number of
     * bytes. */
    uint32_t left, arrived, constant_until;
    uint32_t to; /* destination of each step; ASIM_NOBODY: `train` is set */
    uint64_t bytes;
    union {
        struct asim_msg_train *train;
        uint64_t send_bytes; /* bytes that a step sends */
    };
    struct asim_recv recv;
    uint64_t reduce_bytes, reduce_ns; /* the time to reduce so many bytes */
    struct asim_relay *relay;         /* NULL: none */
    struct asim_rank *rank;           /* of the relay */
};

/* 1: the network carries each uniform phase of the rank by itself (net/net.h). */
int asim_uniform_phase_has_relays(const struct asim_rank *rank);
/* The network's functions for phases that repeat (net/net.h); NULL: it has none. *is_carried: each
 * message is watched. */
const struct asim_net_extras *asim_uniform_phase_repeats(const struct asim_world *world,
                                                         int *is_carried);
/* Whether all steps of the phase are alike. */
int asim_uniform_phase_fits(const struct asim_chunk *chunk);
/* Starts the phase on the fast path if it is uniform; 0: it is not, and nothing has changed. Fails
 * the rank when out of memory. */
int asim_uniform_phase_begin(struct asim_rank *rank, struct asim_chunk *chunk);
/* Adds a credit: takes steps, and ends the phase after the last. This and the next return the chunk
 * if its phase is over, for asim_chunk_advance, else NULL. */
struct asim_chunk *asim_uniform_phase_credit(struct asim_rank *rank, struct asim_chunk *chunk);
/* The delay of the struct's credit is over: begins the reduction, or mostly takes one step. */
struct asim_chunk *asim_uniform_phase_step(struct asim_rank *rank,
                                           struct asim_uniform_phase *uniform, uint64_t now);
/* Its relay is over, and so is the phase: returns the chunk. */
struct asim_chunk *asim_uniform_phase_over(struct asim_uniform_phase *uniform);
/* Messages of the phase that have arrived. */
uint32_t asim_uniform_phase_arrived(const struct asim_world *world,
                                    const struct asim_uniform_phase *uniform);
/* Messages of the rank that have numbers and are not yet sent. Walks over all open chunks. */
uint64_t asim_uniform_phase_unsent(const struct asim_rank *rank);

/* The next message has arrived. */
void asim_uniform_phase_arrival(struct asim_rank *rank, struct asim_uniform_phase *uniform);

#endif
