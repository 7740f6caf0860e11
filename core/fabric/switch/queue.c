/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The egress scheduler of a network with several queues of data.
 */
#include "conf/netconf_keys.h"
#include "fabric/switch/egress/egress.h"
#include "fabric/switch/queue.h"

#include <stdlib.h>

uint32_t asim_queue_choose(const struct asim_fabric *fabric, struct asim_switch_port *port,
                           uint32_t ready)
{
    return fabric->set.scheduler->next(port, ready);
}

void asim_queues_reset(const struct asim_fabric *fabric, struct asim_switch_port *port)
{
    if (port->scheduler)
        fabric->set.scheduler->reset(port->scheduler, fabric->set.net,
                                     asim_fabric_max_wire(fabric));
}

static int use_at(const struct asim_fabric *fabric, struct asim_switch_port *port)
{
    const struct asim_egress_scheduler *row = fabric->set.scheduler;

    port->not_rr = row->next ? UINT8_MAX : port->not_rr;
    if (!row->state_size || port->scheduler)
        return 0;
    port->scheduler = malloc(row->state_size);
    asim_queues_reset(fabric, port);
    return port->scheduler ? 0 : ASIM_ENOMEM;
}

int asim_queues_use(struct asim_fabric *fabric)
{
    int code = 0;
    size_t i = 0;

    do
        fabric->set.scheduler = (const struct asim_egress_scheduler *)asim_egress_table[i++];
    while (fabric->set.scheduler->kind != fabric->set.net->egress_scheduler);
    fabric->set.several_queues = 1;
    for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++)
        for (uint32_t p = 0; !code && p < fabric->sw[s].n_ports; p++)
            code = use_at(fabric, &fabric->sw[s].ports[p]);
    return code;
}
