/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event counts that a bulk window leaves on links and ports, by which tie_key.h orders the
 * frames of later windows. They follow the order that asim_order_ties found. If all arrivals are
 * in lockstep, they follow the order of the last window, and nobody needs to sort. Shards of
 * several workers then do not read the ports of other shards, whose cache lines are in other cores.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_TIE_SEQUENCE_H
#define ASIM_FABRIC_SWITCH_BULK_TIE_SEQUENCE_H

#include <stdint.h>

struct asim_switch;
struct asim_switch_shard;

/* Sets shard->in_lockstep, after the arrivals were bucketed. Too slow for a switch with one shard
 * and few ports. */
void asim_lockstep_detect(struct asim_switch_shard *shard);
/* Sets sw->in_lockstep, after all shards have detected: all arrivals are in lockstep, and were
 * ordered before. Else joins the lockstep groups of the shards, so that asim_order_ties compares
 * their ports quickly. Compares two receive rings a shard. */
void asim_lockstep_join(struct asim_switch *sw);
/* Gives the arrivals and starts of a shard their event counts, and empties its receive rings. Call
 * it after asim_order_ties; shards may run side by side. */
void asim_tie_sequence_assign(struct asim_switch_shard *shard);
/* The end of a bulk window of so many ticks: adds up the sums of the shards. */
void asim_bulk_window_end(struct asim_switch *sw, uint64_t ticks);

#endif
