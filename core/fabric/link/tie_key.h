/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order of simultaneous events inside one node. ASTRA-sim keeps one event list and runs
 * equal times in the order of insertion. Insertion order is known locally, going backwards: an
 * event was inserted when its cause ran, so compare the times at which the two were scheduled;
 * if these are equal too, the times at which their causes were scheduled
 * (rdma-network.md#order-of-simultaneous-events, taken one step further back). What still ties has
 * run in lockstep for a while, and then the order is what it was the last time: `seq`, the node's
 * own count of events at which the frame before on that link was taken, or the transmission started
 * (of a switch's port: the first of those that have followed each other without a break), or the
 * timer was armed. Everything is the node's own knowledge or travels with the frame, so any number
 * of threads and processes agree.
 */
#ifndef ASIM_FABRIC_LINK_TIE_KEY_H
#define ASIM_FABRIC_LINK_TIE_KEY_H

#include <stdint.h>

enum asim_class {
    ASIM_CLASS_FREE,    /* a port ends serializing a frame */
    ASIM_CLASS_ARRIVAL, /* a frame, or a completion notice, comes in */
    ASIM_CLASS_TIMER    /* wakes of the rank, pacing, new queue pairs */
};

/* Ages saturate: beyond 1 s (ns resolution) the older of two causes is not told any more. */
enum { ASIM_AGE_BITS = 30, ASIM_CAUSE_BITS = 24 };

/* 30 bits of (largest - age), 24 bits of (largest - age of the cause), class. age = time of the
 * event - time it was scheduled; the cause's age likewise. */
static inline uint64_t asim_tie_key(uint64_t age, uint64_t cause_age, enum asim_class class)
{
    const uint64_t most = (1ull << ASIM_AGE_BITS) - 1, cause_most = (1ull << ASIM_CAUSE_BITS) - 1;

    age = age < most ? age : most;
    cause_age = cause_age < cause_most ? cause_age : cause_most;
    return (most - age) << 26 | (cause_most - cause_age) << 2 | (uint64_t) class;
}

/* What frames and ports carry of the event that sent them: the largest age of a cause less the age
 * of the event with this tie, 0 where it is older. */
static inline uint32_t asim_cause_recency(uint64_t tie)
{
    const uint64_t oldest = (1ull << ASIM_AGE_BITS) - (1ull << ASIM_CAUSE_BITS);
    uint64_t top = tie >> 26;

    return top > oldest ? (uint32_t)(top - oldest) : 0;
}

/* asim_tie_key with the cause's youth, and with (largest - age), not below 0, for the age. */
static inline uint64_t asim_tie_key_of(uint64_t top, uint32_t youth, enum asim_class class)
{
    return top << 26 | (uint64_t)youth << 2 | (uint64_t) class;
}

/* Age of the event behind a tie, as far as it is told. */
static inline uint64_t asim_tie_key_age(uint64_t tie)
{
    return ((1ull << ASIM_AGE_BITS) - 1) - (tie >> 26);
}

#endif
