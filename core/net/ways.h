/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ways to advance a run, and what excludes which. A fast path is a way with a name:
 * `--without=NAME` turns it off alone, and it changes no result. Whoever adds a feature adds a row
 * to ASIM_FEATURES and to features_of (fabric/clock/ways.c), and looks through the ways of ways.c.
 */
#ifndef ASIM_NET_WAYS_H
#define ASIM_NET_WAYS_H

#include <stdint.h>
#include "asim/err.h"

/* X(NAME, BIT, TEXT): what a run may have that some way excludes, or needs. Of several that exclude
 * fast-forward a report tells the first. */
#define ASIM_FEATURES(X)                                                                           \
    X(FRAMES, 0, "frames are watched, or advance event by event")                                  \
    X(PER_EVENT, 1, "nodes advance event by event")                                                \
    X(PINT, 2, "the congestion control draws for each packet (PINT)")                              \
    X(LOSSES, 3, "links lose frames at random")                                                    \
    X(EVENTS, 4, "the network changes at planned times")                                           \
    X(TRAFFIC, 5, "there is background traffic")                                                   \
    X(SPRAY, 6, "packets of a message take several paths")                                         \
    X(NIC_PAUSES, 7, "NICs pause (NIC_TOTAL_PAUSE_TIME)")                                          \
    X(QUEUE_CHANGES, 8, "every change of a queue is reported")                                     \
    X(REPORTS, 9, "queues or rates are reported")                                                  \
    X(SCHEDULER, 10, "ports have a state of their egress scheduler")                               \
    X(TELEMETRY, 11, "packets carry telemetry or timestamps")                                      \
    X(INT, 12, "switches write into packets (INT, PINT)")                                          \
    X(BACK_TO_ZERO, 13, "a loss sends the chunk again (L2_BACK_TO_ZERO)")                          \
    X(SHORT_RTO, 14, "a timeout may be shorter than two link delays")                              \
    X(PROCESSES, 15, "the run has several processes")                                              \
    X(EVENT_LIST, 16, "events are in the order of ns-3's list")                                    \
    X(SHARDS, 17, "threads share a switch")                                                        \
    X(SERVERS, 18, "servers have windows of their own")                                            \
    X(HALVES, 19, "each link joins the two halves of the network")                                 \
    X(STATE, 20, "the congestion control has a state that can repeat")

#define ASIM_FEATURE_BIT(name, bit, text) ASIM_HAS_##name = 1 << bit,
enum asim_feature { ASIM_FEATURES(ASIM_FEATURE_BIT) };

/* A set of ways is the sum of these bits. */
enum asim_way {
    ASIM_WAY_BULK_SWITCH = 1 << 0,
    ASIM_WAY_HOST_FAST = 1 << 1,
    ASIM_WAY_UNIFORM_PHASE = 1 << 2,
    ASIM_WAY_FAST_FORWARD = 1 << 3,
    ASIM_WAY_MEMO = 1 << 4,
    ASIM_WAY_WHOLE = 1 << 5,
    ASIM_WAY_PARTS = 1 << 6,
    ASIM_WAY_LEAVES = 1 << 7,
    ASIM_WAY_STEADY_STATE = 1 << 8,
    ASIM_WAY_OWN_PERIOD = 1 << 9,
    ASIM_WAY_COMMON_PERIOD = 1 << 10,
    ASIM_WAY_HALF_STEPS = 1 << 11,
    ASIM_WAY_HALVES = 1 << 12,
    ASIM_WAY_DOMAINS = 1 << 13,
    ASIM_WAY_SHARDS = 1 << 14,
    ASIM_WAY_EVENT_LIST = 1 << 15
};

struct asim_way_row {
    const char *name; /* for --without; NULL: it has none */
    enum asim_way way;
    uint32_t within;             /* the way that it is part of; 0: none */
    uint32_t excluded_by, needs; /* features, enum asim_feature */
    const char *about;
};

/* All ways, each behind the one that it is part of; the last row's `way` is 0. */
extern const struct asim_way_row asim_ways[];

/* The ways that are open to a run with these features, but for those of `without`. */
uint32_t asim_ways_of(uint32_t features, uint32_t without);
/* The text of the first of these features that excludes the way; NULL: none does. */
const char *asim_way_excluded_by(enum asim_way way, uint32_t features);
/* Sets *set from names separated by commas; NULL and "" are the empty set. ASIM_EUSAGE for an
 * unknown name, with the nearest one and the list. */
int asim_ways_parse(const char *names, uint32_t *set, struct asim_err *err);

#endif
