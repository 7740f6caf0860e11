/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A snapshot: the state of the network as a list of words. Two networks with equal lists do the
 * same from then on, as long as no message ends and no rank acts. Times are relative to the time of
 * the snapshot, and past times are 0. Sequence numbers are relative to the first unacknowledged
 * byte of their message. Event counts (tie_key.h) matter by their order only: they stand beside the
 * list, and the comparison sorts them if all words are equal. A snapshot omits members that are
 * written before they are read, and pure statistics.
 *
 * One of several processes lists its own nodes, with both ends of its messages that it has. Of a
 * message with its source elsewhere it does not know the first unacknowledged byte: sequence
 * numbers then count from the byte that the destination expects, or where that is elsewhere, too,
 * from the first frame that the snapshot meets. If all processes equal their snapshots, such a
 * message has advanced by equally many bytes in each: without losses its packets under way, and its
 * ACKs, are those between one end's byte and the other's, and there are as many as before.
 */
#ifndef ASIM_FABRIC_MEMO_STATE_SNAPSHOT_H
#define ASIM_FABRIC_MEMO_STATE_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

struct asim_fabric;

/* A message from another process. */
struct asim_foreign_flow {
    uint32_t src, slot; /* in its process */
    uint64_t base;      /* its sequence numbers count from here */
};

struct asim_snapshot {
    ASIM_VEC(uint64_t) words;
    ASIM_VEC(uint64_t) acked;  /* of each open message: its acknowledged bytes */
    ASIM_VEC(uint64_t) rounds; /* of each open message: its asim_feedback_rounds, if it has any */
    ASIM_VEC(struct asim_foreign_flow) foreign;
    ASIM_VEC(uint64_t) port_order; /* asim_port_order_save */
    ASIM_VEC(uint64_t) probes;     /* [nodes] one word of each, for a quick rejection */
    uint64_t t;
    uint32_t probe_node; /* the node to probe first: it differed before, or has frames */
};

/* Approximate words of a snapshot taken now. *moving: words that a window works on, without frames
 * in queues, and with no more messages than frames on links. */
uint64_t asim_snapshot_size(const struct asim_fabric *fabric, uint64_t *moving);
/* Takes the snapshot at t. 1; 0 if the network has something that excludes a period: losses,
 * messages about to begin or end; or ASIM_ENOMEM. Linear in the network and its frames: a
 * fifth of a window's work. */
int asim_snapshot_take(const struct asim_fabric *fabric, struct asim_snapshot *snapshot,
                       uint64_t t);
void asim_snapshot_fini(struct asim_snapshot *snapshot);
/* Whether the network is at t in the state `kept`. Stops at the first difference. *now gets
 * the messages as they are at t, in the order of *kept. 0, 1 or ASIM_ENOMEM. */
int asim_snapshot_is_same(const struct asim_fabric *fabric, struct asim_snapshot *kept,
                          struct asim_snapshot *now, uint64_t t);
/* The same for one node only: 0 rejects. */
int asim_snapshot_may_be_same(const struct asim_fabric *fabric, const struct asim_snapshot *kept,
                              uint64_t t);

#endif
