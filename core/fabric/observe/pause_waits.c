/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which ports wait for each other's PFC pauses, for the report of a run that cannot go on. A circle
 * of such waits is a deadlock: pauses have no timer, so no port of the circle ever resumes.
 * Linear in the frames that wait at paused ports, times the ports of a switch.
 */
#include <stdint.h>
#include "fabric/ground/ground.h"
#include "fabric/observe/observe.h"
#include "fabric/switch/switch.h"
#include "net/packets.h"

/* The switch, the egress port and its queue, and where the waits of this queue begin. */
struct waiting {
    const struct asim_switch *sw;
    uint32_t out, q;
    size_t first;
};

static int is_listed(const struct asim_pause_waits *waits, size_t first, uint32_t port)
{
    for (size_t i = first; i < waits->n; i++)
        if (waits->at[i].at.port == port)
            return 1;
    return 0;
}

/* A wait for each ingress port that pauses its far end and has frames in the queue. */
static int add_queue(const struct asim_fabric *fabric, const struct waiting *waiting,
                     struct asim_pause_waits *waits)
{
    const struct asim_switch *sw = waiting->sw;
    const struct asim_ring *ring = &sw->ports[waiting->out].queue[waiting->q];
    const struct asim_wire *wire = sw->ports[waiting->out].port.out;

    for (uint32_t i = 0; i < ring->n; i++) {
        const struct asim_frame *frame = &ring->at[(ring->head + i) & (ring->cap - 1)];
        uint32_t in = frame->ingress;

        if (!(sw->ports[in].pausing >> waiting->q & 1) ||
            is_listed(waits, waiting->first, in + 1) || wire->to < fabric->set.hosts)
            continue;
        if (asim_grow(&waits->at, &waits->cap, waits->n + 1, sizeof *waits->at))
            return ASIM_ENOMEM;
        waits->at[waits->n++] =
            (struct asim_pause_wait){.at = {sw->node, in + 1}, .by = {wire->to, wire->to_port + 1}};
    }
    return 0;
}

static int add_switch(const struct asim_fabric *fabric, const struct asim_switch *sw,
                      struct asim_pause_waits *waits)
{
    for (uint32_t p = 0; sw->ports && p < sw->n_ports; p++)
        for (uint32_t q = 1; q < ASIM_QUEUES; q++)
            if (sw->ports[p].port.paused >> q & 1 &&
                add_queue(fabric, &(struct waiting){sw, p, q, waits->n}, waits))
                return ASIM_ENOMEM;
    return 0;
}

int asim_fabric_pause_waits(const struct asim_fabric *fabric, struct asim_pause_waits *waits)
{
    int code = 0;

    for (uint32_t v = 0; !code && v < fabric->set.nodes - fabric->set.hosts; v++)
        code = add_switch(fabric, &fabric->sw[v], waits);
    return code;
}
