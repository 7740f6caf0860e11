/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bulk windows of a switch: no port is paused or down, and the arrivals of the window hold no PFC
 * frame and too few bytes for a PAUSE. All of that is known as the window begins, because its
 * arrivals lie in the receive rings. Ports then share nothing but sums in the shared buffer, and
 * the order of frames does not change a sum. So a bulk window needs no events: the switch buckets
 * the arrivals by egress port (egress_batch.h), and simulates one port after the other.
 *
 * Before each arrival a port sends everything that departs earlier. This relies on
 * arrivals_before_departures (mmu.c). Marks, telemetry and reports equal those of switch/advance.c,
 * at the same ticks.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_BULK_H
#define ASIM_FABRIC_SWITCH_BULK_BULK_H

#include <stdint.h>

struct asim_egress_batch;
struct asim_fabric;
struct asim_switch;
struct asim_switch_shard;

/* Simulates the egress ports of a shard from `begin` to `until`. The arrivals are in its batches.
 */
void asim_bulk_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint64_t begin,
                     uint64_t until);
/* Applies the buffer updates that another shard has deferred for ports of this one. */
void asim_bulk_apply_deferred(struct asim_switch_shard *shard,
                              const struct asim_switch_shard *other);

/* --- tie_order.c: the order of tie_key.h among the arrivals of a bulk window ------------------ */
/* The entries of a batch in order: in the batch itself, or in memory of the shard that the next
 * call overwrites. */
uint64_t *asim_arrivals_order(struct asim_switch_shard *shard, struct asim_egress_batch *batch);

/* Orders the ports of all shards by their last arrivals, and by their last starts of transmissions.
 * Call it after all ports were served. */
void asim_order_ties(struct asim_switch *sw);

/* So many ports are sorted by insertion. */
enum { ASIM_FEW_PORTS = 32 };

/* --- tie_sequence.c ----------------------------------------------------------------------------
 * The event counts that a bulk window leaves on links and ports, by which tie_key.h orders the
 * frames of later windows. They follow the order that asim_order_ties found. */
/* Gives the arrivals and starts of a shard their event counts, and empties its receive rings. Call
 * it after asim_order_ties; shards may run side by side. */
void asim_tie_sequence_assign(struct asim_switch_shard *shard);
/* The end of a bulk window of so many ticks: adds up the sums of the shards. */
void asim_bulk_window_end(struct asim_switch *sw, uint64_t ticks);

#endif
