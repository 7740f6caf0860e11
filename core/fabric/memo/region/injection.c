/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The number of the path that the source port of an injection selects.
 */
#include "fabric/memo/region/injection.h"

#include "fabric/memo/memo.h"
#include "fabric/link/hash.h"
#include "asim/topology.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "topo/topo.h"

/* What a node on the path chooses: one of n. */
struct choice {
    uint32_t n, chosen;
};

static const struct asim_wire *leave_host(struct asim_fabric *fabric,
                                          const struct asim_tuple *tuple, struct choice *nic)
{
    const struct asim_host *host = &fabric->host[tuple->src];

    nic->n = host->n_nics;
    nic->chosen = nic->n > 1 ? asim_flow_nic(fabric, tuple) : 0;
    return host->nics[nic->chosen].port.out;
}

/* NULL: no route. */
static const struct asim_wire *leave_switch(struct asim_fabric *fabric,
                                            const struct asim_tuple *tuple, uint32_t node,
                                            struct choice *port)
{
    const uint32_t *egress = asim_route_ports(fabric->route, node, tuple->dst, &port->n);

    port->chosen = 0;
    if (!port->n)
        return NULL;
    if (port->n > 1)
        port->chosen =
            asim_tuple_hash(fabric, tuple, asim_topo_external_id(fabric->set.topo, node)) % port->n;
    return fabric->sw[node - fabric->set.hosts].ports[egress[port->chosen] - 1].port.out;
}

/* Appends the path from one host to another to a number: a digit for the NIC, then one for each
 * switch with a choice. 0: no route, or the digits do not fit in 64 bits. */
static int append_path(struct asim_fabric *fabric, const struct asim_tuple *tuple, uint64_t *path)
{
    struct choice at;
    const struct asim_wire *wire = leave_host(fabric, tuple, &at);

    *path = *path * at.n + at.chosen;
    while (wire->to >= fabric->set.hosts) {
        wire = leave_switch(fabric, tuple, wire->to, &at);
        if (!wire || *path > UINT64_MAX / 2 / at.n)
            return 0;
        *path = *path * at.n + at.chosen;
    }
    return 1;
}

uint64_t asim_injection_path(struct asim_fabric *fabric, uint32_t src,
                             const struct asim_injection *injection)
{
    const struct asim_tuple data = {src, injection->dst, (uint16_t)injection->sport, ASIM_DPORT};
    const struct asim_tuple reply = {injection->dst, src, ASIM_DPORT, (uint16_t)injection->sport};
    uint64_t path = 0;

    if (!fabric->host[src].n_nics || !fabric->host[injection->dst].n_nics ||
        !append_path(fabric, &data, &path) || !append_path(fabric, &reply, &path))
        return UINT64_MAX;
    return path;
}
