/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Periods inside long messages (memo.h). While no rank is told or asks anything, the network runs
 * by itself; if its state is what it was some windows ago, but for the time and for how far each
 * message has got, it will do again what it did in between, until a message comes near its end or a
 * rank wakes. So all times and sequence numbers are moved on by as many such periods as fit, and
 * the counters with them. States are compared word by word, so nothing is near enough: it is equal.
 *
 * Which states to compare is R. P. Brent's choice (BIT 20, 1980): the one after 4, 8, 16, ...
 * windows of quiet with each that follows, up to twice as many; a look at one host tells at once of
 * most that they differ, and the first host that does ends the comparison of others.
 *
 * What looking may cost is bounded by a budget, since most networks have no period to be found.
 */
#ifndef ASIM_FABRIC_MEMO_STEADY_STATE_H
#define ASIM_FABRIC_MEMO_STEADY_STATE_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"
#include "fabric/memo/search_budget.h"

struct asim_fabric;
struct asim_flow;

/* The network at one time, with times since then and bytes since what each message has
 * acknowledged. */
struct asim_snapshot {
    ASIM_VEC(uint64_t) words;
    ASIM_VEC(uint64_t) acked;      /* of each message under way: its first unacknowledged byte */
    ASIM_VEC(uint64_t) port_order; /* by which ports are ordered (asim_port_order_save) */
    ASIM_VEC(uint64_t) probes;     /* [hosts] one word of each, for a first look */
    uint64_t t;
    uint32_t probe_host; /* host to look at first: one that was seen to differ, or has frames */
};

struct asim_steady_state {
    uint64_t look_at;          /* window (fabric->run.windows) from which on to look again */
    uint64_t calls, open;      /* of all hosts, when looked at last: told, and messages under way */
    uint64_t since, keep_at;   /* windows: since when it is quiet; when to keep the next state */
    int has_kept, is_done;     /* kept is valid; moved on since the last call: the end is near */
    struct asim_snapshot kept; /* the state that is waited for */
    struct asim_snapshot now;  /* used for writing the present one */
    uint64_t *counts;          /* of `kept`, as in episodes */
    uint64_t saved;            /* packet-hops */
    struct asim_search_budget budget;
};

/* To be called from the window `look_at` on. At the begin of a window at t, between windows: moves
 * the network on where it can be. Returns 1 if it did. Out of memory is latched in the fabric. */
int asim_steady_state_detect(struct asim_fabric *fabric, struct asim_steady_state *steady,
                             uint64_t t);
void asim_steady_state_fini(struct asim_steady_state *steady);

/* --- snapshot.c ---------------------------------------------------------------------------------
 */
/* How many words the state of now has, or so; *moving: of them those that a window works on, which
 * leaves out frames in queues, and messages where they are more than frames on wires. */
uint64_t asim_snapshot_size(const struct asim_fabric *fabric, uint64_t *moving);
/* Writes the state at t. 0 if there is something that no period has: losses, pauses on their way,
 * messages about to begin or end; ASIM_ENOMEM. Else 1. */
int asim_snapshot_take(const struct asim_fabric *fabric, struct asim_snapshot *snapshot,
                       uint64_t t);
/* Whether the network is at t in the state `kept`; writes as much as is needed to tell into *now.
 * 0, 1 or ASIM_ENOMEM. */
int asim_snapshot_is_same(const struct asim_fabric *fabric, struct asim_snapshot *kept,
                          struct asim_snapshot *now, uint64_t t);
/* 0 if a look at one host tells that it is not. */
int asim_snapshot_may_be_same(const struct asim_fabric *fabric, const struct asim_snapshot *kept,
                              uint64_t t);
struct asim_flow_visitor {
    void *self;
    void (*each)(void *self, struct asim_flow *flow, size_t i);
};
/* Shows every message under way, in the order of `una`. */
void asim_snapshot_flows(struct asim_fabric *fabric, const struct asim_flow_visitor *visit);

#endif
