/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Switches whose ECN or PFC settings change during a run (rdma-network.md#network-events).
 */
#include "fabric/events/events.h"
#include "fabric/switch/mmu.h"
#include "fabric/ground/ground.h"
#include "fabric/switch/advance.h"

static int concerns(const struct asim_fabric *fabric, const struct asim_fabric_event *event,
                    uint32_t v)
{
    return (event->what.of == ASIM_NET_ALL || event->what.of == v) && asim_fabric_owns(fabric, v);
}

void asim_switch_event_ecn(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++) {
        struct asim_switch *sw = &fabric->sw[v - fabric->set.hosts];

        if (!concerns(fabric, event, v) || !asim_mmu_may_mark(fabric, sw))
            continue;
        for (uint32_t p = 0; p < sw->n_ports; p++) {
            sw->ports[p].kmin = event->what.kmin;
            sw->ports[p].kmax = event->what.kmax;
            sw->ports[p].pmax = event->what.pmax;
        }
        asim_mmu_ecn_changed(fabric, sw);
    }
}

/* Bytes beyond the threshold then fill the headroom, and what does not fit is dropped. */
void asim_switch_event_pfc(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++)
        if (concerns(fabric, event, v))
            asim_switch_use_pfc(fabric, &fabric->sw[v - fabric->set.hosts], event->what.on,
                                event->t);
}
