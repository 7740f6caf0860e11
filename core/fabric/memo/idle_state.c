/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Idle checks, idle states, and the order of ports (idle_state.h).
 */
#include "fabric/memo/idle_state.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/node.h"

/* A port may still be marked busy with a frame that has left. */
static int port_is_idle(const struct asim_port *port)
{
    return !asim_link_ring_count(port->in) && !port->paused && !port->down;
}

/* A pending wake of a NIC delays its next one (qp.c), so that host is not idle. */
static int host_is_idle(const struct asim_host *host)
{
    for (uint32_t i = 0; i < host->n_nics; i++)
        if (!port_is_idle(&host->nics[i].port) || host->nics[i].acks.n ||
            host->nics[i].wake_at != ASIM_NEVER)
            return 0;
    for (size_t i = 0; i < host->timers.n; i++) {
        uint64_t kind = host->timers.at[i].value >> 56;

        /* Timers of congestion control belong to complete messages. */
        if (kind != ASIM_TIMER_WAKE && kind != ASIM_TIMER_CC)
            return 0;
    }
    return 1;
}

int asim_network_is_idle(const struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        if (!host_is_idle(&fabric->host[v]))
            return 0;
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++) {
            const struct asim_switch_port *port = &fabric->sw[v].ports[p];

            if (!port_is_idle(&port->port) || port->frames || port->pausing)
                return 0;
        }
    return 1;
}

/* A port, with the event count of its last use (tie_key.h). */
struct used_port {
    uint64_t seq;
    uint32_t port;
};

/* Unused ports have count 0; the port number orders them. */
static int by_seq(const void *a, const void *b)
{
    const struct used_port *x = a, *y = b;

    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* Most nodes are hosts with one port, or unused switches: their ports are sorted already. */
static void sort(struct used_port *ports, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && ports[i - 1].seq <= ports[i].seq)
        i++;
    if (i < n)
        qsort(ports, n, sizeof *ports, by_seq);
}

/* The ports of a node, ordered by the last arrival or by the last start of a transmission. */
enum last { ARRIVED, STARTED };
static void sort_by(struct used_port *ports, const struct asim_fabric *fabric, uint32_t node,
                    enum last last)
{
    uint32_t first = fabric->set.topo->first_port[node],
             n = fabric->set.topo->first_port[node + 1] - first;

    for (uint32_t i = 0; i < n; i++) {
        const struct asim_port *port = fabric->ports[first + i];

        ports[i] = (struct used_port){last == ARRIVED ? port->in->in_seq : port->start_seq, i};
    }
    sort(ports, n);
}

/* Appends both orders of the ports of a node. */
static uint32_t *put_orders(uint32_t *at, const struct asim_fabric *fabric, uint32_t node,
                            struct used_port *ports)
{
    uint32_t n = fabric->set.topo->first_port[node + 1] - fabric->set.topo->first_port[node];

    sort_by(ports, fabric, node, ARRIVED);
    for (uint32_t i = 0; i < n; i++)
        *at++ = ports[i].port;
    sort_by(ports, fabric, node, STARTED);
    for (uint32_t i = 0; i < n; i++)
        *at++ = ports[i].port;
    return at;
}

void asim_port_order_save(const struct asim_fabric *fabric, uint64_t *at)
{
    for (uint32_t i = 0; i < fabric->set.topo->first_port[fabric->set.nodes]; i++, at += 2)
        if (fabric->ports[i]) {
            at[0] = fabric->ports[i]->in->in_seq;
            at[1] = fabric->ports[i]->start_seq;
        }
}

/* Whether the saved counts rise in the order of the present ones. */
static int rises(const struct used_port *ports, uint32_t n, const uint64_t *kept)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct used_port a = {kept[2 * (size_t)ports[i - 1].port], ports[i - 1].port};
        const struct used_port b = {kept[2 * (size_t)ports[i].port], ports[i].port};

        if (by_seq(&a, &b) > 0)
            return 0;
    }
    return 1;
}

int asim_port_order_is_same(const struct asim_fabric *fabric, const uint64_t *at)
{
    const uint32_t *first = fabric->set.topo->first_port;
    struct used_port *ports = malloc((first[fabric->set.nodes] + 1) * sizeof *ports);
    int code = ports ? 1 : ASIM_ENOMEM;

    for (uint32_t v = 0; code == 1 && v < fabric->set.nodes; v++) {
        uint32_t n = first[v + 1] - first[v];
        const uint64_t *kept = at + 2 * (size_t)first[v];

        if (!asim_fabric_owns(fabric, v))
            continue;
        sort_by(ports, fabric, v, ARRIVED);
        code = rises(ports, n, kept);
        sort_by(ports, fabric, v, STARTED);
        code = code && rises(ports, n, kept + 1);
    }
    free(ports);
    return code;
}

/* Four numbers a port of a host, three a port of a switch. */
static uint32_t *put_state(uint32_t *at, const struct asim_fabric *fabric, struct used_port *ports)
{
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        uint32_t n = fabric->set.topo->first_port[v + 1] - fabric->set.topo->first_port[v];

        at = put_orders(at, fabric, v, ports);
        for (uint32_t i = 0; v < fabric->set.hosts && i < n; i++) {
            *at++ = (uint32_t)fabric->host[v].nics[i].qps.n;
            *at++ = asim_qplist_position(&fabric->host[v].nics[i].qps);
        }
        for (uint32_t i = 0; v >= fabric->set.hosts && i < n; i++)
            *at++ = fabric->sw[v - fabric->set.hosts].ports[i].rr;
    }
    return at;
}

/* Index of the state in the list; *n: the state is new. */
static size_t find_state(const struct asim_idle_state *list, size_t n, const uint32_t *at,
                         size_t bytes)
{
    size_t id = 0;

    while (id < n && (id >= ASIM_IDLE_STATES || memcmp(list[id].at, at, bytes) != 0))
        id++;
    return id;
}

/* A network with more than ASIM_IDLE_STATES different states seldom returns to one of them: each
 * further state gets a new id, and the list does not keep it. */
uint64_t asim_idle_state_id(const struct asim_fabric *fabric, struct asim_idle_state **list,
                            size_t *n)
{
    uint32_t total = fabric->set.topo->first_port[fabric->set.nodes];
    struct used_port *ports = malloc((total + 1) * sizeof *ports);
    uint32_t *at = malloc((4 * (size_t)total + 1) * sizeof *at);
    struct asim_idle_state *grown = *list;
    size_t id = 0, bytes;

    if (!ports || !at)
        goto out;
    bytes = (size_t)(put_state(at, fabric, ports) - at) * sizeof *at;
    id = find_state(*list, *n, at, bytes);
    if (id == *n && id < ASIM_IDLE_STATES) {
        grown = realloc(*list, (id + 1) * sizeof **list);
        if (!grown) {
            id = 0;
            goto out;
        }
        *list = grown;
        grown[id] = (struct asim_idle_state){at, bytes};
        at = NULL;
    }
    *n += id == *n;
    id++;
out:
    free(ports);
    free(at);
    return id;
}
