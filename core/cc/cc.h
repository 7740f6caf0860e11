/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion control as pure arithmetic. A member reads one flow and the contents of an ACK, and
 * sets the flow's rate; it knows no node, no clock and no other flow. Rates are integers in bit/s
 * between min_bps and line_bps. A member that needs timers asks for them in `timer_at` and gets
 * on_timer at that time, in the flow's host.
 *
 * A member's options are keys of the network configuration (config.txt, ns-3 attributes). Its row
 * names them in member.options; conf/netconf.c reads them and each hook gets the filled struct.
 */
#ifndef ASIM_CC_CC_H
#define ASIM_CC_CC_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/family.h"

struct asim_cc_config;
struct asim_cc_flow;
struct asim_telemetry;

/* What frames must carry for an algorithm. */
enum asim_cc_need {
    ASIM_CC_INT = 1,       /* per-hop telemetry, 42 bytes on data and ACK (HPCC) */
    ASIM_CC_TIMESTAMP = 2, /* 8 bytes on data (TIMELY, Swift) */
    ASIM_CC_DIGEST = 4     /* 1 or 2 bytes on data (PINT) */
};

struct asim_cc_ack {
    uint64_t now, seq;                 /* seq = next byte the receiver expects */
    uint64_t age;                      /* how long before now this ACK's last hop began, ns */
    int marked;                        /* the data packet carried an ECN mark (CNP flag) */
    const struct asim_telemetry *seen; /* where needs is not 0 */
};

/* How a member of a state behaves while the network repeats a period
 * (fabric/memo/state/feedback.h). */
enum asim_cc_kind {
    ASIM_CC_END,  /* ends a list of fields */
    ASIM_CC_SAME, /* returns to its value */
    ASIM_CC_SEQ,  /* uint64_t: a position in the message, 0 = none; advances with the message */
    /* uint64_t: a time in ns that is compared only with the times at which packets were sent. */
    ASIM_CC_SENT,
    ASIM_CC_HOPS,    /* one or more struct asim_int_hop, rate_bps 0 = none */
    ASIM_CC_ROUNDS,  /* uint64_t: how often `repeat` has changed the state; at most one field */
    ASIM_CC_REPEATED /* without influence while no packet is marked: `repeat` advances it */
};

struct asim_cc_field {
    enum asim_cc_kind kind;
    uint16_t offset, size; /* bytes, whole words of 4 */
};
#define ASIM_CC_FIELD(KIND, STRUCT, NAME)                                                          \
    {                                                                                              \
        KIND, offsetof(STRUCT, NAME), sizeof(((STRUCT *)0)->NAME)                                  \
    }

/* Family cc/algo: row symbols asim_cc_<file>, table asim_cc_table. */
struct asim_cc {
    struct asim_member member;
    int number; /* CC_MODE of the published configurations; -1 = by name only */
    /* Bits of enum asim_cc_need: adds to the size of every frame on the wire. */
    unsigned needs;
    /* A change of rate also moves the gap of the packet sent last (rdma-network.md#pacing,
     * "ChangeRate"); else it holds from the next packet on. */
    int retimes;
    /* An ACK without a mark changes nothing, at any time: then steady-state detection may skip
     * periods without marks and timers (fabric/memo/period/steady_state.h). */
    int steady;
    /* Else it may skip periods if this list has all of the state; NULL: it may not. */
    const struct asim_cc_field *fields;
    /* What `rounds` more rounds do to the fields that are ASIM_CC_REPEATED; NULL: there are none.
     */
    void (*repeat)(struct asim_cc_flow *flow, uint64_t rounds, const struct asim_cc_config *config);
    /* Only ECN marks make it lower a rate. */
    int by_marks;
    /* The algorithm sets window_bytes itself; the fabric does not scale it with the rate. */
    int own_window;
    /* Bytes of per-flow state; the fabric allocates and frees it with the flow. */
    size_t state_size;
    /* 0, or the sentence for options that cannot work together. NULL = all can. */
    int (*check)(const void *options, struct asim_err *err);
    /* A new flow at line rate. None of the three hooks may be NULL: use the ones below. */
    void (*open)(struct asim_cc_flow *flow, const struct asim_cc_config *config);
    /* After snd_una has moved, before the NIC is kicked. Sets flow->rate_bps; window scaling
     * follows. */
    void (*on_ack)(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config);
    void (*on_timer)(struct asim_cc_flow *flow, uint64_t now, const struct asim_cc_config *config);
};
extern const struct asim_member *const asim_cc_table[];

/* Bytes of a data frame beside its payload, and of an ACK, without telemetry
 * (rdma-network.md#frame-sizes). */
enum { ASIM_DATA_OVERHEAD = 36, ASIM_ACK_WIRE = 48 };
enum { ASIM_PINT_SCALE = 512 }; /* PINT: the digest's unit of utilisation */
/* The same with the telemetry that the algorithm needs (rdma-network.md#telemetry-headers). */
struct asim_cc_frames {
    uint32_t overhead, ack;
};
struct asim_cc_frames asim_cc_frames(const struct asim_cc *cc, double pint_log_base);

/* Hooks that do nothing. */
void asim_cc_open_nothing(struct asim_cc_flow *flow, const struct asim_cc_config *config);
void asim_cc_ack_nothing(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                         const struct asim_cc_config *config);
void asim_cc_timer_nothing(struct asim_cc_flow *flow, uint64_t now,
                           const struct asim_cc_config *config);

/* Member for a CC_MODE number; fails naming the known ones. 0 and 12 are `none`. */
const struct asim_cc *asim_cc_number(uint32_t number, struct asim_err *err);
/* The member of that name; of the CC_MODE number where name is NULL or empty. */
const struct asim_cc *asim_cc_choose(const char *name, uint32_t number, struct asim_err *err);
/* Start-up check of the family: names, options, hooks and numbers of all rows. */
int asim_cc_check(struct asim_err *err);

/* --- options that several published algorithms share ---------------------------------------- */
/* One key may be an option of several members: each gets the value in its own struct. The rows must
 * agree, hence these. STRUCT has the field NAME of the type in the row. */
#define ASIM_CC_RATE_AI(STRUCT, NAME)                                                              \
    ASIM_OPTION(STRUCT, "RATE_AI", RATE, NAME, "additive increase", .def = "50Mb/s",               \
                .flags = ASIM_F_BARE, .attribute = "RateAI", .builtin = "none", .usual_min = 1e6,  \
                .usual_max = 1e11)
#define ASIM_CC_RATE_HAI(STRUCT, NAME)                                                             \
    ASIM_OPTION(STRUCT, "RATE_HAI", RATE, NAME, "hyper increase", .def = "100Mb/s",                \
                .flags = ASIM_F_BARE, .attribute = "RateHAI", .builtin = "none", .usual_min = 1e6, \
                .usual_max = 1e11)
#define ASIM_CC_EWMA_GAIN(STRUCT, NAME)                                                            \
    ASIM_OPTION(STRUCT, "EWMA_GAIN", DOUBLE, NAME, "DCQCN and DCTCP: g", .def = "0.00390625",      \
                .max = 1, .builtin = "0", .usual_min = 1e-6, .usual_max = 1)
#define ASIM_CC_U_TARGET(STRUCT, NAME)                                                             \
    ASIM_OPTION(STRUCT, "U_TARGET", DOUBLE, NAME, "HPCC: target utilisation", .def = "0.95",       \
                .max = 1e3, .attribute = "TargetUtil", .usual_min = 0.1, .usual_max = 1)
#define ASIM_CC_MI_THRESH(STRUCT, NAME)                                                            \
    ASIM_OPTION(STRUCT, "MI_THRESH", U32, NAME, "HPCC: stages before a multiplicative step",       \
                .def = "0", .max = 1e6, .builtin = "5")
/* Of the telemetry in frames, too; the network configuration has them itself. */
#define ASIM_CC_INT_MULTI(STRUCT, NAME)                                                            \
    ASIM_OPTION(STRUCT, "INT_MULTI", U32, NAME, "unit of INT counters", .def = "1", .max = 1e6,    \
                .usual_min = 1, .usual_max = 64)
#define ASIM_CC_PINT_LOG_BASE(STRUCT, NAME)                                                        \
    ASIM_OPTION(STRUCT, "PINT_LOG_BASE", DOUBLE, NAME, "PINT: base of the logarithm",              \
                .def = "1.05", .max = 1e3, .usual_min = 1, .usual_max = 2)

/* --- arithmetic members share --------------------------------------------------------------- */
/* bps x factor, truncated, kept between the flow's minimum and line rate. */
uint64_t asim_cc_scale(const struct asim_cc_flow *flow, uint64_t bps, double factor);
/* bps kept between minimum and line rate. */
uint64_t asim_cc_clamp(const struct asim_cc_flow *flow, uint64_t bps);
/* A time of the configuration in whole microseconds, as ns (ASTRA-sim truncates). */
uint64_t asim_cc_timer_ns(uint64_t fs);
/* Uniform in [0, 1), the flow's own sequence. */
double asim_cc_draw(struct asim_cc_flow *flow);

#endif
