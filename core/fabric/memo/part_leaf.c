/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_leaf.h.
 */
#include "fabric/memo/part_leaf.h"

#include <stdlib.h>

#include "fabric/memo/memo.h"

/* Windows. */
enum { FIRST_PATIENCE = 1 << 4, MOST_PATIENCE = 1 << 22 };

static const struct asim_switch *switch_of(const struct asim_fabric *fabric, uint32_t node)
{
    return &fabric->sw[node - fabric->set.hosts];
}

int asim_part_leaf_may(const struct asim_fabric *fabric)
{
    return !fabric->dist.part_of && fabric->workers.domain_lookahead == fabric->set.lookahead;
}

/* Whether frames of switch `from` to host dst may come over `sw`. */
static int comes_over(struct asim_fabric *fabric, const struct asim_switch *from, uint32_t dst,
                      const struct asim_switch *sw)
{
    uint32_t n = 0;
    const uint32_t *ports = asim_route_ports(fabric->route, from->node, dst, &n);

    for (uint32_t i = 0; i < n; i++)
        if (from->ports[ports[i] - 1].port.out->to == sw->node)
            return 1;
    return 0;
}

/* Frames to its own hosts come over it, and no others may. Hosts of one class have equal routes. */
int asim_part_leaf_is_transit(struct asim_fabric *fabric, const struct asim_switch *sw)
{
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint32_t peer = sw->ports[p].port.out->to, last = UINT32_MAX;

        for (uint32_t dst = 0; peer >= fabric->set.hosts && dst < fabric->set.hosts; dst++) {
            const struct asim_host *host = &fabric->host[dst];
            uint32_t of = asim_route_dest_class(fabric->route, dst);

            if (of != last && !(host->n_nics == 1 && host->nics->port.out->to == sw->node) &&
                comes_over(fabric, switch_of(fabric, peer), dst, sw))
                return 1;
            last = of;
        }
    }
    return 0;
}

int asim_part_leaf_list_uplinks(struct asim_part *part, const struct asim_fabric *fabric)
{
    const struct asim_switch *sw = switch_of(fabric, part->sw);

    if (sw->n_ports == part->n_hosts)
        return 0;
    part->patience = FIRST_PATIENCE;
    part->uplink = malloc((sw->n_ports - part->n_hosts) * sizeof *part->uplink);
    for (uint32_t p = 0; part->uplink && p < sw->n_ports; p++)
        if (sw->ports[p].port.out->to >= fabric->set.hosts)
            part->uplink[part->n_uplinks++] = p;
    return part->uplink ? 0 : ASIM_ENOMEM;
}

/* Whether nothing waits to be sent on the port, or has been sent to it, and no PAUSE holds there. */
static int rests(const struct asim_switch_port *port)
{
    return !port->frames && !port->pausing && !port->port.paused &&
           !asim_link_ring_count(port->port.in);
}

int asim_part_leaf_uplinks_are_idle(const struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t i = 0; i < part->n_uplinks; i++) {
        const struct asim_switch_port *port =
            &switch_of(fabric, part->sw)->ports[part->uplink[i]];
        const struct asim_wire *out = port->port.out;

        if (!rests(port) || !rests(&switch_of(fabric, out->to)->ports[out->to_port]))
            return 0;
    }
    return 1;
}

void asim_part_leaf_becomes_idle(const struct asim_fabric *fabric, struct asim_part *part)
{
    if (atomic_exchange_explicit(&part->is_unused, 0, memory_order_relaxed) &&
        part->patience < MOST_PATIENCE)
        part->patience *= 8;
    part->idle_since = fabric->run.windows;
}

void asim_part_leaf_lose_patience(struct asim_part *part)
{
    if (part->patience > FIRST_PATIENCE)
        part->patience /= 8;
}

void asim_part_leaf_open_unused(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (fabric->run.windows % FIRST_PATIENCE)
        return;
    for (uint32_t i = 0; i < parts->n_parts; i++) {
        struct asim_part *part = &parts->at[i];

        if (!part->n_uplinks || part->mode != ASIM_PART_IDLE ||
            fabric->run.windows - part->idle_since < part->patience)
            continue;
        atomic_store_explicit(&part->is_unused, 1, memory_order_relaxed);
        asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    }
}

static struct asim_part *with_uplinks(const struct asim_fabric *fabric, uint32_t host)
{
    struct asim_part *part = asim_part_of(fabric, host);

    return part && part->n_uplinks ? part : NULL;
}

static void begin_to_cross(struct asim_fabric *fabric, struct asim_part *part)
{
    if (!part)
        return;
    atomic_fetch_add_explicit(&part->crossing, 1, memory_order_relaxed);
    if (atomic_load_explicit(&part->is_unused, memory_order_relaxed))
        atomic_store_explicit(&part->is_unused, 0, memory_order_relaxed);
    if (part->mode == ASIM_PART_OPEN)
        return;
    asim_part_touch(fabric, part);
    atomic_store_explicit(&fabric->memo->parts->is_crossed, 1, memory_order_relaxed);
}

void asim_part_leaf_started(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    begin_to_cross(fabric, with_uplinks(fabric, src));
    begin_to_cross(fabric, with_uplinks(fabric, dst));
}

/* On the worker of the part, which alone counts its open messages. */
static void end_to_cross(struct asim_fabric *fabric, struct asim_part *part)
{
    if (!part)
        return;
    atomic_fetch_sub_explicit(&part->crossing, 1, memory_order_relaxed);
    if (!part->open && !asim_part_leaf_is_crossed(part))
        asim_part_touch(fabric, part);
}

static void lose(struct asim_part *part)
{
    if (part)
        atomic_store_explicit(&part->has_lost, 1, memory_order_relaxed);
}

void asim_part_leaf_sent(struct asim_fabric *fabric, const struct asim_host *host,
                         const struct asim_flow *flow)
{
    if (flow->had_loss || flow->sack) {
        lose(with_uplinks(fabric, host->node));
        lose(with_uplinks(fabric, flow->dst));
    }
    end_to_cross(fabric, with_uplinks(fabric, host->node));
}

void asim_part_leaf_arrived(struct asim_fabric *fabric, uint32_t dst)
{
    end_to_cross(fabric, with_uplinks(fabric, dst));
}
