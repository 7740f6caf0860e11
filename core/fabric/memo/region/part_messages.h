/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The messages of parts: how many inside each part are carried frame by frame, and how many cross
 * the border of one with uplinks (part.h). A part is idle only if it has neither.
 *
 * Where messages are short, counting them takes a twentieth of the time. So once a piece of the run
 * ends with all parts open, and none has followed in it, the memo does not count for seven pieces.
 * Then it counts the messages that are under way, and goes on.
 *
 *     no part follows   |-counts-|- - - - - - - does not - - - - - - -|-counts-|- - -
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_MESSAGES_H
#define ASIM_FABRIC_MEMO_REGION_PART_MESSAGES_H

#include "fabric/memo/region/part.h"

/* A message is about to be carried frame by frame: on the worker of src, or between windows. It is
 * complete at its source, on the worker of that; at its destination, on the worker of that. */
void asim_part_started(struct asim_fabric *fabric, uint32_t src, uint32_t dst);
void asim_part_sent(struct asim_fabric *fabric, const struct asim_host *host,
                    const struct asim_flow *flow);
void asim_part_arrived(struct asim_fabric *fabric, uint32_t src, uint32_t dst);

/* A message has lost a frame. What it leaves behind could come later, so its parts with uplinks
 * stay open. */
void asim_part_lost(struct asim_fabric *fabric, uint32_t src, uint32_t dst);

/* The first piece begins. */
void asim_part_messages_open(struct asim_fabric *fabric);
/* Begins to count, if the memo does not. Linear in the slots of flows. Between windows. */
void asim_parts_count(struct asim_fabric *fabric);
/* The present piece is over: decides whether the memo counts in the next one. */
void asim_parts_next_piece(struct asim_fabric *fabric);

#endif
