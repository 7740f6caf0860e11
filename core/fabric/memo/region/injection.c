/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The number of the path that the source port of an injection selects.
 */
#include "fabric/memo/region/part.h"

#include "fabric/ground/ground.h"
#include "fabric/link/hash.h"
#include "asim/topology.h"
#include "topo/topo.h"
#include "base/murmur3.h"
#include "net/watch.h"

/* More choices than a node has; six of them fit into 64 bits. */
enum { MOST_CHOICES = 1024 };

/* Appends the choices on a path to a number: a digit for each node that has one. Digits of all
 * nodes count alike, and the first digit of the number is 1, so different paths have different
 * numbers. 0: no route, or the digits do not fit. */
static int append_path(struct asim_fabric *fabric, const struct asim_tuple *tuple, uint64_t *path)
{
    const struct asim_topo *topo = fabric->set.topo;

    for (uint32_t node = tuple->src; node != tuple->dst;) {
        uint32_t n = 0, choice = 0;
        const uint32_t *ports = asim_route_ports(fabric->route, node, tuple->dst, &n);

        if (!n || n > MOST_CHOICES || (n > 1 && *path > UINT64_MAX / 2 / MOST_CHOICES))
            return 0;
        if (n > 1) {
            choice = asim_tuple_hash(fabric, tuple,
                                     node < topo->hosts ? ASIM_NIC_HASH_SEED
                                                        : asim_topo_external_id(topo, node)) %
                     n;
            *path = *path * MOST_CHOICES + choice;
        }
        node = topo->ports[topo->first_port[node] + ports[choice] - 1].peer;
    }
    return 1;
}

uint64_t asim_injection_path(struct asim_fabric *fabric, uint32_t src,
                             const struct asim_injection *injection)
{
    const struct asim_tuple data = {src, injection->dst, (uint16_t)injection->sport, ASIM_DPORT};
    const struct asim_tuple reply = {injection->dst, src, ASIM_DPORT, (uint16_t)injection->sport};
    uint64_t path = 1;

    if (!append_path(fabric, &data, &path) || !append_path(fabric, &reply, &path))
        return UINT64_MAX;
    return path;
}
