/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Walks one path. ASTRA-sim computes these figures in its search from the destination when it first
 * sees a node. This is the path along the first next hop of every node, because a node's list
 * begins with the neighbour that first saw it (rdma-network.md#routing-and-ecmp and
 * rdma-network.md#base-rtt-and-bdp).
 *
 * Nothing is stored: a caller that needs a pair often (a flow, once per message) keeps the figures.
 * The routing tables may search on first use, so a call can run out of memory.
 */
#include "topo/pair.h"
#include "base/text.h"
#include "asim/topology.h"
#include "topo/route.h"
#include "topo/topo.h"

#include <inttypes.h>
#include <string.h>

/* floor(a x b / 1e9) without intermediate overflow; UINT64_MAX if the result overflows. */
static uint64_t scaled(uint64_t a, uint64_t b)
{
    const uint64_t giga = 1000000000u;
    uint64_t whole = b / giga, part = b % giga, rest;

    if (whole && a > UINT64_MAX / 2 / whole)
        return UINT64_MAX;
    /* (a / giga) x part fits: part < giga. */
    rest = a / giga * part + a % giga * part / giga;
    return a * whole + rest;
}

/* Rounds each link down on its own, as ASTRA-sim does; the sum of fractions would differ. */
static void add_link(struct asim_pair *pair, const struct asim_link *link, uint32_t payload_bytes)
{
    pair->delay_ns += link->delay_fs / ASIM_FS_PER_NS;
    pair->tx_delay_ns += (uint64_t)payload_bytes * 8000000000u / link->rate_bps;
    if (pair->hops++ == 0 || link->rate_bps < pair->rate_bps)
        pair->rate_bps = link->rate_bps;
}

/* O(hops), with one look-up of next hops each. Walks only the first of equal-cost next hops: window
 * and RTT do not depend on the path that ECMP chooses. */
int asim_pair_get(struct asim_pair *pair, struct asim_route *route, struct asim_host_pair hosts,
                  uint32_t payload_bytes, struct asim_err *err)
{
    const struct asim_topo *topo = asim_route_topo(route);
    uint32_t node = hosts.src;

    memset(pair, 0, sizeof *pair);
    while (node != hosts.dst) {
        uint32_t n;
        const uint32_t *ports = asim_route_ports(route, node, hosts.dst, &n);
        const struct asim_port_ref *port;

        if (!n) {
            memset(pair, 0, sizeof *pair);
            return asim_route_error(route, err);
        }
        port = &topo->ports[topo->first_port[node] + ports[0] - 1];
        add_link(pair, &topo->links[port->link], payload_bytes);
        node = port->peer;
    }
    pair->rtt_ns = 2 * pair->delay_ns + pair->tx_delay_ns;
    pair->bdp_bytes = scaled(pair->rtt_ns, pair->rate_bps) / 8;
    return 0;
}

/* The two maxima may come from different pairs, as in ASTRA-sim. */
static void keep_greater(struct asim_pair *most, const struct asim_pair *pair)
{
    uint64_t bdp = most->bdp_bytes > pair->bdp_bytes ? most->bdp_bytes : pair->bdp_bytes;

    if (pair->rtt_ns > most->rtt_ns)
        *most = *pair;
    most->bdp_bytes = bdp;
}

struct most {
    struct asim_pair pair;
    struct asim_route *route;
    uint32_t payload_bytes;
    int told; /* err is set */
    struct asim_err *err;
};

/* Endpoints of NVSwitches do not count: they must not change the windows of other flows. */
static int look(void *self, uint32_t src, uint32_t dst)
{
    struct most *most = self;
    const struct asim_topo *topo = asim_route_topo(most->route);
    struct asim_pair one;
    int rc;

    if (asim_topo_is_endpoint(topo, src) || asim_topo_is_endpoint(topo, dst))
        return 0;
    rc = asim_pair_get(&one, most->route, (struct asim_host_pair){src, dst}, most->payload_bytes,
                       most->err);
    most->told = rc != 0;
    if (!rc)
        keep_greater(&most->pair, &one);
    return rc;
}

int asim_pair_max(struct asim_pair *pair, struct asim_route *route, uint32_t payload_bytes,
                  struct asim_err *err)
{
    struct most most = {.route = route, .payload_bytes = payload_bytes, .err = err};
    int rc = asim_route_each_pair(route, look, &most);

    *pair = most.pair;
    return rc && !most.told ? asim_err_nomem(err, "comparing paths") : rc;
}
