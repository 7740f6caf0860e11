/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order of tie_key.h among the arrivals of a bulk window.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_TIE_ORDER_H
#define ASIM_FABRIC_SWITCH_BULK_TIE_ORDER_H

#include <stdint.h>

struct asim_egress_batch;
struct asim_switch;
struct asim_switch_shard;

/* The entries of a batch in order: in the batch itself, or in memory of the shard that the next
 * call overwrites. */
uint64_t *asim_arrivals_order(struct asim_switch_shard *shard, struct asim_egress_batch *batch);

/* Orders the ports of all shards by their last arrivals, and by their last starts of transmissions.
 * Call it after all ports were served, unless sw->in_lockstep is set. */
void asim_order_ties(struct asim_switch *sw);

/* So many ports are sorted by insertion. */
enum { ASIM_FEW_PORTS = 32 };

#endif
