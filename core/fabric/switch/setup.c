/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sets switches up, and closes them.
 */
#include "fabric/switch/setup.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "fabric/ground/ground.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "fabric/link/wires.h"
#include "fabric/switch/mmu.h"
#include "fabric/switch/switch.h"
#include "topo/topo.h"

/* One of several processes has a part of the network only. */
int asim_switches_check_memory(const struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_topo *topo = fabric->set.topo;
    double port = sizeof(struct asim_wire) + sizeof(struct asim_switch_port);
    double node = sizeof(struct asim_switch) + sizeof(struct asim_switch_shard);
    double need = (topo->first_port[topo->nodes] * port + topo->switches * node) / 1e9;
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;

    if (fabric->set.process_of || need < there || there <= 0)
        return 0;
    return asim_err_at(err, ASIM_ENOMEM, (struct asim_where){topo->source, 0, 0},
                       "%u switches and %zu links need at least %.0f GB of memory and this machine "
                       "has %.0f GB; use a smaller network.",
                       topo->switches, topo->n_links, need, there);
}

/* nic_bps: what counts as a host's speed when the buffer is shared out (mmu.c). */
static int open_switch(struct asim_fabric *fabric, uint32_t node, uint64_t nic_bps)
{
    struct asim_switch *sw = &fabric->sw[node - fabric->set.hosts];

    sw->node = node;
    sw->seed = fabric->set.seed;
    sw->draw_key = (uint64_t)asim_topo_external_id(fabric->set.topo, node) << 32;
    sw->n_ports = fabric->set.topo->first_port[node + 1] - fabric->set.topo->first_port[node];
    sw->ports = asim_calloc_lines(sw->n_ports + (size_t)1, sizeof *sw->ports);
    if (!sw->ports)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < sw->n_ports; i++)
        asim_port_open(fabric, &sw->ports[i].port, node, i);
    sw->calendar.at = malloc((2 * (size_t)sw->n_ports + 1) * sizeof *sw->calendar.at);
    sw->lockstep_group = malloc((sw->n_ports + (size_t)1) * sizeof *sw->lockstep_group);
    sw->in = malloc((sw->n_ports + (size_t)1) * sizeof *sw->in);
    if (!sw->in || !sw->lockstep_group || !sw->calendar.at || asim_switch_shards_open(sw, 1, NULL))
        return ASIM_ENOMEM;
    sw->shard->worker = sw->worker;
    for (uint32_t i = 0; i < sw->n_ports; i++)
        sw->in[i] = sw->ports[i].port.in;
    asim_calendar_queue_init(&sw->calendar, 2 * sw->n_ports);
    asim_mmu_init(fabric, sw, nic_bps);
    return 0;
}

int asim_switches_allocate(struct asim_fabric *fabric)
{
    size_t n = fabric->set.nodes - fabric->set.hosts + (size_t)1;

    fabric->sw = asim_calloc_lines(n, sizeof *fabric->sw);
    return fabric->sw ? 0 : ASIM_ENOMEM;
}

int asim_switches_open(struct asim_fabric *fabric)
{
    uint64_t nic_bps = 0;

    /* "NIC speed" of the buffer's shares: interface 1 of the lowest host
     * (rdma-network.md#shared-buffer). */
    if (fabric->set.topo->first_port[1])
        nic_bps = fabric->set.topo->links[fabric->set.topo->ports[0].link].rate_bps;
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++)
        if (asim_fabric_owns(fabric, v) && open_switch(fabric, v, nic_bps))
            return ASIM_ENOMEM;
    return 0;
}

static void close_switch(struct asim_switch *sw)
{
    for (uint32_t p = 0; sw->ports && p < sw->n_ports; p++) {
        for (int q = 0; q < ASIM_QUEUES; q++)
            asim_ring_fini(&sw->ports[p].queue[q]);
        free(sw->ports[p].scheduler);
    }
    asim_switch_shards_close(sw);
    ASIM_FREE(sw->ports, sw->samples, sw->ecmp_cache, sw->calendar.at, sw->in, sw->lockstep_group);
}

void asim_switches_close(struct asim_fabric *fabric)
{
    for (uint32_t v = fabric->set.hosts; fabric->sw && v < fabric->set.nodes; v++)
        close_switch(&fabric->sw[v - fabric->set.hosts]);
    free(fabric->sw);
}
