/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Whether a network is at rest, and what it then still remembers (episode.h).
 *
 * The residue is all that a network at rest remembers and that may decide anything later: where
 * each round robin stands, how many finished queue pairs wait to be swept, and in which order ports
 * came last, which is the last tie-break (tie_key.h). Absolute times and counts are not part of it:
 * they decide nothing where the features that look at them (INT, PINT, random losses) are not in
 * use.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/memo/episode.h"
#include "fabric/node.h"

/* Ports may be marked busy with a frame that has left: nobody has asked since. */
static int port_rests(const struct asim_port *port)
{
    return !asim_link_ring_count(port->in) && !port->paused && !port->down;
}

/* A pending wake-up of a NIC would put off the next one (qp.c), so it is no rest. */
static int host_rests(const struct asim_host *host)
{
    for (uint32_t i = 0; i < host->n_nics; i++)
        if (!port_rests(&host->nics[i].port) || host->nics[i].acks.n ||
            host->nics[i].wake_at != ASIM_NEVER)
            return 0;
    for (size_t i = 0; i < host->timers.n; i++) {
        uint64_t kind = host->timers.at[i].value >> 56;

        /* Timers of congestion control are those of messages that are through. */
        if (kind != ASIM_TIMER_WAKE && kind != ASIM_TIMER_CC)
            return 0;
    }
    return 1;
}

/* Linear in the network. Not asked where a message is under way. */
int asim_network_is_idle(const struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        if (!host_rests(&fabric->host[v]))
            return 0;
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++) {
            const struct asim_switch_port *port = &fabric->sw[v].ports[p];

            if (!port_rests(&port->port) || port->frames || port->pausing)
                return 0;
        }
    return 1;
}

/* A port with the count at which it was last used. */
struct ranked {
    uint64_t seq;
    uint32_t port;
};

/* Ports that were never used have 0 and stand in their own order. */
static int by_seq(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* Most nodes are hosts of one port, or switches nothing has passed through. */
static void sort(struct ranked *ports, uint32_t n)
{
    uint32_t i = 1;

    while (i < n && ports[i - 1].seq <= ports[i].seq)
        i++;
    if (i < n)
        qsort(ports, n, sizeof *ports, by_seq);
}

/* The ports of a node by what came in last, or by what was sent last. */
enum last { ARRIVED, STARTED };
static void sort_by(struct ranked *ports, const struct asim_fabric *fabric, uint32_t node,
                    enum last last)
{
    uint32_t first = fabric->set.topo->first_port[node],
             n = fabric->set.topo->first_port[node + 1] - first;

    for (uint32_t i = 0; i < n; i++) {
        const struct asim_port *port = fabric->ports[first + i];

        ports[i] = (struct ranked){last == ARRIVED ? port->in->in_seq : port->start_seq, i};
    }
    sort(ports, n);
}

/* Appends both orders: only they count. */
static uint32_t *put_orders(uint32_t *at, const struct asim_fabric *fabric, uint32_t node,
                            struct ranked *ports)
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
    for (uint32_t i = 0; i < fabric->set.topo->first_port[fabric->set.nodes]; i++) {
        *at++ = fabric->ports[i]->in->in_seq;
        *at++ = fabric->ports[i]->start_seq;
    }
}

/* Whether the kept counts rise in the order of the present ones. */
static int rises(const struct ranked *ports, uint32_t n, const uint64_t *kept)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct ranked a = {kept[2 * (size_t)ports[i - 1].port], ports[i - 1].port};
        const struct ranked b = {kept[2 * (size_t)ports[i].port], ports[i].port};

        if (by_seq(&a, &b) > 0)
            return 0;
    }
    return 1;
}

int asim_port_order_is_same(const struct asim_fabric *fabric, const uint64_t *at)
{
    const uint32_t *first = fabric->set.topo->first_port;
    struct ranked *ports = malloc((first[fabric->set.nodes] + 1) * sizeof *ports);
    int code = ports ? 1 : ASIM_ENOMEM;

    for (uint32_t v = 0; code == 1 && v < fabric->set.nodes; v++) {
        uint32_t n = first[v + 1] - first[v];
        const uint64_t *kept = at + 2 * (size_t)first[v];

        sort_by(ports, fabric, v, ARRIVED);
        code = rises(ports, n, kept);
        sort_by(ports, fabric, v, STARTED);
        code = code && rises(ports, n, kept + 1);
    }
    free(ports);
    return code;
}

/* Four numbers a host's port, three a switch's. */
static uint32_t *put_residue(uint32_t *at, const struct asim_fabric *fabric, struct ranked *ports)
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

/* Index of the residue in the list, *n where it is new. */
static size_t find_residue(const struct asim_idle_state *list, size_t n, const uint32_t *at,
                           size_t bytes)
{
    size_t id = 0;

    while (id < n && (id >= ASIM_IDLE_STATES || memcmp(list[id].at, at, bytes) != 0))
        id++;
    return id;
}

/* Beyond ASIM_IDLE_STATES different ones a network does not come back to any; then each gets a new
 * id, and is not kept. */
uint64_t asim_idle_state_id(const struct asim_fabric *fabric, struct asim_idle_state **list,
                            size_t *n)
{
    uint32_t total = fabric->set.topo->first_port[fabric->set.nodes];
    struct ranked *ports = malloc((total + 1) * sizeof *ports);
    uint32_t *at = malloc((4 * (size_t)total + 1) * sizeof *at);
    struct asim_idle_state *grown = *list;
    size_t id = 0, bytes;

    if (!ports || !at)
        goto out;
    bytes = (size_t)(put_residue(at, fabric, ports) - at) * sizeof *at;
    id = find_residue(*list, *n, at, bytes);
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
