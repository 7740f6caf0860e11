/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The NIC of a flow and of its ACKs: ECMP among the NICs of a host (rdma-network.md#nic-choice).
 */
#include "base/murmur3.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "fabric/link/hash.h"
#include "net/watch.h"
#include "topo/topo.h"

/* Sets n to 0 if no NIC leads to the peer. */
static void find_nics(struct asim_fabric *fabric, struct asim_nic_choice *to, uint32_t host,
                      uint32_t peer)
{
    struct asim_worker *worker = fabric->host[host].worker;
    struct asim_route *route = fabric->route;

    to->peer = peer;
    to->hash = asim_tuple_begin(fabric, host, peer, ASIM_NIC_HASH_SEED);
    if (fabric->host[host].has_fixed_nics)
        route = fabric->set.route;
    to->nics = asim_route_ports(route, host, peer, &to->n);
    if (!to->n && asim_route_error(route, &worker->failure))
        worker->failed = worker->failure.code;
}

/* No NIC leads to the peer: the flow waits at a NIC whose link is down, else its frames go to a
 * switch, which drops them. A link to another host would bring them to the wrong one. */
static uint32_t unreachable_nic(const struct asim_fabric *fabric, const struct asim_host *host)
{
    uint32_t nic = host->n_nics;

    for (uint32_t i = 0; i < host->n_nics; i++) {
        if (host->nics[i].port.down)
            return i;
        if (nic == host->n_nics && host->nics[i].port.out->to >= fabric->set.hosts)
            nic = i;
    }
    return nic < host->n_nics ? nic : 0;
}

/* Keeps the last pair of each direction. A table of pairs would be quadratic in hosts, and in a
 * ring a host sends to one peer and ACKs one. Most numbers of NICs are powers of two and need no
 * division. */
struct asim_tuple asim_frame_tuple(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    const struct asim_rx *rx;

    if (frame->type == ASIM_DATAGRAM)
        return (struct asim_tuple){frame->dst, frame->src, (uint16_t)frame->seq,
                                   (uint16_t)(frame->seq >> 16)};
    rx = asim_rx_of(fabric, frame->src, frame->slot);
    if (frame->type != ASIM_DATA)
        return (struct asim_tuple){rx->dst, frame->src, ASIM_DPORT, rx->sport};
    return (struct asim_tuple){frame->src, rx->dst, rx->sport, ASIM_DPORT};
}

void asim_rx_prefetch(const struct asim_fabric *fabric, const struct asim_wire *wire,
                      uint64_t until)
{
    const struct asim_link_ring_view ring = asim_link_ring_view_of(wire);
    uint32_t n = wire->avail - ring.head;

    for (uint32_t i = 0; i < n; i++) {
        const struct asim_frame *frame = asim_link_ring_view_nth(&ring, i);

        if (frame->t >= until)
            return;
        if (frame->type < ASIM_DATAGRAM)
            __builtin_prefetch(asim_rx_of(fabric, frame->src, frame->slot));
    }
}

uint32_t asim_flow_nic(struct asim_fabric *fabric, const struct asim_tuple *tuple)
{
    struct asim_host *at = &fabric->host[tuple->src];
    struct asim_nic_choice *to = tuple->sport == ASIM_DPORT ? &at->reply_nics : &at->data_nics;
    uint32_t n, hash;

    if (!to->n || to->peer != tuple->dst || fabric->events)
        find_nics(fabric, to, tuple->src, tuple->dst);
    n = to->n;
    if (!n)
        return unreachable_nic(fabric, at);
    if (n == 1)
        return to->nics[0] - 1;
    hash = asim_tuple_end(to->hash, tuple->sport, tuple->dport);
    return to->nics[n & (n - 1) ? hash % n : hash & (n - 1)] - 1;
}

uint32_t asim_flow_nic_for_data(struct asim_fabric *fabric, const struct asim_host *host,
                                const struct asim_flow *flow)
{
    const struct asim_tuple tuple = {host->node, flow->dst, flow->sport, ASIM_DPORT};

    return asim_flow_nic(fabric, &tuple);
}

/* Hashed once a message, as long as no link goes down. */
struct asim_nic *asim_nic_for_reply(struct asim_fabric *fabric, struct asim_host *host,
                                    const struct asim_frame *data, struct asim_rx *rx)
{
    const struct asim_tuple tuple = {host->node, data->src, ASIM_DPORT, rx->sport};

    if (host->n_nics == 1)
        return host->nics;
    if (!rx->reply_nic || fabric->events)
        rx->reply_nic = 1 + asim_flow_nic(fabric, &tuple);
    return &host->nics[rx->reply_nic - 1];
}
