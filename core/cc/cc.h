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

enum asim_cc_need {                        /* what frames must carry for it */
                    ASIM_CC_INT = 1,       /* per-hop telemetry, 42 bytes (HPCC) */
                    ASIM_CC_TIMESTAMP = 2, /* 8 bytes (TIMELY, Swift) */
                    ASIM_CC_DIGEST = 4     /* PINT, 1 or 2 bytes */
};

struct asim_cc_flow {
    /* The present rate, and its bounds: the NIC's rate and MIN_RATE. */
    uint64_t rate_bps, line_bps, min_bps;
    /* snd_next: offset of the next byte to send; size: of the message, bytes; window_bytes 0 = no
     * limit. */
    uint64_t snd_next, size, window_bytes, base_rtt_ns;
    uint64_t timer_at; /* UINT64_MAX = none wanted */
    void *state;       /* state_size bytes, zeroed before open; NULL where state_size is 0 */
};

struct asim_cc_ack {
    uint64_t now, seq; /* seq = next byte the receiver expects */
    int marked;        /* the data packet carried an ECN mark (CNP flag) */
};

/* Family cc: row symbols asim_cc_<file>, table asim_cc_table. */
struct asim_cc {
    struct asim_member member;
    int number; /* CC_MODE of the published configurations; -1 = by name only */
    /* Bits of enum asim_cc_need: adds to the size of every frame on the wire. */
    unsigned needs;
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

#endif
