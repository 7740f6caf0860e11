/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Comparison of injections, and the number of the path that the source port of one selects.
 */
#include "fabric/memo/injection.h"

#include "fabric/memo/memo.h"
#include "fabric/node.h"
#include "fabric/link/hash.h"

int asim_injection_is_same(const struct asim_injection *a, const struct asim_injection *b)
{
    return a->t == b->t && a->tie == b->tie && a->bytes == b->bytes && a->path == b->path &&
           a->dst == b->dst;
}

enum path_kind {
    NO_NUMBER, /* no route, or the digits do not fit in 64 bits */
    HASHED,    /* the source port selected the path */
    FIXED      /* no source port changes it */
};

/* Appends the path from one host to another to a number: a digit for the NIC, then one for each
 * switch with a choice. */
static enum path_kind append_path(struct asim_fabric *fabric, const struct asim_tuple *tuple,
                                  uint64_t *path)
{
    const struct asim_host *host = &fabric->host[tuple->src];
    uint32_t nic = host->n_nics > 1 ? asim_flow_nic(fabric, tuple) : 0, n = 0;
    uint32_t node = host->nics[nic].port.out->to;
    enum path_kind kind;

    asim_route_ports(fabric->route, tuple->src, tuple->dst, &n);
    kind = n > 1 ? HASHED : FIXED;
    *path = *path * host->n_nics + nic;
    while (node >= fabric->set.hosts) {
        uint32_t choice = 0;
        const uint32_t *egress = asim_route_ports(fabric->route, node, tuple->dst, &n);

        if (!n || *path > UINT64_MAX / 2 / n)
            return NO_NUMBER;
        if (n > 1) {
            choice =
                asim_tuple_hash(fabric, tuple, asim_topo_external_id(fabric->set.topo, node)) % n;
            kind = HASHED;
        }
        *path = *path * n + choice;
        node = fabric->sw[node - fabric->set.hosts].ports[egress[choice] - 1].port.out->to;
    }
    return kind;
}

void asim_injection_route(struct asim_fabric *fabric, uint32_t src,
                          struct asim_injection *injection)
{
    struct asim_fixed_path *fixed =
        &fabric->memo->host[src].fixed[injection->dst % ASIM_FIXED_PATHS];
    const struct asim_tuple data = {src, injection->dst, (uint16_t)injection->sport, ASIM_DPORT};
    const struct asim_tuple reply = {injection->dst, src, ASIM_DPORT, (uint16_t)injection->sport};
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
