/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The path of a flow, worked out again from routes and the hash of ECMP
 * (rdma-network.md#nic-choice, rdma-network.md#routing-and-ecmp), so that no frame has to tell.
 * Needs no state of a node, so it works for nodes of other processes, too.
 */
#include "fabric/events/events.h"
#include "fabric/link/hash.h"
#include "conf/netconf_keys.h"
#include "fabric/ground/ground.h"
#include "fabric/host/flow.h"
#include "topo/topo.h"
#include "fabric/observe/observe.h"

uint32_t asim_fabric_path(const struct asim_fabric *fabric, const struct asim_fct *flow,
                          struct asim_hop *hops, uint32_t room)
{
    const struct asim_topo *topo = fabric->set.topo;
    const struct asim_tuple tuple = {flow->src, flow->dst, flow->sport, ASIM_DPORT};
    uint32_t node = flow->src, found = 0;

    if ((fabric->events && fabric->events->n) || fabric->set.net->load_balance == ASIM_SPRAY)
        return 0;
    while (node != flow->dst && found < topo->nodes) {
        uint32_t n = 0, choice = 0;
        const uint32_t *ports = asim_route_ports(fabric->route, node, flow->dst, &n);

        if (!n)
            return 0;
        if (n > 1) {
            uint32_t seed =
                node < topo->hosts ? ASIM_NIC_HASH_SEED : asim_topo_external_id(topo, node);

            choice = asim_tuple_hash(fabric, &tuple, seed) % n;
        }
        if (found < room)
            hops[found] = (struct asim_hop){node, ports[0], n, ports[choice]};
        found++;
        node = topo->ports[topo->first_port[node] + ports[choice] - 1].peer;
    }
    return found;
}
