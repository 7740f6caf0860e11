/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See sleeping.h.
 */
#include "fabric/switch/bulk/sleeping.h"

static void add_arrivals(struct asim_switch_shard *shard, uint32_t p)
{
    struct asim_port_event arrival = shard->sw->sleeping->arrival[p];

    if (!arrival.bytes)
        return;
    shard->sw->lockstep_group[p] = p;
    shard->last_arrival[shard->n_last_arrivals++] = arrival;
    shard->bytes_in += arrival.bytes;
    if (arrival.bytes > shard->most_in)
        shard->most_in = arrival.bytes;
}

void asim_sleeping_add(struct asim_switch_shard *shard)
{
    struct asim_sleeping_ports *sleeping = shard->sw->sleeping;

    for (uint32_t p = 0; p < shard->sw->n_ports; p++) {
        if (asim_port_set_has(sleeping->unread, p))
            add_arrivals(shard, p);
        if (!asim_port_set_has(sleeping->ports, p))
            sleeping->start[p] = UINT64_MAX; /* of awake ports this window tells */
        else if (sleeping->start[p] != UINT64_MAX)
            shard->last_tx_start[shard->n_last_tx_starts++] =
                (struct asim_port_event){sleeping->start[p], p, 0};
    }
}
