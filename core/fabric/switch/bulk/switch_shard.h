/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A window of a switch, in steps of a shard and steps of the whole switch. A switch of one worker
 * takes them one after the other (switch/advance.c). If several workers have its hosts, each worker
 * has a shard: most frames then stay in the core of their hosts. All shards take a step side by
 * side, and no shard begins the next step before all have finished (clock/sharded_switch.h).
 *
 * Shards write only to their own ports in such a step. For a port of another shard they defer
 * buffer updates (bulk.h), and the whole switch orders ties between the steps.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_SWITCH_SHARD_H
#define ASIM_FABRIC_SWITCH_BULK_SWITCH_SHARD_H

#include <stdint.h>

struct asim_fabric;

struct asim_switch;
struct asim_switch_shard;

/* Gives the switch n new shards; of[p] < n is the shard of port p, NULL: 0. The caller sets their
 * workers. Call it between windows, with empty queues. 0 or ASIM_ENOMEM. */
int asim_switch_shards_open(struct asim_switch *sw, uint32_t n, const uint8_t *of);
void asim_switch_shards_close(struct asim_switch *sw);

/* The window begins: opens the receive rings, and lists the ports with arrivals before `until`.
 * Returns the time of the first arrival, or first departure of a queued frame; ASIM_NEVER: none. */
uint64_t asim_switch_shard_open_rings(struct asim_switch_shard *shard, uint64_t until);
/* Adds those arrivals that are the first at their ports to sw->first. */
void asim_switch_shard_note_first(struct asim_switch_shard *shard);
/* The window ends: the time of the next event. */
uint64_t asim_switch_shard_next(struct asim_switch_shard *shard);
/* The time of the switch's next event, between windows. */
uint64_t asim_switch_next(struct asim_switch *sw);

/* The steps of a window without events before `begin`, in this order. */
/* A shard: buckets its arrivals, if it can. */
void asim_switch_shard_bucket(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                              uint64_t begin, uint64_t until);
/* The switch: whether this is a bulk window. If not, the first shard's worker calls
 * asim_switch_events in place of the other steps. */
int asim_switch_decide_bulk(struct asim_switch *sw, uint32_t group);
/* A shard: serves its egress ports. */
void asim_switch_shard_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                             uint64_t begin, uint64_t until);
/* The switch: asim_order_ties. Then a shard: */
void asim_switch_shard_settle(struct asim_switch_shard *shard);
/* Then the switch: asim_bulk_window_end. */

#endif
