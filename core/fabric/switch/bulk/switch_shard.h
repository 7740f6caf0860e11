/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The turn of a switch, in steps that are a shard's and steps that are the whole switch's. A switch
 * that one worker has takes them one after the other (switch.c). One whose hosts are dealt to
 * several workers is shared by these: a frame then need not go to the core that has the switch and
 * back, for it passes from a worker's hosts to the same worker's hosts, mostly. All shards take a
 * step of theirs side by side, and nobody goes on before all have taken it.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_SWITCH_SHARD_H
#define ASIM_FABRIC_SWITCH_BULK_SWITCH_SHARD_H

#include "fabric/node.h"

/* Gives the switch n shards in place of those it has; of[p], below n, is the shard of port p, NULL:
 * there is one. None has a worker yet. 0 or ASIM_ENOMEM. Between windows, with no frame in a queue.
 */
int asim_switch_shards_open(struct asim_switch *sw, uint32_t n, const uint8_t *of);
void asim_switch_shards_close(struct asim_switch *sw);

/* A shard's turn begins: a look at its mailboxes. The time of what comes first, or leaves first
 * having waited; ASIM_NEVER if nothing does. */
uint64_t asim_switch_shard_open_rings(struct asim_switch_shard *shard, uint64_t until);
/* The same at the end of the turn. */
uint64_t asim_switch_shard_next(struct asim_switch_shard *shard);

/* The steps. Nothing comes in or leaves before `begin`; all before `until` is done. */
/* A shard deals what comes in, if it can. */
void asim_switch_shard_bucket(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                              uint64_t begin, uint64_t until);
/* The switch: whether the window is a bulk one, for messages of that priority group. If so each
 * shard serves its ports, if not the first shard advances the whole switch event by event
 * (switch.c) and nothing else is left to be done. */
int asim_switch_decide_bulk(struct asim_switch *sw, uint32_t group);
void asim_switch_shard_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                             uint64_t begin, uint64_t until);
/* The switch: asim_order_ties. Then each shard: */
void asim_switch_shard_settle(struct asim_switch_shard *shard);
/* Then the switch: asim_bulk_window_end. */

#endif
