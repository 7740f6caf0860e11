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
 * Unless all parts are open, the network cannot advance in half-steps (clock/half_steps.h). So
 * while none leads or follows, a part that is not used for some time is opened, and its next
 * episode is not recorded. The more often such an episode stays inside the part, the longer the
 * part may stay idle; the more often a message crosses its border instead, the shorter.
 *
 * What is left behind by such a message could come later: a packet sent twice, or its ACK. So
 * a message that lost something leaves both of its parts open for good.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_LEAF_H
#define ASIM_FABRIC_MEMO_REGION_PART_LEAF_H

#include "fabric/memo/region/part.h"

/* While it was idle, a message began to cross its border. */
void asim_part_leaf_lose_patience(struct asim_part *part);
/* Opens the parts that have been idle for too long. Before a window; most calls do nothing. */
void asim_part_leaf_open_unused(struct asim_fabric *fabric);

/* Whether a message crosses the border of the part, has lost a frame, or is about to start. On the
 * worker of the part, or between windows. */
static inline int asim_part_leaf_is_crossed(const struct asim_part *part)
{
    return part->leaves || atomic_load_explicit(&part->crossing, memory_order_relaxed) ||
           atomic_load_explicit(&part->has_lost, memory_order_relaxed);
}

#endif
