/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The decision of ECN, as RED: never below kmin, always above kmax, at random in between.
 */
#include "fabric/switch/ecn.h"

#include "fabric/link/hash.h"

int asim_ecn_marks(const struct asim_switch *sw, struct asim_switch_port *port, uint32_t q)
{
    uint64_t egress = port->occupancy[q].egress;

    if (egress > port->kmax)
        return 1;
    return asim_draw(sw->seed, sw->draw_key | port->port.out->id, port->draws++) <
           port->pmax * (double)(egress - port->kmin) / (double)(port->kmax - port->kmin);
}
