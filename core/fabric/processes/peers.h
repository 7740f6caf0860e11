/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What this process knows of the others, and what it has for them.
 */
#ifndef ASIM_FABRIC_PROCESSES_PEERS_H
#define ASIM_FABRIC_PROCESSES_PEERS_H

#include "base/map.h"
#include "base/mem.h"
#include "fabric/processes/period_vote.h"

/* A node of another process at the end of cut wires: wires[from] to the next node's `from`. */
struct asim_peer_node {
    uint32_t node;
    size_t from;
};

/* What goes to one other process. */
struct asim_peer {
    ASIM_VEC(struct asim_peer_node) nodes; /* the last is an end mark */
    ASIM_VEC(uint32_t) wires;              /* cut wires into these nodes */
    ASIM_VEC(uint8_t) out;
    int packed;                /* `out` has been handed over */
    struct asim_map described; /* (source, slot) -> 1 + id of the message it knows */
};

struct asim_exchange {
    uint32_t n;
    uint64_t lookahead_ns;
    struct asim_peer *peer;           /* [n] */
    int half_steps, wants_half_steps; /* wants: but for windows near a look (clock/livelock.h) */
    /* On the last window: of this process; of the others, so far. */
    struct asim_period_vote own_vote, votes;
};

#endif
