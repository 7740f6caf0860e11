/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a part keeps between two episodes, port by port, and what an episode needs and leaves of it.
 * All that an idle part remembers and that can influence an episode is
 *
 * - round robins of the ports and NICs that it uses;
 * - the order in which the wires into a node were used last. It decides between first frames that
 *   reach the node at one time with equal tie keys (tie_key.h).
 *
 * Absolute times and counts have no influence. Features that look at them (INT, PINT, random
 * losses) exclude the memo. Ports that transmit nothing break no ties, so the last transmissions
 * before an episode do not matter, and nodes that it does not use do not either.
 */
#ifndef ASIM_FABRIC_MEMO_STATE_PART_STATE_H
#define ASIM_FABRIC_MEMO_STATE_PART_STATE_H

#include <stdint.h>
#include "base/mem.h"
#include "fabric/memo/state/idle_state.h"

struct asim_part;

/* Queue pairs of an idle NIC: finished ones that no scan has dropped, and the round robin. */
struct asim_nic_state {
    uint32_t n, cursor, position;
};

/* A port and its node. Event counts: of the last arrival; of the node. */
struct asim_port_state {
    uint64_t in_seq, node_seq, left[ASIM_PORT_LEFT_WORDS];
    uint64_t peak;             /* of a switch's port, bytes */
    uint8_t rr;                /* of a switch's port */
    struct asim_nic_state nic; /* of a host's */
};

/* What an episode has made of a port. row: of the port, in numbers of the part, hosts first.
 * has_sent, has_received: 1 until it is known. after: counts and times since the start. */
struct asim_port_change {
    uint32_t row;
    uint8_t has_sent, has_received;
    struct asim_port_state before, after;
};

/* While the episode is recorded all ports of the part; then those of nodes that it used, of each
 * node in the order in which they had been used before. */
struct asim_episode_state {
    ASIM_VEC(struct asim_port_change) ports;
};

/* The ports of a part, of a small one both ends of each host's link; the one that a row of a log
 * means. */
uint32_t asim_part_ports(const struct asim_fabric *fabric, const struct asim_part *part);
struct asim_port *asim_part_port(const struct asim_fabric *fabric, const struct asim_part *part,
                                 uint32_t row);
/* Whether nothing of any message inside the part is left. */
int asim_part_is_idle(const struct asim_fabric *fabric, const struct asim_part *part);

/* A recording begins. Peaks of queues count from now on. 0 or ASIM_ENOMEM. */
int asim_episode_state_begin(struct asim_fabric *fabric, const struct asim_part *part,
                             struct asim_episode_state *state);
/* It is given up, or over: peaks are those of all times. */
void asim_episode_state_join_peaks(struct asim_fabric *fabric, const struct asim_part *part);
/* It is complete, and the part is idle again. Returns 1 if a replay cannot leave the same queue
 * pairs, else 0. */
int asim_episode_state_end(struct asim_fabric *fabric, const struct asim_part *part,
                           struct asim_episode_state *state);

/* Whether the part, idle or following, is in the state that the episode needs. */
int asim_episode_state_fits(const struct asim_fabric *fabric, const struct asim_part *part,
                            const struct asim_episode_state *state);
/* Of what host h of a small part, and its port at the switch, remember. */
uint64_t asim_part_hash_state(const struct asim_fabric *fabric, const struct asim_part *part,
                              uint32_t h);
/* Puts the part, whose episode began at part->begin, into the state that it leaves; without
 * counters. */
void asim_episode_state_apply(struct asim_fabric *fabric, const struct asim_part *part,
                              const struct asim_episode_state *state);
/* Whether the switch of a small part took a frame of host i's port last before it took one of host
 * j's: then the next one of host i comes first, if both arrive at one time with equal tie keys. */
int asim_part_used_before(const struct asim_fabric *fabric, const struct asim_part *part,
                          uint32_t i, uint32_t j);

#endif
