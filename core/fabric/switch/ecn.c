/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The rule of ECN, as RED: never below kmin, always above kmax, at random in between.
 */
#include "fabric/switch/ecn.h"

#include "conf/netconf_keys.h"
#include "base/draw.h"

/* Value of a KMIN, KMAX or PMAX map at exactly this rate. The maps do not interpolate. */
static double at_rate(const struct asim_rate_map *map, uint64_t bps)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i].rate_bps == bps)
            return map->at[i].value;
    return 0;
}

void asim_ecn_open(struct asim_switch_port *port, const struct asim_netconf *net, int may_mark)
{
    port->kmin = may_mark ? (uint64_t)at_rate(&net->kmin, port->port.out->rate_bps) : UINT64_MAX;
    port->kmax = (uint64_t)at_rate(&net->kmax, port->port.out->rate_bps);
    port->pmax = at_rate(&net->pmax, port->port.out->rate_bps);
}

int asim_ecn_marks(const struct asim_switch *sw, struct asim_switch_port *port, uint32_t q)
{
    uint64_t egress = port->occupancy[q].egress;

    if (egress > port->kmax)
        return 1;
    return asim_draw(sw->seed, sw->draw_key | port->port.out->id, port->draws++) <
           port->pmax * (double)(egress - port->kmin) / (double)(port->kmax - port->kmin);
}
