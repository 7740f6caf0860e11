/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The decision of ECN, as RED: never below kmin, always above kmax, at random in between.
 */
#include "fabric/switch/ecn.h"

#include "fabric/link/hash.h"

int asim_ecn_marks(const struct asim_fabric *fabric, const struct asim_switch *sw,
                   struct asim_switch_port *port, uint32_t q)
{
    uint64_t egress = port->occupancy[q].egress, node;

    if (egress > port->kmax)
        return 1;
    node = asim_topo_external_id(fabric->set.topo, sw->node);
    return asim_draw(fabric->set.seed, node << 32 | port->port.out->id, port->draws++) <
           port->pmax * (double)(egress - port->kmin) / (double)(port->kmax - port->kmin);
}
