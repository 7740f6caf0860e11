/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Counters of the packet network, summed over nodes and wires.
 */
#include <stdint.h>

#include <string.h>
#include "asim/packet.h"
#include "fabric/host/host.h"
#include "fabric/observe/observe.h"
#include "fabric/link/loss.h"
#include "fabric/switch/switch.h"
#include "fabric/clock/engine.h"
#include "asim/topology.h"
#include "net/packets.h"

#define ADD(COUNTER)                  (stats->COUNTER += n->COUNTER)
#define SET(HEADING, MEMBER, COUNTER) use->MEMBER = counts->COUNTER;

/* Wires that never lose a frame have no record. */
static void add_losses(const struct asim_fabric *fabric, struct asim_fabric_stats *stats)
{
    for (size_t w = 0; fabric->losses && w < fabric->set.topo->n_links * 2; w++) {
        stats->draws += fabric->losses[w].rate > 0 ? fabric->wires[w].frames : 0;
        stats->lost += fabric->losses[w].frames;
        stats->lost_bytes += fabric->losses[w].bytes;
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_host_counts *n = &fabric->host[v].counts;

        ASIM_HOST_SUMS(ADD);
    }
}

void asim_fabric_stats(const struct asim_fabric *fabric, struct asim_fabric_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats->windows = asim_engine_of(fabric)->run.windows;
    stats->listed_ns = fabric->insertion ? ASIM_NEVER : asim_to_ns(fabric, fabric->listed_until);
    for (uint32_t w = 0; w < asim_engine_of(fabric)->workers.n; w++)
        stats->contested |= asim_engine_of(fabric)->workers.at[w].contested;
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        stats->hops += fabric->wires[w].frames;
        stats->hop_bytes += fabric->wires[w].bytes;
        if (fabric->wires[w].at)
            stats->memory_bytes += (fabric->wires[w].mask + 1ull) * sizeof(struct asim_frame);
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        stats->messages += fabric->host[v].messages;
        stats->pauses += fabric->host[v].pcie_pauses;
        for (uint32_t i = 0; i < fabric->host[v].n_nics; i++)
            stats->crowded += fabric->host[v].nics[i].crowded;
    }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++) {
        stats->drops += fabric->sw[v].drops;
        stats->pauses += fabric->sw[v].pauses;
        for (uint32_t p = 0; fabric->sw[v].ports && p < fabric->sw[v].n_ports; p++) {
            stats->marks += fabric->sw[v].ports[p].marks;
            stats->draws += fabric->sw[v].ports[p].draws;
        }
    }
    for (uint32_t i = 0; i < fabric->set.topo->first_port[fabric->set.nodes]; i++)
        if (fabric->ports[i] && asim_to_ns(fabric, fabric->ports[i]->busy_until) > stats->last_ns)
            stats->last_ns = asim_to_ns(fabric, fabric->ports[i]->busy_until);
    add_losses(fabric, stats);
}

void asim_fabric_link_use(const struct asim_fabric *fabric, uint32_t wire_id,
                          struct asim_link_use *use)
{
    const struct asim_wire *wire = &fabric->wires[wire_id];
    const struct asim_link *link = &fabric->set.topo->links[wire_id / 2];
    const struct asim_switch_port *port;

    *use = (struct asim_link_use){.from = wire_id % 2 ? link->b : link->a,
                                  .to = wire_id % 2 ? link->a : link->b,
                                  .port = wire_id % 2 ? link->port_b : link->port_a,
                                  .rate_bps = link->rate_bps,
                                  .frames = wire->frames,
                                  .bytes = wire->bytes,
                                  .lost = fabric->losses ? fabric->losses[wire_id].frames : 0};
    if (!asim_fabric_owns(fabric, use->from))
        return;
    if (use->from < fabric->set.hosts) { /* a host counts the pauses of all its NICs together */
        const struct asim_host *host = &fabric->host[use->from];

        use->pauses = host->n_nics == 1 ? host->pcie_pauses : 0;
        return;
    }
    port = &fabric->sw[use->from - fabric->set.hosts].ports[use->port - 1];
    use->peak_queue_bytes =
        port->peak_bytes > port->earlier_peak ? port->peak_bytes : port->earlier_peak;
    use->marks = port->marks;
    use->pauses = port->pauses;
    use->drops = port->drops;
}

void asim_fabric_host_use(const struct asim_fabric *fabric, uint32_t host,
                          struct asim_host_use *use)
{
    const struct asim_host_counts *counts = &fabric->host[host].counts;

    ASIM_HOST_COLUMNS(SET)
}

uint64_t asim_fabric_buffered(const struct asim_fabric *fabric)
{
    uint64_t bytes = 0;

    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++)
            for (int q = 0; q < ASIM_QUEUES; q++)
                bytes += fabric->sw[v].ports[p].occupancy[q].egress;
    return bytes;
}
