/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Detects a livelock: packets are sent again and again, and messages gain next to no bytes. A look
 * at fixed simulated times (multiples of NO_PROGRESS_LIMIT) compares the bytes acknowledged so far
 * with those of the last look. All nodes have come to the time of a look exactly, so the run ends
 * in the same state for any window, any threads, any processes, with and without fast-forward.
 * Between looks nothing is counted and no frame costs more.
 */
#ifndef ASIM_FABRIC_CLOCK_LIVELOCK_H
#define ASIM_FABRIC_CLOCK_LIVELOCK_H

#include <stdint.h>

struct asim_fabric;
struct asim_no_progress;

/* Sums over the hosts of this process, or of all. */
struct asim_livelock_sums {
    uint64_t acked;       /* bytes of messages, acknowledged in order */
    uint64_t ended;       /* messages completed or given up */
    uint64_t live;        /* messages begun and not ended */
    uint64_t retransmits; /* packets sent again */
    uint64_t timeouts;
    uint64_t replays; /* processes that replay: messages advance at their end only */
};

struct asim_livelock {
    uint64_t interval; /* ticks from look to look; 0: no looks */
    uint64_t look_at;  /* the next look, ticks; ASIM_NEVER: none */
    /* At the last look; is_known: the next look may compare with them. */
    struct asim_livelock_sums last;
    int is_known;
    int is_found; /* the run has ended */
    /* Several processes: the present window ends at the look, and buffers carry the sums of this
     * process; the sums of other processes so far. */
    int is_closing;
    struct asim_livelock_sums own, others;
    uint64_t skipped_to;             /* the memo has skipped time up to here, ticks */
    struct asim_livelock_sums since; /* what was added between the last two looks */
};

/* Sets the time of the first look; after the links. */
void asim_livelock_open(struct asim_fabric *fabric);
/* No event before look_at is left in any process: compares, and sets the time of the next look.
 * first_event: the earliest of all, ASIM_NEVER where it is not known. */
void asim_livelock_look(struct asim_fabric *fabric, uint64_t first_event);
/* Several processes: sets the sums of this process, as its present window leaves them. */
void asim_livelock_sum(struct asim_fabric *fabric);
/* Adds the sums of another process for the next look. */
static inline void asim_livelock_add(struct asim_livelock_sums *into,
                                     const struct asim_livelock_sums *from)
{
    into->acked += from->acked;
    into->ended += from->ended;
    into->live += from->live;
    into->retransmits += from->retransmits;
    into->timeouts += from->timeouts;
    into->replays += from->replays;
}
/* 1 after a look has ended the run, with what it found. */
int asim_fabric_no_progress(const struct asim_fabric *fabric, struct asim_no_progress *found);

#endif
