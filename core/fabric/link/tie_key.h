/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order of simultaneous events inside one node (rdma-network.md#order-of-simultaneous-events).
 * ASTRA-sim's ns-3 backend keeps one event list and runs events of equal times in the order of
 * insertion. A node knows insertion order without that list: an event was inserted when its cause
 * ran, so two events compare by the times at which they were scheduled and, if these are equal, by
 * the times at which their causes were scheduled. Events that still tie have run in lockstep for a
 * while, and keep the order of their last time: `seq`, the node's own count of events when it took
 * the previous frame of that link, started the transmission (at a switch port: the first of those
 * that followed each other without a break), or armed the timer.
 *
 * All of this is the node's own knowledge or travels with the frame, so any number of threads and
 * processes agrees.
 */
#ifndef ASIM_FABRIC_LINK_TIE_KEY_H
#define ASIM_FABRIC_LINK_TIE_KEY_H

#include <stdint.h>
#include "base/mem.h"

enum asim_class {
    ASIM_CLASS_FREE,    /* a port finishes serializing a frame */
    ASIM_CLASS_ARRIVAL, /* a frame or a completion notification arrives */
    ASIM_CLASS_TIMER    /* wakes of the rank, pacing, new queue pairs */
};

/* Ages saturate: beyond 1 s (at ns resolution) the order of two causes is unknown. */
enum { ASIM_AGE_BITS = 30, ASIM_CAUSE_BITS = 24 };

/* 30 bits of (largest - age), 24 bits of (largest - age of the cause), class. The age of an event
 * is its time minus the time at which it was scheduled. */
static inline uint64_t asim_tie_key(uint64_t age, uint64_t cause_age, enum asim_class class)
{
    const uint64_t most = (1ull << ASIM_AGE_BITS) - 1, cause_most = (1ull << ASIM_CAUSE_BITS) - 1;

    age = age < most ? age : most;
    cause_age = cause_age < cause_most ? cause_age : cause_most;
    return (most - age) << 26 | (cause_most - cause_age) << 2 | (uint64_t) class;
}

/* Whether two events of one time, which have these keys, were scheduled at one time by causes that
 * were. Then no key knows their order. */
static inline int asim_tie_is_contested(uint64_t a, uint64_t b)
{
    return !((a ^ b) >> 2);
}

/* The cause recency that frames and ports carry: the largest age of a cause minus the age of the
 * event with this tie key, 0 if the event is older. */
static inline uint32_t asim_cause_recency(uint64_t tie)
{
    const uint64_t oldest = (1ull << ASIM_AGE_BITS) - (1ull << ASIM_CAUSE_BITS);
    uint64_t top = tie >> 26;

    return top > oldest ? (uint32_t)(top - oldest) : 0;
}

/* asim_tie_key from the cause's recency and from `top`, which is the largest age minus the age, not
 * below 0. */
static inline uint64_t asim_tie_key_of(uint64_t top, uint32_t recency, enum asim_class class)
{
    return top << 26 | (uint64_t)recency << 2 | (uint64_t) class;
}

/* Age of the event with this tie key, as far as the key holds it. */
static inline uint64_t asim_tie_key_age(uint64_t tie)
{
    return ((1ull << ASIM_AGE_BITS) - 1) - (tie >> 26);
}

/* Of a timer that an event of that key arms `age` ticks ahead. */
static inline uint64_t asim_timer_tie_key(uint64_t armed_by, uint64_t age)
{
    const uint64_t most = (1ull << ASIM_AGE_BITS) - 1;

    return asim_tie_key_of(age < most ? most - age : 0, asim_cause_recency(armed_by),
                           ASIM_CLASS_TIMER);
}

/* The next arrival at a port that has had none since some event. */
struct asim_first_arrival {
    uint64_t t, tie, seq; /* seq: in_seq of the link */
    uint32_t port;
};

/* Kept for a switch with one shard: the first arrivals after its event `since`. */
struct asim_first_arrivals {
    uint64_t since;
    ASIM_VEC(struct asim_first_arrival) list;
};

#endif
