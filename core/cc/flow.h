/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What congestion control knows of a flow and of its packets, and the settings of a run.
 */
#ifndef ASIM_CC_FLOW_H
#define ASIM_CC_FLOW_H

#include <stdint.h>

enum { ASIM_INT_HOPS = 5 };

/* One switch port's record in an INT header, in the header's own units
 * (rdma-network.md#telemetry-headers): all three wrap. */
struct asim_int_hop {
    uint64_t rate_bps;
    uint32_t time;  /* ns modulo 2^24 */
    uint32_t bytes; /* sent by the port before this packet, in 128 x INT_MULTI, modulo 2^20 */
    uint32_t qlen;  /* left in the port's queues, in 80 x INT_MULTI, 17 bits */
    uint32_t wire;  /* not in the header: the link that the port sends on (fabric/link/link.h) */
};

/* What one data packet has gathered on its way; its ACK brings it back. */
struct asim_telemetry {
    struct asim_int_hop hop[ASIM_INT_HOPS];
    uint32_t hops;    /* switches passed; may exceed ASIM_INT_HOPS */
    uint32_t digest;  /* PINT */
    uint64_t sent_at; /* ns, at the sender */
    /* Which sending of which packet this is of, so that a late copy writes into no other. */
    uint64_t seq;
    uint32_t tries;
};

struct asim_cc_flow {
    /* The first four are looked at for every packet (flow.h). */
    uint64_t snd_next, size, rate_bps, line_bps;
    uint64_t min_bps, window_bytes, base_rtt_ns;
    uint64_t timer_at; /* UINT64_MAX = none wanted */
    uint64_t draws;    /* keys of asim_cc_draw: one more for every draw */
    uint64_t seed;
    void *state; /* state_size bytes, zeroed before open; NULL where state_size is 0 */
};

/* The settings of a run. */
struct asim_cc_config {
    const void *options;    /* the struct of member.options; NULL where a member has none */
    uint32_t payload_bytes; /* of a full packet */
};

#endif
