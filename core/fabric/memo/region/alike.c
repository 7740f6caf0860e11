/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See alike.h.
 */
#include "fabric/memo/region/alike.h"

#include "fabric/node.h"

/* Whether two wires are alike for all that happens on them. */
static int wires_are_alike(const struct asim_wire *a, const struct asim_wire *b)
{
    return a->rate_bps == b->rate_bps && a->delay == b->delay && a->tx == b->tx &&
           a->in_tx == b->in_tx && a->age_left == b->age_left;
}

int asim_ports_are_alike(const struct asim_switch_port *a, const struct asim_switch_port *b)
{
    return wires_are_alike(a->port.in, b->port.in) && wires_are_alike(a->port.out, b->port.out) &&
           a->shift == b->shift && a->kmin == b->kmin && a->kmax == b->kmax && a->pmax == b->pmax &&
           a->headroom_limit == b->headroom_limit && a->ecn_free_frames == b->ecn_free_frames &&
           a->same_tick_ok == b->same_tick_ok;
}

int asim_switches_are_alike(const struct asim_fabric *fabric, const struct asim_switch *a,
                            const struct asim_switch *b)
{
    return a->shareable == b->shareable && a->most_shift == b->most_shift &&
           a->arrivals_before_departures == b->arrivals_before_departures &&
           fabric->set.topo->node_type[a->node] == fabric->set.topo->node_type[b->node];
}
