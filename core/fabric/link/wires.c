/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sets the wires of a network up, and joins ports to them.
 */
#include "fabric/link/wires.h"

#include <stdlib.h>
#include "base/text.h"
#include "fabric/ground/ground.h"
#include "fabric/link/link.h"
#include "fabric/link/loss.h"
#include "topo/topo.h"

/* Tables hold serialization times in 32 bits of ticks, which the largest frame of a very slow link
 * (17 kb/s for 9 kB) would overflow. */
int asim_wires_check_rates(const struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint32_t most = asim_fabric_max_wire(fabric);

    for (size_t l = 0; l < topo->n_links; l++)
        if (asim_tx_ticks(fabric, most, topo->links[l].rate_bps) > UINT32_MAX)
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){topo->source, 0, 0},
                               "the link between nodes %u and %u has a rate of %llu bit/s, too "
                               "slow for frames of %u bytes (more than 4.29 s each, or 4.29 ms "
                               "with TIME_BASE ps); expected a "
                               "unit such as Gbps behind the number.",
                               topo->links[l].a, topo->links[l].b,
                               (unsigned long long)topo->links[l].rate_bps, most);
    return 0;
}

static int open_wires(struct asim_fabric *fabric)
{
    const struct asim_topo *topo = fabric->set.topo;
    const uint64_t oldest = (1ull << ASIM_AGE_BITS) - 1;
    size_t bytes = (topo->n_links * 2 + 1) * sizeof *fabric->wires;

    fabric->wires_memory = calloc(1, bytes + ASIM_LINE_BYTES);
    if (!fabric->wires_memory)
        return ASIM_ENOMEM;
    fabric->wires = (struct asim_wire *)(((uintptr_t)fabric->wires_memory + ASIM_LINE_BYTES - 1) &
                                         ~(uintptr_t)(ASIM_LINE_BYTES - 1));
    fabric->set.lookahead = ASIM_NEVER;
    for (size_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];
        /* parity: delays are whole ns, fractions cut, as ns-3's Time at its default resolution;
         * whole ps with TIME_BASE ps. */
        uint64_t delay = asim_fs_to_ticks(fabric, link->delay_fs);

        if (delay < fabric->set.lookahead)
            fabric->set.lookahead = delay;
        if (!asim_fabric_owns(fabric, link->a) && !asim_fabric_owns(fabric, link->b))
            continue;
        for (uint32_t d = 0; d < 2; d++) {
            struct asim_wire *wire = &fabric->wires[2 * l + d];

            wire->id = (uint32_t)(2 * l + d);
            wire->delay = delay;
            wire->age_left = delay < oldest ? oldest - delay : 0;
            wire->from = d ? link->b : link->a;
            wire->to = d ? link->a : link->b;
            wire->to_port = (d ? link->port_a : link->port_b) - 1;
            wire->rate_bps = link->rate_bps;
            wire->tx = asim_rate_table_get(fabric, link->rate_bps);
            wire->in_tx = wire->tx;
            if (!wire->tx)
                return ASIM_ENOMEM;
        }
    }
    return 0;
}

/* A link may join a node to itself, so the port number decides which end this port is. */
void asim_port_open(struct asim_fabric *fabric, struct asim_port *port, uint32_t node, uint32_t i)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint32_t index = topo->first_port[node] + i, link = topo->ports[index].link;
    int from_a = topo->links[link].a == node && topo->links[link].port_a == i + 1;

    port->out = &fabric->wires[2 * (size_t)link + !from_a];
    port->in = &fabric->wires[2 * (size_t)link + from_a];
    fabric->ports[index] = port;
}

int asim_wires_open(struct asim_fabric *fabric, struct asim_err *err)
{
    if (open_wires(fabric))
        return asim_err_nomem(err, "building the packet network");
    return asim_loss_open(fabric, err);
}

void asim_wires_close(struct asim_fabric *fabric)
{
    asim_loss_close(fabric);
    for (size_t w = 0; fabric->wires && w < fabric->set.topo->n_links * 2; w++) {
        ASIM_FREE(fabric->wires[w].at, fabric->wires[w].overflow.at);
    }
    for (size_t i = 0; i < fabric->n_rates; i++)
        free(fabric->rates[i].tx);
    ASIM_FREE(fabric->rates, fabric->wires_memory);
}
