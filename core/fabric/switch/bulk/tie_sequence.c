/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Event counts after a bulk window.
 */
#include "fabric/switch/bulk/bulk.h"

#include "fabric/switch/bulk/egress_batch.h"

/* The event count of an entry: its tick, then its rank among the events of that tick. */
static inline uint64_t count_of(const struct asim_switch *sw, uint64_t entry, uint32_t index)
{
    return sw->seq + 1 + (entry >> ASIM_TICK_SHIFT << ASIM_PORT_BITS) + index;
}

/* Sets the event count of a link, and drops its arrivals. */
static inline void take_in(struct asim_switch *sw, struct asim_port_event arrival, uint64_t count)
{
    struct asim_wire *wire = sw->in[arrival.port];

    wire->in_seq = count;
    asim_link_ring_drop_many(wire, asim_arrival_index(arrival.entry) + 1);
}

/* Empties the receive rings last, because the order looks at their frames. */
void asim_tie_sequence_assign(struct asim_switch_shard *shard)
{
    struct asim_switch *sw = shard->sw;
    int single = sw->n_shards == 1;

    for (uint32_t i = 0; i < sw->n_last_tx_starts; i++) {
        struct asim_port_event started = sw->tx_start_order[i];

        if (single || sw->shard_of[started.port] == shard->i)
            sw->ports[started.port].port.start_seq = count_of(sw, started.entry, i);
    }
    for (uint32_t i = 0; i < sw->n_last_arrivals; i++) {
        struct asim_port_event arrival = sw->arrival_order[i];

        if (single || sw->shard_of[arrival.port] == shard->i)
            take_in(sw, arrival, count_of(sw, arrival.entry, i));
    }
    asim_egress_batches_clear(shard);
    shard->n_last_arrivals = shard->n_last_tx_starts = 0;
}

void asim_bulk_window_end(struct asim_switch *sw, uint64_t ticks)
{
    for (uint32_t d = 0; d < sw->n_shards; d++) {
        sw->shared_used += sw->shard[d].shared;
        sw->shard[d].shared = 0;
        sw->shard[d].deferred_updates.n = 0;
    }
    sw->seq += (ticks + 1) << ASIM_PORT_BITS;
}
