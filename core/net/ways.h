/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ways to advance a run, and what excludes which. A fast path is a way with a name:
 * `--without=NAME` turns it off alone, and it changes no result. Whoever adds a feature adds a row
 * to ASIM_FEATURES and to features_of (fabric/clock/ways.c), and looks at each row of ASIM_WAYS.
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

/* X(NAME, BIT, OPTION, WITHIN, EXCLUDED_BY, NEEDS, ABOUT): the ways, each behind the one that it is
 * part of (NONE: none). OPTION: its name for --without; NULL: it has none. */
#define ASIM_WAYS(X)                                                                               \
    X(BULK_SWITCH, 0, "bulk-switch", NONE, FRAMES | LOSSES | SPRAY | QUEUE_CHANGES, 0,             \
      "a switch's window port by port, not event by event")                                        \
    X(HOST_FAST, 1, "host-fast", NONE,                                                             \
      FRAMES | LOSSES | TELEMETRY | NIC_PAUSES | BACK_TO_ZERO | EVENT_LIST, 0,                     \
      "frames of an uncongested host without the event loop")                                      \
    X(UNIFORM_PHASE, 2, "uniform-phase", NONE, 0, 0, "steps of a collective that are all alike")   \
    X(FAST_FORWARD, 3, NULL, NONE,                                                                 \
      FRAMES | PINT | LOSSES | EVENTS | SPRAY | NIC_PAUSES | QUEUE_CHANGES | SCHEDULER, 0,         \
      "fast-forward")                                                                              \
    X(MEMO, 4, "memo", FAST_FORWARD, INT, 0, "replay of recorded episodes")                        \
    X(WHOLE, 5, NULL, MEMO, PROCESSES, 0, "of the whole network")                                  \
    X(PARTS, 6, NULL, MEMO, REPORTS, 0, "of servers")                                              \
    X(LEAVES, 7, NULL, PARTS, PROCESSES | SERVERS, 0, "of leaf switches with their hosts")         \
    X(STEADY_STATE, 8, "steady-state", FAST_FORWARD, 0, STATE,                                     \
      "skip of periods inside long messages")                                                      \
    X(OWN_PERIOD, 9, NULL, STEADY_STATE, PROCESSES, 0, "in one process")                           \
    X(COMMON_PERIOD, 10, NULL, STEADY_STATE, TELEMETRY, PROCESSES, "in several, which vote")       \
    X(HALF_STEPS, 11, "half-steps", NONE, EVENTS | TELEMETRY | SHORT_RTO, 0,                       \
      "windows of two delays, hosts and switches in turn")                                         \
    X(HALVES, 12, NULL, HALF_STEPS, PER_EVENT | SERVERS, HALVES,                                   \
      "of all nodes; else of those of one server")                                                 \
    X(DOMAINS, 13, "domains", NONE, PER_EVENT | EVENT_LIST | SHARDS, 0,                            \
      "windows of long links, scale-up domains one by one")                                        \
    X(SHARDS, 14, NULL, NONE, PROCESSES, 0, "a large switch by several threads")                   \
    X(EVENT_LIST, 15, NULL, NONE, PROCESSES | LOSSES | EVENTS | TRAFFIC, 0,                        \
      "event by event in the order of ns-3's list (--order)")

/* A set of ways is the sum of these bits. */
#define ASIM_WAY_BIT(name, bit, option, within, excluded_by, needs, about)                         \
    ASIM_WAY_##name = 1 << bit,
enum asim_way { ASIM_WAY_NONE, ASIM_WAYS(ASIM_WAY_BIT) };

struct asim_way_row {
    const char *name;
    enum asim_way way, within;
    uint32_t excluded_by, needs; /* features, enum asim_feature */
    const char *about;
};

/* All ways; the last row's `way` is 0. */
extern const struct asim_way_row asim_ways[];

/* The ways that are open to a run with these features, but for those of `without`. */
uint32_t asim_ways_of(uint32_t features, uint32_t without);
/* The text of the first of these features that excludes the way; NULL: none does. */
const char *asim_way_excluded_by(enum asim_way way, uint32_t features);
/* Sets *set from names separated by commas; NULL and "" are the empty set. ASIM_EUSAGE for an
 * unknown name, with the nearest one and the list. */
int asim_ways_parse(const char *names, uint32_t *set, struct asim_err *err);

#endif
