/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The turn of a switch, in steps that are a desk's and steps that are the whole switch's. A switch
 * that one lane has takes them one after the other (switch.c). One whose hosts are dealt to several
 * lanes is shared by these: a frame then need not go to the core that has the switch and back, for
 * it passes from a lane's hosts to the same lane's hosts, mostly. All desks take a step of theirs
 * side by side, and nobody goes on before all have taken it.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_SWITCH_SHARD_H
#define ASIM_FABRIC_SWITCH_BULK_SWITCH_SHARD_H

#include "fabric/node.h"

/* Gives the switch n desks in place of those it has; of[p], below n, is the desk of port p, NULL:
 * there is one. None has a lane yet. 0 or ASIM_ENOMEM. Between windows, with no frame in a queue.
 */
int asim_desk_open(struct asim_switch *sw, uint32_t n, const uint8_t *of);
void asim_desk_close(struct asim_switch *sw);

/* A desk's turn begins: a look at its mailboxes. The time of what comes first, or leaves first
 * having waited; ASIM_NEVER if nothing does. */
uint64_t asim_desk_look(struct asim_desk *desk, uint64_t until);
/* The same at the end of the turn. */
uint64_t asim_desk_rest(struct asim_desk *desk);

/* The steps. Nothing comes in or leaves before `begin`; all before `until` is done. */
/* A desk deals what comes in, if it can. */
void asim_desk_deal(struct asim_fabric *fabric, struct asim_desk *desk, uint64_t begin,
                    uint64_t until);
/* The switch: whether the window is a calm one, for messages of that priority group. If so each
 * desk serves its ports, if not the first desk advances the whole switch event by event (switch.c)
 * and nothing else is left to be done. */
int asim_switch_is_calm(struct asim_switch *sw, uint32_t group);
void asim_desk_serve(struct asim_fabric *fabric, struct asim_desk *desk, uint64_t begin,
                     uint64_t until);
/* The switch: asim_batch_rank. Then each desk: */
void asim_desk_settle(struct asim_desk *desk);
/* Then the switch: asim_batch_end. */

#endif
