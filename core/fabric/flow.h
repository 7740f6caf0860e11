/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A flow: one message on its way as congestion control, sender and receiver see it. It lives in a
 * slot of its source host (flow.c) and is found by (source host, slot) from frames and timers.
 */
#ifndef ASIM_FABRIC_FLOW_H
#define ASIM_FABRIC_FLOW_H

#include <stdint.h>
#include "cc/cc.h"
#include "fabric/loss.h"
#include "net/net.h"

/* One message on its way: the sender's and the receiver's view. The receiver's fields are only
 * touched by the destination host, the others only by the source, but for the constants. */
struct asim_flow {
    struct asim_cc_flow cc; /* rate, window, snd_next, size */
    /* First byte not yet acknowledged. */
    uint64_t snd_una;
    uint64_t window; /* bytes allowed in flight now; 0 = no limit */
    /* Earliest time of the next packet, ns: the end of the pacing gap. */
    uint64_t next_avail;
    /* For the log: when the queue pair was made, and the figures of its path (ns, bit/s). */
    uint64_t start, pair_rtt, pair_bps;
    struct asim_msg msg; /* constant while the flow lives */
    /* Index of the NIC it sends on, chosen by hash when it opened. */
    uint32_t nic;
    uint16_t sport;
    /* generation: of the slot, wraps at 256; live until complete; stage: zero-delay events
     * passed. */
    uint8_t generation, live, stage;
    uint8_t gave_up; /* undeliverable: neither live nor finished, keeps its slot */
    /* Sender's side of losses (recovery.c): end of what was ever sent; packets before
     * solicit_below are repeats that want an ACK; times of the last go-back-N and timeout. */
    uint64_t snd_high, solicit_below, went_back, timed_out;
    uint32_t timeouts;           /* since the last progress */
    struct asim_repair *repair;  /* selective repeat, made at the first gap */
    struct asim_ranges rx_ahead; /* receiver: what has come beyond a gap */
    /* Frames, and notices, each end has made less those it has taken in, modulo 2^32: while the sum
     * is not 0 something of the flow is under way, and the slot is not reused. */
    uint32_t tx_frames, rx_frames;
    /* receiver */
    uint8_t rx_generation, rx_nacked, rx_told;
    /* What packets under way have gathered (telemetry.c); entry (seq / payload) mod seen_cap. */
    struct asim_telemetry *seen;
    uint32_t seen_cap;
    uint32_t last_wire;   /* size of the packet sent last, bytes */
    uint64_t timer_armed; /* the congestion-control timer on its way; ASIM_NEVER = none */
    /* Next byte expected; no second NACK for rx_nack_seq before rx_nack_until (ns). */
    uint64_t rx_next, rx_nack_until, rx_nack_seq;
};

enum { ASIM_FLOW_CHUNK = 64 };

#endif
