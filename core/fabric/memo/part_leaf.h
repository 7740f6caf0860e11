/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts with uplinks: a leaf switch with its hosts. A message between a host of the part and one
 * elsewhere crosses its border, and a part is open while one does. So the part is replayed only
 * while its uplinks rest, and then nothing joins it to the rest of the network.
 *
 *     A  ====|------|=======|====    - between its own hosts: recorded, replayed
 *     B  =====|---|=========|-===    = while a message from A to B is under way: frame by frame
 *
 * A rank of another part may send across the border at any time. The part hears of it at the end of
 * that window, before a frame can reach it, and if it follows it is simulated up to there.
 *
 * While a part is idle, the network cannot advance in half-steps (parallel/half_steps.h). So a part
 * that is not used for some time is opened, and its next episode is not recorded. The more often
 * such an episode stays inside the part, the longer the part may stay idle; the more often
 * a message crosses its border instead, the shorter.
 *
 * What is left behind by such a message could come later: a packet sent twice, or its ACK. So
 * a message that lost something leaves both of its parts open for good.
 */
#ifndef ASIM_FABRIC_MEMO_PART_LEAF_H
#define ASIM_FABRIC_MEMO_PART_LEAF_H

#include "fabric/memo/part.h"

/* Whether this network may have such parts: one process sees all messages, and no window is longer
 * than the shortest link. */
int asim_part_leaf_may(const struct asim_fabric *fabric);
/* Whether frames between other switches go through this one. Asks for the routes of all hosts. */
int asim_part_leaf_is_transit(struct asim_fabric *fabric, const struct asim_switch *sw);
/* Lists the ports of the switch that lead to other switches. 0 or ASIM_ENOMEM. */
int asim_part_leaf_list_uplinks(struct asim_part *part, const struct asim_fabric *fabric);
/* Whether no frame is on an uplink or waits for one, and none is paused. */
int asim_part_leaf_uplinks_are_idle(const struct asim_fabric *fabric, const struct asim_part *part);

/* The part has become idle. */
void asim_part_leaf_becomes_idle(const struct asim_fabric *fabric, struct asim_part *part);
/* While it was idle, a message began to cross its border. */
void asim_part_leaf_lose_patience(struct asim_part *part);
/* Opens the parts that have been idle for too long. Before a window; most calls do nothing. */
void asim_part_leaf_open_unused(struct asim_fabric *fabric);

/* A message from src to dst that stays inside no part is about to be carried frame by frame. On the
 * worker of src, or between windows. */
void asim_part_leaf_started(struct asim_fabric *fabric, uint32_t src, uint32_t dst);
/* It is complete at its source, on the worker of src; at its destination, on the worker of dst. */
void asim_part_leaf_sent(struct asim_fabric *fabric, const struct asim_host *host,
                         const struct asim_flow *flow);
void asim_part_leaf_arrived(struct asim_fabric *fabric, uint32_t dst);

/* Whether a message crosses the border of the part, has lost a frame, or is about to start. On the
 * worker of the part, or between windows. */
static inline int asim_part_leaf_is_crossed(const struct asim_part *part)
{
    return part->leaves || atomic_load_explicit(&part->crossing, memory_order_relaxed) ||
           atomic_load_explicit(&part->has_lost, memory_order_relaxed);
}

#endif
