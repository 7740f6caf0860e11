/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What an episode needs of the idle network before it, and what it leaves there: of the wires that
 * it used and their ends only. All that an idle network remembers and that can influence an episode
 * is
 *
 * - round robins of the ports and NICs that it uses;
 * - the order in which the wires into a node were used last. It decides between first frames that
 *   reach the node at one time with equal tie keys (tie_key.h).
 *
 * Absolute times and counts have no influence. Features that look at them (INT, PINT, random
 * losses) exclude the memo. Ports that transmit nothing break no ties, so the last transmissions
 * before an episode do not matter, and ports that it does not use do not either.
 *
 * An episode leaves counts relative to the node's count at its start, and times relative to its
 * start. Peaks of queues are those of the recording, since a replay uses the same wires.
 */
#ifndef ASIM_FABRIC_MEMO_STATE_EPISODE_STATE_H
#define ASIM_FABRIC_MEMO_STATE_EPISODE_STATE_H

#include <stdint.h>
#include "base/mem.h"
#include "fabric/memo/state/idle_state.h"

struct asim_fabric;

/* A wire that the episode used: what the port that sends there and the node that receives keep. */
struct asim_episode_wire {
    uint32_t id;
    uint8_t rr_before, rr; /* of a switch's port */
    uint64_t in_seq;       /* since the start, of the receiving node */
    uint64_t left[ASIM_PORT_LEFT_WORDS];
};

/* A node that had events. */
struct asim_episode_node {
    uint32_t node;
    uint64_t events;
};

/* Queue pairs of an idle NIC: finished ones that no scan has dropped, and the round robin. */
struct asim_nic_state {
    uint32_t n, cursor, position;
};
struct asim_episode_nic {
    uint32_t host, nic;
    struct asim_nic_state before, after;
};

/* Of two wires into a node, the first was used last before the other was. */
struct asim_episode_tie {
    uint32_t first, second;
};

struct asim_episode_state {
    ASIM_VEC(uint32_t) hosts;                 /* those that took part; set before it is saved */
    ASIM_VEC(struct asim_episode_wire) wires; /* ids ascend */
    ASIM_VEC(struct asim_episode_node) nodes;
    ASIM_VEC(struct asim_episode_nic) nics;
    ASIM_VEC(struct asim_episode_tie) ties; /* of all wires into each node */
};

/* The network at the start of the recording; belongs to the memo. */
struct asim_before;

/* A recording begins: keeps the state of the network. 0 or ASIM_ENOMEM. */
int asim_before_save(struct asim_fabric *fabric);
void asim_before_free(struct asim_fabric *fabric);

/* The recording is complete, and the network is idle again. Returns 0, ASIM_ENOMEM, or 1: a replay
 * cannot leave the same queue pairs. */
int asim_episode_state_save(struct asim_fabric *fabric, struct asim_episode_state *state,
                            uint64_t begin);
void asim_episode_state_free(struct asim_episode_state *state);
size_t asim_episode_state_bytes(const struct asim_episode_state *state);

/* Whether the NICs of its hosts and the wires that it uses are in the state that matters. */
int asim_episode_state_fits(const struct asim_fabric *fabric,
                            const struct asim_episode_state *state);
/* Puts the network, in which the episode began at `begin`, into the state that it leaves; without
 * counters. */
void asim_episode_state_apply(struct asim_fabric *fabric, const struct asim_episode_state *state,
                              uint64_t begin);

#endif
