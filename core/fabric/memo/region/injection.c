/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Comparison of injections, and the number of the path that the source port of one selects.
 */
#include "fabric/memo/region/injection.h"

#include "fabric/memo/memo.h"
#include "fabric/node.h"
#include "fabric/link/hash.h"

enum path_kind {
    NO_NUMBER, /* no route, or the digits do not fit in 64 bits */
    HASHED,    /* the source port selected the path */
    FIXED      /* no source port changes it */
};

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
 * switch with a choice. */
static enum path_kind append_path(struct asim_fabric *fabric, const struct asim_tuple *tuple,
                                  uint64_t *path)
{
    struct choice at;
    const struct asim_wire *wire = leave_host(fabric, tuple, &at);
    enum path_kind kind;
    uint32_t n = 0;

    asim_route_ports(fabric->route, tuple->src, tuple->dst, &n);
    kind = n > 1 ? HASHED : FIXED;
    *path = *path * at.n + at.chosen;
    while (wire->to >= fabric->set.hosts) {
        wire = leave_switch(fabric, tuple, wire->to, &at);
        if (!wire || *path > UINT64_MAX / 2 / at.n)
            return NO_NUMBER;
        if (at.n > 1)
            kind = HASHED;
        *path = *path * at.n + at.chosen;
    }
    return kind;
}

static struct asim_tuple data_tuple(uint32_t src, const struct asim_injection *injection)
{
    return (struct asim_tuple){src, injection->dst, (uint16_t)injection->sport, ASIM_DPORT};
}

static struct asim_tuple reply_tuple(uint32_t src, const struct asim_injection *injection)
{
    return (struct asim_tuple){injection->dst, src, ASIM_DPORT, (uint16_t)injection->sport};
}

void asim_injection_route(struct asim_fabric *fabric, uint32_t src,
                          struct asim_injection *injection)
{
    struct asim_fixed_path *fixed =
        &fabric->memo->host[src].fixed[injection->dst % ASIM_FIXED_PATHS];
    const struct asim_tuple data = data_tuple(src, injection), reply = reply_tuple(src, injection);
    enum path_kind first, second;

    injection->path = 0;
    if (fabric->memo->is_tree)
        return;
    if (fixed->is_known && fixed->dst == injection->dst) {
        injection->path = fixed->path;
        return;
    }
    if (!fabric->host[src].n_nics || !fabric->host[injection->dst].n_nics) {
        injection->path = UINT64_MAX;
        return;
    }
    first = append_path(fabric, &data, &injection->path);
    second = first == NO_NUMBER ? NO_NUMBER : append_path(fabric, &reply, &injection->path);
    if (second == NO_NUMBER)
        injection->path = UINT64_MAX;
    else if (first == FIXED && second == FIXED)
        *fixed = (struct asim_fixed_path){injection->path, injection->dst, 1};
}
