/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Episodes: the traffic from one idle network to the next. An idle network has no frame and no open
 * message. Its future depends on the messages that ranks inject, on their times, and on what the
 * network remembers (episode_state.h). An episode therefore consists of its injections, with times
 * since its begin, of the completions they led to, of the delta of every counter, and of the state
 * that it needs and leaves. The same injections over the same paths from that state lead to the
 * same completions, to the tick.
 *
 * Other simulators memoise packet traffic approximately (Wormhole, 2026, and others). This memo is
 * exact, because it compares for equality only.
 *
 * An episode lists only the hosts and counters that took part, so a replay costs less than a
 * simulation even if a few of many hosts send.
 *
 * Memory: 56 bytes an injection and 24 a completion, twice, 16 a counter that changes, and 88 a
 * wire.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_EPISODE_H
#define ASIM_FABRIC_MEMO_REGION_EPISODE_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"
#include "fabric/memo/state/counters.h"
#include "fabric/memo/state/episode_state.h"
#include "fabric/memo/region/injection.h"

/* The memo told a rank that a message is complete: its source or its destination. */
struct asim_recorded_completion {
    uint64_t t, tie;         /* ticks since the episode began; tie key of the event */
    uint32_t src;            /* the source of the message, */
    uint32_t injection : 31; /* and the message's index there */
    uint32_t is_arrival : 1; /* the destination was told */
};

/* The rows of one host. Only the thread of that host writes them. */
struct asim_episode_part {
    ASIM_VEC(struct asim_injection) injections;
    ASIM_VEC(struct asim_recorded_completion) completions; /* ordered by time and tie key */
};

struct asim_episode {
    struct asim_episode *next;      /* in the memo's list */
    uint64_t hash;                  /* of the injections of its first tick */
    uint64_t begin, length;         /* ticks; begin: of the recording */
    struct asim_episode_part *part; /* [hosts] */
    uint64_t *counts;               /* [asim_counters_size] at its begin; NULL once it is over */
    ASIM_VEC(uint32_t) who;         /* hosts with injections or completions */
    struct asim_counter_deltas deltas;
    struct asim_episode_state state;
    uint64_t hops;         /* packet-hops in it */
    uint64_t unreplayable; /* at its begin: the number of events that no replay can repeat */
    size_t bytes;          /* memory it takes */
    int not_replayable;    /* such an event happened */
};

/* An episode without rows; NULL when out of memory. The caller owns it. */
struct asim_episode *asim_episode_new(const struct asim_fabric *fabric);
/* Starts a recording at time `begin`, in a new episode or a discarded one. 0 or ASIM_ENOMEM. */
int asim_episode_begin(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin);
void asim_episode_free(struct asim_episode *episode, uint32_t hosts);
/* The recording is over at time `end`. 0, ASIM_ENOMEM, or 1: no replay can leave what it left
 * (episode_state.h). */
int asim_episode_end(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t end);

#endif
