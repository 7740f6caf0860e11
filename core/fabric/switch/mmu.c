/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Set-up of the shared buffer (mmu.h). All sums have 64 bits. parity: if headroom and reserve alone
 * exceed the buffer, the 32-bit threshold of ASTRA-sim's ns-3 backend wraps to about 4 GiB, and PFC
 * never triggers. This model keeps that outcome (shareable = UINT64_MAX), and a diagnostic warns of
 * it.
 */
#include "fabric/switch/mmu.h"
#include "conf/netconf_keys.h"
#include "fabric/ground/ground.h"
#include "fabric/switch/ecn.h"
#include "topo/topo.h"

enum { FIRST_SHIFT = 3 }; /* a constant of ASTRA-sim's ns-3 backend */

/* The bytes in flight of headroom_factor links, three by default. parity: rounded down. */
static uint32_t headroom_of(const struct asim_fabric *fabric, const struct asim_port *port)
{
    long double bits =
        (long double)port->out->rate_bps * (long double)port->out->delay / fabric->set.tick;
    uint64_t bytes = (uint64_t)(bits / 8 / 1e9L) * fabric->set.net->headroom_factor;

    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* A port faster than the NICs of hosts gets a larger share: 1/8 at NIC speed, 1/4 at twice it, … */
static uint8_t shift_of(uint64_t bps, uint64_t nic_bps)
{
    uint8_t shift = FIRST_SHIFT;

    while (bps > nic_bps && shift > 0) {
        shift--;
        bps /= 2;
    }
    return shift;
}

/* Whether all arrivals of a tick come before all departures. Of simultaneous events the older one
 * goes first (tie_key.h). The age of an arrival is its transmission plus the link delay, the age of
 * a departure is its transmission. So the test is: the least age of an arrival exceeds the largest
 * age of a departure. */
static int arrivals_precede_departures(const struct asim_fabric *fabric,
                                       const struct asim_switch *sw)
{
    uint64_t least = ASIM_NEVER, most = 0;
    uint32_t longest = asim_fabric_max_wire(fabric);

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        const struct asim_port *port = &sw->ports[p].port;
        uint64_t in = port->in->delay + port->in->tx[ASIM_PFC_WIRE], out = port->out->tx[longest];

        least = in < least ? in : least;
        most = out > most ? out : most;
    }
    return least > most && most < 1u << ASIM_CAUSE_BITS;
}

int asim_mmu_may_mark(const struct asim_fabric *fabric, const struct asim_switch *sw)
{
    return fabric->set.net->enable_qcn && fabric->set.topo->node_type[sw->node] != ASIM_NVSWITCH;
}

void asim_mmu_ecn_changed(const struct asim_fabric *fabric, struct asim_switch *sw)
{
    uint32_t longest = asim_fabric_max_wire(fabric);

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint64_t free_frames = asim_ecn_free_bytes(&sw->ports[p]) / longest;

        sw->ports[p].ecn_free_frames =
            free_frames < UINT16_MAX ? (uint16_t)free_frames : UINT16_MAX;
        sw->ports[p].same_tick_ok =
            !fabric->set.acks_first && !fabric->set.writes_telemetry && free_frames >= sw->n_ports;
    }
}

void asim_mmu_rate_changed(const struct asim_fabric *fabric, struct asim_switch *sw)
{
    sw->arrivals_before_departures = arrivals_precede_departures(fabric, sw);
}

/* One port of 400 Gb/s and 30 ms already needs more than 4 GiB of headroom, hence 64 bits. */
void asim_mmu_init(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t nic_bps)
{
    uint64_t taken = 0, buffer = fabric->set.net->buffer_bytes;
    int may_mark = asim_mmu_may_mark(fabric, sw);

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        struct asim_switch_port *port = &sw->ports[p];

        port->not_rr = 1;
        port->headroom_limit = headroom_of(fabric, &port->port);
        port->shift = shift_of(port->port.out->rate_bps, nic_bps);
        sw->most_shift = port->shift > sw->most_shift ? port->shift : sw->most_shift;
        asim_ecn_open(port, fabric->set.net, may_mark);
        /* The link to its own end point takes no part of the shared buffer. */
        if (!asim_topo_is_virtual(fabric->set.topo, port->port.out->id / 2))
            taken += (uint64_t)port->headroom_limit + ASIM_RESERVE_BYTES;
    }
    asim_mmu_ecn_changed(fabric, sw);
    asim_mmu_rate_changed(fabric, sw);
    sw->shareable = taken > buffer ? UINT64_MAX : buffer - taken;
}
