/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Walks the path of a flow from its source, with the hash of each node that has a choice.
 */
#include "net/ecmp.h"
#include "base/murmur3.h"
#include "net/packets.h"
#include "topo/route.h"
#include "topo/topo.h"

static uint32_t ip_of(const struct asim_topo *topo, uint32_t host)
{
    return asim_host_ip(asim_topo_external_id(topo, host));
}

uint32_t asim_ecmp_path(struct asim_route *route, const struct asim_ecmp_tuple *tuple,
                        struct asim_hop *hops, uint32_t room)
{
    const struct asim_topo *topo = asim_route_topo(route);
    uint32_t words[3] = {ip_of(topo, tuple->src), ip_of(topo, tuple->dst),
                         tuple->sport | (uint32_t)tuple->dport << 16};
    uint32_t node = tuple->src, found = 0;

    while (node != tuple->dst && found < topo->nodes) {
        uint32_t n = 0, choice = 0;
        const uint32_t *ports = asim_route_ports(route, node, tuple->dst, &n);

        if (!n)
            return 0;
        if (n > 1)
            choice = asim_murmur3(words, 3,
                                  node < topo->hosts ? ASIM_NIC_HASH_SEED
                                                     : asim_topo_external_id(topo, node)) %
                     n;
        if (found < room)
            hops[found] = (struct asim_hop){node, ports[0], n, ports[choice]};
        found++;
        node = topo->ports[topo->first_port[node] + ports[choice] - 1].peer;
    }
    return found;
}
