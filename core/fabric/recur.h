/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Periods inside long messages (runs.h). While no rank is told or asks anything, the network runs
 * by itself; if its state is what it was some windows ago, but for the time and for how far each
 * message has got, it will do again what it did in between, until a message comes near its end or a
 * rank wakes. So all times and sequence numbers are moved on by as many such periods as fit, and
 * the counters with them. States are compared word by word, so nothing is near enough: it is equal.
 *
 * Which states to compare is R. P. Brent's choice (BIT 20, 1980): the one after 2, 4, 8, 16, ...
 * windows of quiet with each that follows, up to twice as many; a look at each host tells at once
 * of most that they differ.
 */
#ifndef ASIM_FABRIC_RECUR_H
#define ASIM_FABRIC_RECUR_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

struct asim_fabric;
struct asim_flow;

/* The network at one time, with times since then and bytes since what each message has
 * acknowledged. */
struct asim_state {
    ASIM_VEC(uint64_t) words;
    ASIM_VEC(uint64_t) una; /* of each message under way: its first unacknowledged byte */
    uint64_t t, glance;     /* when; a hash of a few words of each host */
};

struct asim_recur {
    uint64_t calls;          /* of all hosts, when looked at last */
    uint32_t quiet, kept_at; /* windows since; at which of them `kept` was taken */
    struct asim_state kept;  /* the state that is waited for */
    struct asim_state now;   /* used for writing the present one */
    uint64_t *counts;        /* of `kept`, as in episodes */
    uint64_t saved;          /* packet-hops */
    uint64_t words;          /* written so far, in all states */
    int is_done;             /* moved on since the last call: the end is near */
};

/* At the begin of a window at t, between windows: moves the network on where it can be. Returns 1
 * if it did. Out of memory is latched in the fabric. */
int asim_recur_look(struct asim_fabric *fabric, struct asim_recur *recur, uint64_t t);
void asim_recur_fini(struct asim_recur *recur);

/* --- state.c --------------------------------------------------------------------------------- */
/* Writes the state at t. 0 if there is something that no period has: losses, pauses on their way,
 * messages about to begin or end; ASIM_ENOMEM. Else 1. */
int asim_state_take(const struct asim_fabric *fabric, struct asim_state *state, uint64_t t);
/* The glance of the state at t, without the state. */
uint64_t asim_state_glance(const struct asim_fabric *fabric, uint64_t t);
struct asim_visit {
    void *self;
    void (*each)(void *self, struct asim_flow *flow, size_t i);
};
/* Shows every message under way, in the order of `una`. */
void asim_state_flows(struct asim_fabric *fabric, const struct asim_visit *visit);

#endif
