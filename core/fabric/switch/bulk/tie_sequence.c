/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Event counts after a bulk window, and lockstep among shards.
 */
#include "fabric/switch/bulk/bulk.h"

#include "fabric/switch/bulk/egress_batch.h"

/* Whether all arrivals of two ports are identical. */
static int arrivals_are_alike(const struct asim_switch *sw, const struct asim_port_event *a,
                              const struct asim_port_event *b)
{
    uint32_t index = asim_arrival_index(a->entry);

    return index == asim_arrival_index(b->entry) &&
           asim_arrivals_are_identical(sw->in[a->port], sw->in[b->port], index + 1);
}

void asim_lockstep_detect(struct asim_switch_shard *shard)
{
    const struct asim_switch *sw = shard->sw;
    const struct asim_port_event *arrival = shard->last_arrival;
    uint32_t n = shard->n_last_arrivals, i;

    if (!n)
        return;
    shard->seq_low = shard->seq_high = sw->in[arrival->port]->in_seq;
    for (i = 1; i < n && sw->in[arrival[i].port]->in_seq > shard->seq_high &&
                sw->lockstep_group[arrival[i].port] == sw->lockstep_group[arrival->port];
         i++)
        shard->seq_high = sw->in[arrival[i].port]->in_seq;
    shard->in_lockstep = i == n && shard->seq_low > 0;
}

/* Whether no two arrivals of a port share a tick. Simultaneous arrivals of its group then have the
 * same index. */
static int is_strict(const struct asim_switch *sw, const struct asim_port_event *arrival)
{
    const struct asim_link_ring_view ring = asim_link_ring_view_of(sw->in[arrival->port]);
    uint32_t n = asim_arrival_index(arrival->entry) + 1, i = 1;

    while (i < n && asim_link_ring_view_nth(&ring, i - 1)->t < asim_link_ring_view_nth(&ring, i)->t)
        i++;
    return i == n;
}

/* Joins only the group of the first arrivals of each shard: the case of lockstep among all ports.
 */
void asim_lockstep_join(struct asim_switch *sw)
{
    const struct asim_switch_shard *first = sw->shard;
    uint64_t low = first->seq_low, high = first->seq_high;
    int in_lockstep =
        first->in_lockstep && first->n_last_arrivals && is_strict(sw, first->last_arrival);

    for (uint32_t d = 1; d < sw->n_shards; d++) {
        struct asim_switch_shard *shard = &sw->shard[d];

        shard->identical = shard->n_last_arrivals && first->n_last_arrivals &&
                           arrivals_are_alike(sw, first->last_arrival, shard->last_arrival);
        if (!shard->n_last_arrivals)
            continue;
        in_lockstep &= shard->identical && shard->in_lockstep;
        low = shard->seq_low < low ? shard->seq_low : low;
        high = shard->seq_high > high ? shard->seq_high : high;
    }
    sw->in_lockstep = in_lockstep && high - low < 1u << ASIM_PORT_BITS;
    sw->lockstep_seq = low;
    for (uint32_t d = 1; d < sw->n_shards && !sw->in_lockstep; d++) {
        const struct asim_switch_shard *shard = &sw->shard[d];

        for (uint32_t i = shard->identical ? shard->n_last_arrivals : 0; i-- > 0;)
            if (sw->lockstep_group[shard->last_arrival[i].port] == shard->last_arrival->port)
                sw->lockstep_group[shard->last_arrival[i].port] = first->last_arrival->port;
    }
}

/* The event count of an entry: its tick, then its rank among the events of that tick. */
static inline uint64_t count_of(const struct asim_switch *sw, uint64_t entry, uint32_t index)
{
    return sw->seq + 1 + (entry >> ASIM_TICK_SHIFT << ASIM_PORT_BITS) + index;
}

/* Moves the ports without arrivals to the front of the LRU order; the caller appends the others.
 * Returns the number of the former. */
static uint32_t keep_others(struct asim_switch_shard *shard)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < shard->n_ports; i++) {
        shard->lru[kept] = shard->lru[i];
        kept += shard->sw->lockstep_group[shard->lru[i]] == UINT32_MAX;
    }
    return kept;
}

/* Appends the ports with arrivals in the order found. Without ties there is no lockstep, and the
 * LRU order is of no use. */
static void update_lru(struct asim_switch_shard *shard)
{
    const struct asim_switch *sw = shard->sw;
    uint32_t kept = keep_others(shard);

    for (uint32_t i = 0; i < sw->n_last_arrivals; i++)
        if (sw->n_shards == 1 || sw->shard_of[sw->arrival_order[i].port] == shard->i)
            shard->lru[kept++] = sw->arrival_order[i].port;
}

/* Sets the event count of a link, and drops its arrivals. */
static inline void take_in(struct asim_switch *sw, struct asim_port_event arrival, uint64_t count)
{
    struct asim_wire *wire = sw->in[arrival.port];

    sw->lockstep_group[arrival.port] = UINT32_MAX;
    wire->in_seq = count;
    asim_link_ring_drop_many(wire, asim_arrival_index(arrival.entry) + 1);
}

static void settle_ordered(struct asim_switch_shard *shard)
{
    struct asim_switch *sw = shard->sw;
    int single = sw->n_shards == 1;

    if (sw->ties)
        update_lru(shard);
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
}

/* Each port keeps its rank of the last window. Reads no port of another shard, only the copies of
 * their event counts. */
static void settle_in_lockstep(struct asim_switch_shard *shard)
{
    struct asim_switch *sw = shard->sw;
    uint32_t kept;

    for (uint32_t i = 0; i < shard->n_last_tx_starts; i++) {
        struct asim_port_event started = shard->last_tx_start[i];
        uint32_t in = asim_arrival_port(started.entry);
        uint64_t before = sw->in_seq ? sw->in_seq[in] : sw->in[in]->in_seq;

        sw->ports[started.port].port.start_seq =
            count_of(sw, started.entry, (uint32_t)(before - sw->lockstep_seq));
    }
    if (shard->n_last_arrivals < shard->n_ports) {
        kept = keep_others(shard);
        for (uint32_t i = 0; i < shard->n_last_arrivals; i++)
            shard->lru[kept++] = shard->last_arrival[i].port;
    }
    for (uint32_t i = 0; i < shard->n_last_arrivals; i++) {
        struct asim_port_event arrival = shard->last_arrival[i];
        uint64_t before = sw->in[arrival.port]->in_seq;

        take_in(sw, arrival, count_of(sw, arrival.entry, (uint32_t)(before - sw->lockstep_seq)));
    }
}

/* Empties the receive rings last, because the order looks at their frames. */
void asim_tie_sequence_assign(struct asim_switch_shard *shard)
{
    if (shard->sw->in_lockstep)
        settle_in_lockstep(shard);
    else
        settle_ordered(shard);
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
