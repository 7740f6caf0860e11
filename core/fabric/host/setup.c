/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sets hosts up, and closes them.
 */
#include "fabric/host/setup.h"

#include <stdlib.h>

#include "fabric/host/completion.h"
#include "fabric/host/host.h"
#include "fabric/host/recovery.h"
#include "fabric/host/telemetry.h"
#include "fabric/link/wires.h"
#include "topo/pair.h"
#include "base/map.h"

void asim_hosts_prepare(struct asim_fabric *fabric)
{
    asim_recovery_open(fabric);
    asim_telemetry_sizes(fabric);
    fabric->frame_hooks = &asim_host_frame_hooks;
}

/* A host's NICs stand in the order of its links in the topology file: that order numbers the
 * interfaces, and ASTRA-sim's hash picks among them (rdma-network.md#nic-choice). Freed by
 * close_host, also when this fails half-way. */
static int open_host(struct asim_fabric *fabric, uint32_t node)
{
    struct asim_host *host = &fabric->host[node];
    uint32_t n = fabric->first_port[node + 1] - fabric->first_port[node];

    host->tie = asim_tie_key(0, 0, ASIM_CLASS_TIMER);
    host->peer = host->sport_dst = UINT32_MAX;
    host->node = node;
    host->insertion = &fabric->insertion;
    host->n_nics = n;
    host->nics = &host->single_nic;
    if (n > 1)
        host->nics = asim_calloc_lines(n, sizeof *host->nics);
    host->sports = malloc(sizeof *host->sports);
    if (host->sports)
        asim_map_init(host->sports);
    host->pair = calloc(1, sizeof *host->pair);
    if (!host->nics || !host->sports || !host->pair)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        host->nics[i].wake_at = ASIM_NEVER;
        asim_port_open(fabric, &host->nics[i].port, node, i);
        host->nics[i].rate_bps = host->nics[i].port.out->rate_bps;
        asim_qplist_open(&host->nics[i].qps);
    }
    return 0;
}

int asim_hosts_allocate(struct asim_fabric *fabric)
{
    fabric->host = asim_calloc_lines(fabric->set.hosts + (size_t)1, sizeof *fabric->host);
    return fabric->host ? 0 : ASIM_ENOMEM;
}

int asim_hosts_open(struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        if (asim_fabric_owns(fabric, v) && open_host(fabric, v))
            return ASIM_ENOMEM;
    return 0;
}

/* Also for a host that open_host did not finish or begin: its pointers are NULL then. */
static void close_host(struct asim_host *host)
{
    struct asim_rx **rx = atomic_load(&host->rx);

    for (uint32_t i = 0; host->nics && i < host->n_nics; i++) {
        asim_ring_fini(&host->nics[i].acks);
        asim_qplist_close(&host->nics[i].qps);
    }
    for (size_t i = 0; i < host->n_chunks; i++) {
        for (uint32_t f = 0; f < ASIM_FLOW_CHUNK; f++) {
            free(host->chunks[i][f].cc.state);
            asim_recovery_fini(&host->chunks[i][f]);
        }
        free(host->chunks[i]);
    }
    free(host->chunks);
    for (size_t i = 0; i < host->cap_rx; i++) {
        for (uint32_t f = 0; rx[i] && f < ASIM_FLOW_CHUNK; f++) {
            free(rx[i][f].seen);
            asim_ranges_fini(&rx[i][f].out_of_order);
        }
        free(rx[i]);
    }
    free(rx);
    if (host->nics != &host->single_nic)
        free(host->nics);
    ASIM_FREE(host->free_slots.at, host->draining.at, host->held.at, host->free_notifications.at,
              host->notifications);
    asim_event_heap_fini(&host->timers);
    if (host->sports)
        asim_map_fini(host->sports);
    ASIM_FREE(host->sports, host->pair);
}

void asim_hosts_close(struct asim_fabric *fabric)
{
    for (uint32_t v = 0; fabric->host && v < fabric->set.hosts; v++)
        close_host(&fabric->host[v]);
    free(fabric->host);
}
