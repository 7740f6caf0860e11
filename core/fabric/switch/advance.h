/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Advances a switch, and changes it between windows.
 */
#ifndef ASIM_FABRIC_SWITCH_ADVANCE_H
#define ASIM_FABRIC_SWITCH_ADVANCE_H

#include <stdint.h>

struct asim_fabric;
struct asim_switch;

/* Simulates everything before `until`; returns the time of the next event. For a switch with one
 * shard (clock/sharded_switch.h has the others). */
uint64_t asim_switch_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until);
/* The whole switch event by event, from `begin` to before `until`. The shards have opened their
 * receive rings (switch_shard.h). */
void asim_switch_events(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                        uint64_t until);
/* One event of a list that holds all (clock/insertion_order.c): an arrival at port p, or the end of
 * its transmission. */
void asim_switch_handle_one(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                            int is_end);
/* From t on the switch sends PAUSE frames (on 1) or none; then it ends the pauses it has sent. */
void asim_switch_use_pfc(struct asim_fabric *fabric, struct asim_switch *sw, int on, uint64_t t);
/* The link of port p goes down at t: empties the port's queues. */
void asim_switch_port_down(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t t);

#endif
