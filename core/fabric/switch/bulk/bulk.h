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

#endif
