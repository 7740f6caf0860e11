/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion control as pure arithmetic. A member sees one flow and what an ACK brought, and sets
 * the flow's rate; it knows no node, no clock and no other flow. Rates are integers in bit/s
 * between min_bps and line_bps. A member that needs timers asks for them in `timer_at` and gets
 * on_timer at that time, in the flow's host.
 */
#ifndef ASIM_CC_CC_H
#define ASIM_CC_CC_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/family.h"
#include "conf/conf.h"

/* What frames must carry for an algorithm. */
enum asim_cc_need {
    ASIM_CC_INT = 1,       /* per-hop telemetry, 42 bytes on data and ACK (HPCC) */
    ASIM_CC_TIMESTAMP = 2, /* 8 bytes on data (TIMELY, Swift) */
    ASIM_CC_DIGEST = 4     /* 1 or 2 bytes on data (PINT) */
};

enum { ASIM_INT_HOPS = 5 };

/* One switch port's record in an INT header, in the header's own units (spec rdma-network.md,
 * section 1.3): all three wrap. */
struct asim_int_hop {
    uint64_t rate_bps;
    uint32_t time;  /* ns modulo 2^24 */
    uint32_t bytes; /* sent by the port before this packet, in 128 x INT_MULTI, modulo 2^20 */
    uint32_t qlen;  /* left in the port's queues, in 80 x INT_MULTI, 17 bits */
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

struct asim_cc_ack {
    uint64_t now, seq;                 /* seq = next byte the receiver expects */
    uint64_t age;                      /* how long before now this ACK's last hop began, ns */
    int marked;                        /* the data packet carried an ECN mark (CNP flag) */
    const struct asim_telemetry *seen; /* where needs is not 0 */
};

/* Family cc: row symbols asim_cc_<file>, table asim_cc_table. */
struct asim_cc {
    struct asim_member member;
    int number; /* CC_MODE of the published configurations; -1 = by name only */
    /* Bits of enum asim_cc_need: adds to the size of every frame on the wire. */
    unsigned needs;
    /* A change of rate also moves the gap of the packet sent last (spec 2.5, "ChangeRate"); else
     * it holds from the next packet on. */
    int retimes;
    /* An ACK without a mark changes nothing, whatever the time: then where nothing is marked and no
     * timer runs, periods may be left out (fabric/memo/steady_state.h). */
    int steady;
    /* window_bytes is the algorithm's own, not to be scaled with the rate. */
    int own_window;
    /* Bytes of per-flow state; the fabric allocates and frees it with the flow. */
    size_t state_size;
    /* A new flow at line rate. None of the three hooks may be NULL: use the ones below. */
    void (*open)(struct asim_cc_flow *flow, const struct asim_netconf *conf);
    /* After snd_una has moved, before the NIC is kicked. Sets flow->rate_bps; window scaling
     * follows. */
    void (*on_ack)(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_netconf *conf);
    void (*on_timer)(struct asim_cc_flow *flow, uint64_t now, const struct asim_netconf *conf);
};
extern const struct asim_member *const asim_cc_table[];

/* The hooks of a member that does not care. */
void asim_cc_open_nothing(struct asim_cc_flow *flow, const struct asim_netconf *conf);
void asim_cc_ack_nothing(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                         const struct asim_netconf *conf);
void asim_cc_timer_nothing(struct asim_cc_flow *flow, uint64_t now,
                           const struct asim_netconf *conf);

/* Member for a CC_MODE number; fails naming the known ones. 0 and 12 are `none`. */
const struct asim_cc *asim_cc_number(uint32_t number, struct asim_err *err);
/* What a configuration asks for: CC by name if it is there, else CC_MODE. */
const struct asim_cc *asim_cc_of(const struct asim_netconf *conf, struct asim_err *err);

/* --- arithmetic members share --------------------------------------------------------------- */
/* bps x factor, truncated, kept between the flow's minimum and line rate. */
uint64_t asim_cc_scale(const struct asim_cc_flow *flow, uint64_t bps, double factor);
/* bps kept between minimum and line rate. */
uint64_t asim_cc_clamp(const struct asim_cc_flow *flow, uint64_t bps);
/* A time of the configuration in whole microseconds, as ns (the reference truncates). */
uint64_t asim_cc_timer_ns(uint64_t fs);
/* Uniform in [0, 1), the flow's own sequence. */
double asim_cc_draw(struct asim_cc_flow *flow);

#endif
