/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The shared buffer of a switch: dynamic thresholds, headroom per ingress, and the tests that
 * raise PFC (spec rdma-network.md sections 4.4 and 4.6). All in 64 bits. Where headroom and
 * reserve alone exceed the buffer, the reference's 32-bit threshold wraps to about 4 GiB, so PFC
 * never triggers; we keep that outcome (shareable = "no limit") and the set-up warns of it.
 *
 * Here is the set-up; what every frame does is inlined, in mmu.h.
 *
 * Per ingress queue: bytes fill the reserve (4 KiB), then the shared buffer up to a threshold that
 * shrinks as the buffer fills, then the port's headroom, which absorbs what is in flight after a
 * PAUSE. Leaving undoes it in reverse. All counters return to 0 when a switch is empty; a test
 * holds that.
 */
#include "fabric/node.h"
#include "fabric/switch/mmu.h"

enum { FIRST_SHIFT = 3 }; /* a constant of the reference's switch (spec 4.4) */

/* Three links' worth of bytes in flight by default, floored as the reference floors. */
static uint32_t headroom_of(const struct asim_fabric *fabric, const struct asim_port *port)
{
    long double bits =
        (long double)port->out->rate_bps * (long double)port->out->delay / fabric->set.tick;
    uint64_t bytes = (uint64_t)(bits / 8 / 1e9L) * fabric->set.net->headroom_factor;

    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* A port faster than the hosts' NICs gets a larger share: 1/8 at NIC speed, 1/4 at twice it … */
static uint8_t shift_of(uint64_t bps, uint64_t nic_bps)
{
    uint8_t shift = FIRST_SHIFT;

    while (bps > nic_bps && shift > 0) {
        shift--;
        bps /= 2;
    }
    return shift;
}

/* Value of the KMIN/KMAX/PMAX map at exactly this rate; the maps have no interpolation. */
static double at_rate(const struct asim_rate_map *map, uint64_t bps, double missing)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i].rate_bps == bps)
            return map->at[i].value;
    return missing;
}

/* Of equal times the older event goes first (tie_key.h). An arrival is as old as its transmission
 * and its delay, the end of a transmission as old as that: so where the least of the first is above
 * the most of the second, all arrivals of a time go before all departures. */
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

static int is_stamped(const struct asim_fabric *fabric)
{
    return (fabric->set.cc->needs & (ASIM_CC_INT | ASIM_CC_DIGEST)) != 0;
}

/* Linear in ports. The 64-bit sum matters: one port of 400 Gb/s and 30 ms already needs more than 4
 * GiB of headroom. */
void asim_mmu_init(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t nic_bps)
{
    uint64_t taken = 0, buffer = fabric->set.net->buffer_bytes;
    uint32_t longest = asim_fabric_max_wire(fabric);

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        struct asim_switch_port *port = &sw->ports[p];

        port->headroom_limit = headroom_of(fabric, &port->port);
        port->shift = shift_of(port->port.out->rate_bps, nic_bps);
        sw->most_shift = port->shift > sw->most_shift ? port->shift : sw->most_shift;
        port->kmin = (uint64_t)at_rate(&fabric->set.net->kmin, port->port.out->rate_bps, 0);
        port->kmax = (uint64_t)at_rate(&fabric->set.net->kmax, port->port.out->rate_bps, 0);
        port->pmax = at_rate(&fabric->set.net->pmax, port->port.out->rate_bps, 0);
        /* SimAI: NVSwitches do not mark, and its rate maps have no entry for NVLink (simai.md a.2)
         */
        if (fabric->set.topo->node_type[sw->node] == ASIM_NVSWITCH || !fabric->set.net->enable_qcn)
            port->kmin = UINT64_MAX;
        /* The way to its own end point takes nothing from what the switch's links share. */
        if (!asim_topo_is_virtual(fabric->set.topo, port->port.out->id / 2))
            taken += (uint64_t)port->headroom_limit + ASIM_RESERVE_BYTES;
    }
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint64_t unmarked = sw->ports[p].kmin / longest;

        sw->ports[p].ecn_free_frames = unmarked < UINT16_MAX ? (uint16_t)unmarked : UINT16_MAX;
        sw->ports[p].same_tick_ok = !fabric->set.net->switch_ack_high_prio && !is_stamped(fabric) &&
                                    sw->ports[p].kmin >= (uint64_t)sw->n_ports * longest;
    }
    sw->arrivals_before_departures = arrivals_precede_departures(fabric, sw);
    sw->shareable = taken > buffer ? UINT64_MAX : buffer - taken;
}
