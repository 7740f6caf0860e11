/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Episodes: what a network does from one rest to the next. A network at rest has no frame and no
 * open message anywhere; what it will do depends on the messages it is given, when, and on little
 * else (the residue: who was served last). So an episode is its sends, with their times since it
 * began, and what they led to: who was told what and when, and how far every counter went. Given
 * the same sends again from the same residue, all the rest comes again, to the tick.
 *
 * The idea of keeping what a packet simulation did once is that of memoised simulation (Wormhole,
 * 2026, and others); here it is exact, because nothing is compared but for equality.
 *
 * What is kept is about the hosts and counters that took part, so that playing does not cost more
 * than simulating where few of many hosts do something.
 *
 * Memory: 56 bytes a send and 24 a telling, twice, and 16 for each counter that changes.
 */
#ifndef ASIM_FABRIC_MEMO_EPISODE_H
#define ASIM_FABRIC_MEMO_EPISODE_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"
#include "net/net.h"

struct asim_fabric;
struct asim_host;

/* A message as it is given. Two that agree in all these do the same, whatever they carry. */
struct asim_injection {
    uint64_t t, tie; /* ticks since the episode began; order key of its start (tie_key.h) */
    uint64_t bytes;
    uint64_t path; /* which of the equal-cost ways, there and back; filled in when asked for */
    uint32_t dst;
    uint32_t sport;        /* is not compared, but for the path it leads to */
    uint64_t start, ideal; /* not compared: when its queue pair was made, ticks; for fct.txt, ns */
};

/* A rank is told that a message is through (the source) or has come (the destination). */
struct asim_recorded_completion {
    uint64_t t, tie;         /* ticks since the episode began; order key of the event */
    uint32_t src;            /* the message: of this host */
    uint32_t injection : 31; /* number `feed` */
    uint32_t is_arrival : 1; /* told to the destination */
};

/* What an episode adds to one of the counters that users may see; these never move. */
struct asim_counter_delta {
    uint64_t *counter, by;
};

/* The rows of one host, so that only its own thread writes them. */
struct asim_episode_part {
    ASIM_VEC(struct asim_injection) injections;
    ASIM_VEC(struct asim_recorded_completion)
    completions; /* in the order of time, tie and telling */
};

struct asim_episode {
    struct asim_episode *next;      /* of those kept */
    uint64_t hash;                  /* of what is sent in its first tick */
    uint64_t idle_state;            /* number of the residue it begins with, and ends with */
    uint64_t begin, length;         /* ticks; begin: of the recording */
    struct asim_episode_part *part; /* [hosts] */
    uint64_t *counts;               /* [asim_counters_size] at its begin; NULL once it is over */
    ASIM_VEC(uint32_t) who;         /* hosts that send or are told something */
    ASIM_VEC(struct asim_counter_delta) deltas;
    uint64_t hops; /* packet-hops in it */
    uint64_t unreplayable; /* at its begin: count of what cannot be played */
    size_t bytes;  /* memory it takes */
    int not_replayable; /* something happened that is not kept: is not played */
};

/* Whether two messages are the same to the network. */
int asim_injection_is_same(const struct asim_injection *a, const struct asim_injection *b);

enum { ASIM_IDLE_STATES = 256 }; /* that are told apart */

/* A residue that was met: as numbers, to be compared. Equal ones have one id, from 1 on. */
struct asim_idle_state {
    uint32_t *at;
    size_t n;
};

/* An episode without rows; NULL when out of memory. The caller's. Begin takes one that was not
 * kept, too: it then begins again, with the memory it has; 0 or ASIM_ENOMEM. */
struct asim_episode *asim_episode_new(const struct asim_fabric *fabric);
int asim_episode_begin(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin);
void asim_episode_free(struct asim_episode *episode, uint32_t hosts);
/* The recording is over at time `end`. 0 or ASIM_ENOMEM. */
int asim_episode_end(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t end);
/* --- every counter of the network that users may see, as a list: asim_counters_size words
 * ---------
 */
size_t asim_counters_size(const struct asim_fabric *fabric);
/* What they are now; what they are more than in the list, into it; adds the list so many times. */
void asim_counters_save(struct asim_fabric *fabric, uint64_t *counts);
void asim_counters_subtract(struct asim_fabric *fabric, uint64_t *counts);
void asim_counters_add(struct asim_fabric *fabric, uint64_t *counts, uint64_t times);
/* Adds what the episode did, once. */
void asim_episode_add_deltas(const struct asim_episode *episode);
/* Packet-hops so far. */
uint64_t asim_counters_hops(const struct asim_fabric *fabric);

/* --- idle_state.c -------------------------------------------------------------------------------- */
/* Whether nothing but wakes of ranks is to come. Linear in the network; to be asked while no
 * message is under way. */
int asim_network_is_idle(const struct asim_fabric *fabric);
/* Writes when the ports of every node were used last, as its node counts: 2 words a port. Whether
 * the ports are in the same order now as those words tell. */
void asim_port_order_save(const struct asim_fabric *fabric, uint64_t *at);
int asim_port_order_is_same(const struct asim_fabric *fabric, const uint64_t *at);
/* Which residue the network, at rest, has now: id, or 0 when out of memory. `list` grows. */
uint64_t asim_idle_state_id(const struct asim_fabric *fabric, struct asim_idle_state **list,
                            size_t *n);

/* --- episode.c -------------------------------------------------------------------------------- */
/* Fills in the path of what host src sends, as a number that only equal paths share as long as the
 * routes stay; UINT64_MAX where it cannot be told. */
void asim_injection_route(struct asim_fabric *fabric, uint32_t src,
                          struct asim_injection *injection);

#endif
