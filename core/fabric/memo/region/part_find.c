/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the parts of a network, and those of equal structure.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"
#include "asim/topology.h"
#include "fabric/host/host.h"
#include "topo/route.h"
#include "topo/topo.h"
#include "net/ways.h"
#include "fabric/switch/switch.h"

/* Hosts of a part at most: its table of pairs has the square of it in bytes. */
enum { MOST_HOSTS = 256 };

/* at: ages of the last ACK of a message when it reaches its sender, over all wires that may carry
 * one between parts. The tie key of a completion, also that of the destination, begins with this
 * age. destinations: a host of each destination class: hosts of one class have equal routes. */
struct lists {
    uint64_t *at;
    size_t n, cap;
    uint32_t *destinations, n_destinations;
};

static uint64_t age_of_ack(const struct asim_fabric *fabric, const struct asim_wire *wire)
{
    return wire->delay + wire->in_tx[fabric->set.ack_wire];
}

static int has_age(const struct lists *lists, uint64_t age)
{
    for (size_t i = 0; i < lists->n; i++)
        if (lists->at[i] == age)
            return 1;
    return 0;
}

/* Marks the switches that some link joins to another switch. */
static uint8_t *find_joined(const struct asim_fabric *fabric)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint8_t *joined = calloc(topo->nodes + (size_t)1, 1);

    for (size_t l = 0; joined && l < topo->n_links; l++)
        if (topo->links[l].a >= topo->hosts && topo->links[l].b >= topo->hosts)
            joined[topo->links[l].a] = joined[topo->links[l].b] = 1;
    return joined;
}

/* Of the links of all processes. A network has few kinds of links, so the list is short. */
static int list_ages(const struct asim_fabric *fabric, struct lists *lists)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint8_t *joined = find_joined(fabric);
    int code = joined ? 0 : ASIM_ENOMEM;

    for (size_t w = 0; !code && w < topo->n_links * 2; w++) {
        const struct asim_link *link = &topo->links[w / 2];
        uint32_t from = w % 2 ? link->b : link->a, to = w % 2 ? link->a : link->b;
        uint64_t age = asim_fs_to_ticks(fabric, link->delay_fs) +
                       asim_tx_ticks(fabric, fabric->set.ack_wire, link->rate_bps);

        if (to < topo->hosts && (from < topo->hosts || joined[from]) && !has_age(lists, age))
            code = ASIM_VEC_PUSH(*lists, age);
    }
    free(joined);
    return code;
}

/* Whether a wire brings ACKs of the same age as some port of the switch does. */
static int is_like_port(const struct asim_fabric *fabric, const struct asim_switch *sw,
                        const struct asim_wire *wire)
{
    for (uint32_t p = 0; p < sw->n_ports; p++)
        if (age_of_ack(fabric, wire) == age_of_ack(fabric, sw->ports[p].port.out))
            return 1;
    return 0;
}

/* Whether no completion of a message outside the part can have the tie key of one inside. */
static int ties_are_apart(const struct asim_fabric *fabric, const struct asim_switch *sw,
                          const struct lists *lists)
{
    int others = 0;

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        const struct asim_host *host = &fabric->host[sw->ports[p].port.out->to];

        others |= host->n_nics > 1;
        for (uint32_t i = 0; i < host->n_nics; i++)
            if (host->nics[i].port.out->to != sw->node &&
                is_like_port(fabric, sw, host->nics[i].port.in))
                return 0;
    }
    for (uint32_t p = 0; others && p < sw->n_ports; p++)
        if (has_age(lists, age_of_ack(fabric, sw->ports[p].port.out)))
            return 0;
    return 1;
}

/* Whether messages between any two of its hosts cross the switch, and take no other path. */
static int joins_hosts(struct asim_fabric *fabric, const struct asim_switch *sw)
{
    for (uint32_t p = 0; p < sw->n_ports * sw->n_ports; p++) {
        const struct asim_host *src = &fabric->host[sw->ports[p / sw->n_ports].port.out->to];
        uint32_t n = 0, dst = sw->ports[p % sw->n_ports].port.out->to;
        const uint32_t *ports = asim_route_ports(fabric->route, src->node, dst, &n);

        if (src->node != dst && (n != 1 || src->nics[*ports - 1].port.out->to != sw->node))
            return 0;
    }
    return 1;
}

/* Whether each host of the switch has one link to it, and no part yet. One worker must advance them
 * all. */
static int may_be_part(const struct asim_fabric *fabric, const struct asim_parts *parts,
                       const struct asim_switch *sw)
{
    if (sw->n_shards != 1)
        return 0;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint32_t host = sw->ports[p].port.out->to;

        if (host >= fabric->set.hosts)
            continue;
        if (parts->part_of[host] != ASIM_NO_PART || !asim_fabric_owns(fabric, host) ||
            asim_topo_is_endpoint(fabric->set.topo, host) ||
            fabric->host[host].worker != sw->worker)
            return 0;
        for (uint32_t q = 0; q < p; q++)
            if (sw->ports[q].port.out->to == host)
                return 0;
    }
    return 1;
}

/* Hosts in ascending order, so the order of equal parts is the same. */
static void list_hosts(const struct asim_fabric *fabric, struct asim_part *part,
                       const struct asim_switch *sw)
{
    struct asim_parts *parts = fabric->memo->parts;

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint32_t host = sw->ports[p].port.out->to, at = part->n_hosts;

        if (host >= fabric->set.hosts)
            continue;
        part->n_hosts++;
        for (; at && part->host[at - 1] > host; at--) {
            part->host[at] = part->host[at - 1];
            part->port[at] = part->port[at - 1];
        }
        part->host[at] = host;
        part->port[at] = p;
    }
    for (uint32_t i = 0; i < part->n_hosts; i++) {
        part->nic[i] = (uint8_t)sw->ports[part->port[i]].port.out->to_port;
        parts->part_of[part->host[i]] = (uint32_t)(part - parts->at);
        parts->number[part->host[i]] = i;
    }
}

/* Notifications of one time are ordered by the numbers of their wires (link.c). */
static int same_order_of_wires(const struct asim_fabric *fabric, const struct asim_part *a,
                               const struct asim_part *b)
{
    const struct asim_switch *x = &fabric->sw[a->sw - fabric->set.hosts];
    const struct asim_switch *y = &fabric->sw[b->sw - fabric->set.hosts];

    for (uint32_t i = 1; i < a->n_hosts; i++)
        for (uint32_t j = 0; j < i; j++)
            if ((x->ports[a->port[i]].port.out->id < x->ports[a->port[j]].port.out->id) !=
                (y->ports[b->port[i]].port.out->id < y->ports[b->port[j]].port.out->id))
                return 0;
    return 1;
}

/* Whether two wires are alike for all that happens on them. */
static int wires_are_alike(const struct asim_wire *a, const struct asim_wire *b)
{
    return a->rate_bps == b->rate_bps && a->delay == b->delay && a->tx == b->tx &&
           a->in_tx == b->in_tx && a->age_left == b->age_left;
}

static int ports_are_alike(const struct asim_switch_port *a, const struct asim_switch_port *b)
{
    return wires_are_alike(a->port.in, b->port.in) && wires_are_alike(a->port.out, b->port.out) &&
           a->shift == b->shift && a->kmin == b->kmin && a->kmax == b->kmax && a->pmax == b->pmax &&
           a->headroom_limit == b->headroom_limit && a->ecn_free_frames == b->ecn_free_frames &&
           a->same_tick_ok == b->same_tick_ok;
}

static int switches_are_alike(const struct asim_fabric *fabric, const struct asim_switch *a,
                              const struct asim_switch *b)
{
    return a->shareable == b->shareable && a->most_shift == b->most_shift &&
           a->arrivals_before_departures == b->arrivals_before_departures &&
           fabric->set.topo->node_type[a->node] == fabric->set.topo->node_type[b->node];
}

/* Whether host i of part a and host j of part b have like links. */
static int hosts_are_alike(const struct asim_fabric *fabric, const struct asim_part *a, uint32_t i,
                           const struct asim_part *b, uint32_t j)
{
    const struct asim_switch *x = &fabric->sw[a->sw - fabric->set.hosts];
    const struct asim_switch *y = &fabric->sw[b->sw - fabric->set.hosts];
    const struct asim_host *host = &fabric->host[a->host[i]], *other = &fabric->host[b->host[j]];

    return a->nic[i] == b->nic[j] && host->n_nics == other->n_nics &&
           host->nics[a->nic[i]].rate_bps == other->nics[b->nic[j]].rate_bps &&
           ports_are_alike(&x->ports[a->port[i]], &y->ports[b->port[j]]);
}

static int are_alike(const struct asim_fabric *fabric, const struct asim_part *a,
                     const struct asim_part *b)
{
    const struct asim_switch *x = &fabric->sw[a->sw - fabric->set.hosts];
    const struct asim_switch *y = &fabric->sw[b->sw - fabric->set.hosts];

    if (a->n_hosts != b->n_hosts || !switches_are_alike(fabric, x, y))
        return 0;
    for (uint32_t i = 0; i < a->n_hosts; i++)
        if (a->port[i] != b->port[i] || !hosts_are_alike(fabric, a, i, b, i))
            return 0;
    return same_order_of_wires(fabric, a, b);
}

static int is_regular(const struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t i = 1; i < part->n_hosts; i++)
        if (!hosts_are_alike(fabric, part, 0, part, i))
            return 0;
    return 1;
}

static void classify(const struct asim_fabric *fabric, struct asim_parts *parts)
{
    for (uint32_t i = 0; i < parts->n_parts; i++) {
        uint32_t j = 0;

        parts->at[i].is_regular = is_regular(fabric, &parts->at[i]);
        while (j < i && !are_alike(fabric, &parts->at[j], &parts->at[i]))
            j++;
        parts->at[i].part_class = j < i ? parts->at[j].part_class : parts->n_classes++;
    }
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

static int list_destinations(const struct asim_fabric *fabric, struct lists *lists)
{
    lists->n_destinations = asim_route_dest_classes(fabric->route);
    lists->destinations = malloc((lists->n_destinations + (size_t)1) * sizeof *lists->destinations);
    for (uint32_t v = fabric->set.hosts; lists->destinations && v-- > 0;)
        lists->destinations[asim_route_dest_class(fabric->route, v)] = v;
    return lists->destinations ? 0 : ASIM_ENOMEM;
}

/* Whether frames to a host that the switch does not join go through it from another one. */
static int is_transit(struct asim_fabric *fabric, const struct asim_switch *sw,
                      const struct lists *lists)
{
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint32_t peer = sw->ports[p].port.out->to;

        for (uint32_t i = 0; peer >= fabric->set.hosts && i < lists->n_destinations; i++) {
            const struct asim_host *host = &fabric->host[lists->destinations[i]];

            if (!(host->n_nics == 1 && host->nics->port.out->to == sw->node) &&
                comes_over(fabric, &fabric->sw[peer - fabric->set.hosts], host->node, sw))
                return 1;
        }
    }
    return 0;
}

/* Whether the n hosts of the switch are a part: those of a server, or of a leaf. */
static int is_part(struct asim_fabric *fabric, const struct asim_switch *sw, uint32_t n,
                   const struct lists *lists)
{
    uint32_t single = 0;

    if (n < 2 || n > MOST_HOSTS || !may_be_part(fabric, fabric->memo->parts, sw))
        return 0;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint32_t host = sw->ports[p].port.out->to;

        single += host < fabric->set.hosts && fabric->host[host].n_nics == 1;
    }
    if (n < sw->n_ports)
        return single == n && fabric->ways & ASIM_WAY_LEAVES && !is_transit(fabric, sw, lists);
    return single == n || (ties_are_apart(fabric, sw, lists) && joins_hosts(fabric, sw));
}

static int add(struct asim_fabric *fabric, const struct asim_switch *sw, uint32_t n_hosts)
{
    struct asim_parts *parts = fabric->memo->parts;
    struct asim_part *part = &parts->at[parts->n_parts++];

    part->mode = ASIM_PART_OPEN;
    part->sw = sw->node;
    part->has_uplinks = n_hosts < sw->n_ports;
    part->host = malloc(n_hosts * sizeof *part->host);
    part->port = malloc(n_hosts * sizeof *part->port);
    part->nic = malloc(n_hosts * sizeof *part->nic);
    if (!part->host || !part->port || !part->nic)
        return ASIM_ENOMEM;
    list_hosts(fabric, part, sw);
    return 0;
}

/* Adds the parts among switches with that many ports. *next: the next larger number of ports. */
static int find(struct asim_fabric *fabric, const struct lists *lists, uint32_t ports,
                uint32_t *next)
{
    for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++) {
        const struct asim_switch *sw = &fabric->sw[s];
        uint32_t n = 0;

        if (sw->n_ports > ports && sw->n_ports < *next)
            *next = sw->n_ports;
        if (sw->n_ports != ports)
            continue;
        for (uint32_t p = 0; p < ports; p++)
            n += sw->ports[p].port.out->to < fabric->set.hosts;
        if (is_part(fabric, sw, n, lists) && add(fabric, sw, n))
            return ASIM_ENOMEM;
    }
    return 0;
}

/* Small switches first: a host of a server with an own switch may also be on one that joins all. */
int asim_part_find_all(struct asim_fabric *fabric, struct asim_parts *parts)
{
    struct lists lists = {0};
    int code = list_destinations(fabric, &lists) || list_ages(fabric, &lists) ? ASIM_ENOMEM : 0;

    for (uint32_t ports = 2, next; !code && ports != UINT32_MAX; ports = next) {
        next = UINT32_MAX;
        code = find(fabric, &lists, ports, &next);
    }
    ASIM_FREE(lists.at, lists.destinations);
    if (!code)
        classify(fabric, parts);
    return code;
}
