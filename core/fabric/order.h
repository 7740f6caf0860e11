/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order of simultaneous events inside one node (spec rdma-network.md section 10): by time,
 * then by the time the event was scheduled, then by class, then by link or by insertion. All of it
 * is known locally, so any number of threads and processes agree, and it reproduces the
 * insertion order of the reference's single event list.
 *
 * Packed: 30 bits of (largest - age), 2 bits of class, 32 bits of link or sequence number; age =
 * time - time of scheduling, saturated.
 */
#ifndef ASIM_FABRIC_ORDER_H
#define ASIM_FABRIC_ORDER_H

#include <stdint.h>

enum asim_class {
    ASIM_CLASS_FREE,    /* a port ends serializing a frame */
    ASIM_CLASS_ARRIVAL, /* a frame, or a completion notice, comes in */
    ASIM_CLASS_TIMER    /* wakes of the rank, pacing, new queue pairs */
};

static inline uint64_t asim_tie(uint64_t age, enum asim_class class, uint32_t low)
{
    const uint64_t largest = (1u << 30) - 1;

    return (largest - (age < largest ? age : largest)) << 34 | (uint64_t) class << 32 | low;
}

#endif
