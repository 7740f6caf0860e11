/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Conservation checks. Different functions count frames and bytes when these are made, sent,
 * received, lost, dropped and consumed. The audit compares the counts with each other and with the
 * content of receive rings and queues. A simulation that gains or loses a frame gives wrong times
 * without a word, so every run ends with this. Also lists unfinished messages, for the stall
 * report.
 */
#include "fabric/host/traffic.h"
#include "fabric/host/host.h"
#include "fabric/link/datagram.h"
#include "fabric/observe/observe.h"
#include "fabric/switch/switch.h"
#include "fabric/link/loss.h"
#include "asim/topology.h"
#include "net/packets.h"
#include "net/traffic_id.h"

#include <inttypes.h>

/* One equation of the audit, of a wire (by number) or a node. */
struct balance {
    const char *what;
    uint32_t of;
    uint64_t in, out;
};

static int check(const struct balance *balance, struct asim_err *err)
{
    if (balance->in == balance->out)
        return 0;
    return asim_err_set(err, ASIM_EBUG,
                        "The audit of the packet network fails: %s %u: %" PRIu64
                        " on one side, %" PRIu64 " on the other. Please report this.",
                        balance->what, balance->of, balance->in, balance->out);
}

static uint64_t ring_bytes(const struct asim_ring *ring)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < ring->n; i++)
        bytes += ring->at[(ring->head + i) & (ring->cap - 1)].wire;
    return bytes;
}

static uint64_t receive_ring_bytes(const struct asim_wire *wire)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < asim_link_ring_count(wire); i++)
        bytes += asim_link_ring_peek(wire, i)->wire;
    return bytes;
}

/* A lost frame never enters the receive ring: link/loss.c counted it when it started. */
static int audit_wire(const struct asim_wire *wire, struct asim_err *err)
{
    uint64_t lost = wire->loss ? wire->loss->frames : 0;
    uint64_t lost_bytes = wire->loss ? wire->loss->bytes : 0;
    int code = check(&(struct balance){"frames of wire", wire->id, wire->frames,
                                       wire->received + lost + asim_link_ring_count(wire)},
                     err);

    return code ? code
                : check(&(struct balance){"bytes of wire", wire->id, wire->bytes,
                                          wire->received_bytes + lost_bytes +
                                              receive_ring_bytes(wire)},
                        err);
}

/* The sums over all wires of a node. */
struct traffic {
    uint64_t in, in_bytes, out, out_bytes;
};

static void add_port(struct traffic *sum, const struct asim_port *port)
{
    sum->in += port->in->received;
    sum->in_bytes += port->in->received_bytes;
    sum->out += port->out->frames;
    sum->out_bytes += port->out->bytes;
}

/* A host sends what it makes (data, answers, pauses), queues it, or loses it when a link goes down.
 * Queue pairs hold no frames: they make a frame when it is sent. */
static int audit_host(const struct asim_fabric *fabric, const struct asim_host *host,
                      struct asim_err *err)
{
    static const struct asim_datagram_counts none = {0};
    const struct asim_host_counts *n = &host->counts;
    struct traffic sum = {0};
    const struct asim_datagram_counts *datagrams =
        fabric->datagrams ? &fabric->datagrams->counts[host->node] : &none;
    uint64_t waiting = 0, waiting_datagrams = 0;

    for (uint32_t i = 0; i < host->n_nics; i++) {
        add_port(&sum, &host->nics[i].port);
        waiting += host->nics[i].acks.n;
        if (fabric->datagrams)
            waiting_datagrams +=
                fabric->datagrams->nic[fabric->set.topo->first_port[host->node] + i].waiting.n;
    }
    {
        const struct balance rows[] = {
            {"frames taken in by host", host->node, sum.in,
             n->data_received + n->acks_received + n->pfc_received + datagrams->received},
            {"frames sent by host", host->node, sum.out,
             n->data + n->acks + n->pfc_sent + datagrams->sent},
            {"answers made by host", host->node, n->acks_generated + n->pfc_generated,
             n->acks + n->acks_dropped + n->pfc_sent + n->pfc_dropped + waiting},
            {"datagrams of host", host->node, datagrams->accepted,
             datagrams->sent + datagrams->dropped + waiting_datagrams},
        };
        int code = 0;

        for (size_t i = 0; !code && i < sizeof rows / sizeof *rows; i++)
            code = check(&rows[i], err);
        return code;
    }
}

/* Compares the counters of the shared buffer with the queues. The buffer does not count queue 0.
 * Without frames every counter must be 0. */
static int audit_buffer(const struct asim_switch *sw, struct asim_err *err)
{
    uint64_t egress = 0, ingress = 0, queued = 0;
    int code;

    for (uint32_t p = 0; p < sw->n_ports; p++)
        for (uint32_t q = 1; q < ASIM_QUEUES; q++) {
            const struct asim_queue_occupancy *use = &sw->ports[p].occupancy[q];

            egress += use->egress;
            ingress += use->ingress + use->headroom;
            queued += ring_bytes(&sw->ports[p].queue[q]);
        }
    code = check(&(struct balance){"buffered bytes of switch", sw->node, egress, queued}, err);
    if (!code)
        code =
            check(&(struct balance){"buffer by ingress of switch", sw->node, ingress, queued}, err);
    if (!code && !queued)
        code = check(
            &(struct balance){"shared buffer of the empty switch", sw->node, sw->shared_used, 0},
            err);
    return code;
}

/* A switch makes and consumes PFC frames only. Every other frame that came in has left, waits, or
 * was dropped: not admitted, without a route, or queued for a link that went down. */
static int audit_switch(const struct asim_switch *sw, struct asim_err *err)
{
    struct traffic sum = {0};
    uint64_t frames = 0, bytes = 0;
    int code;

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        add_port(&sum, &sw->ports[p].port);
        frames += sw->ports[p].frames;
        bytes += sw->ports[p].bytes;
    }
    code = check(&(struct balance){"frames of switch", sw->node, sum.in + sw->pfc_generated,
                                   sum.out + sw->pfc_received + sw->drops + frames},
                 err);
    if (!code)
        code = check(&(struct balance){"bytes of switch", sw->node,
                                       sum.in_bytes + sw->pfc_generated * ASIM_PFC_WIRE,
                                       sum.out_bytes + sw->pfc_received * ASIM_PFC_WIRE +
                                           sw->drop_bytes + bytes},
                     err);
    return code ? code : audit_buffer(sw, err);
}

/* Inserts into a list of `kept` rows, at most n. Sorted by id, which begins with the source; the
 * order of slots may depend on the time of another process's release. */
static void insert(struct asim_unfinished *list, size_t kept, size_t n,
                   const struct asim_unfinished *one)
{
    size_t at = kept;

    while (at && list[at - 1].id > one->id)
        at--;
    if (at == n)
        return;
    for (size_t i = kept < n ? kept : n - 1; i > at; i--)
        list[i] = list[i - 1];
    list[at] = *one;
}

/* Routes change at link events. */
static int is_cut_off(const struct asim_fabric *fabric, const struct asim_unfinished *message)
{
    uint32_t n;

    if (!fabric->events)
        return 0;
    asim_route_ports(fabric->route, message->src, message->dst, &n);
    return !n && message->src != message->dst;
}

static enum asim_blocked_reason blocked_reason_of(const struct asim_host *host,
                                                  const struct asim_flow *flow)
{
    const struct asim_nic *nic = &host->nics[flow->nic];

    if (nic->port.down)
        return ASIM_BLOCKED_LINK;
    if (nic->port.paused)
        return ASIM_BLOCKED_PAUSE;
    if (flow->stage >= 2 && !flow->window)
        return ASIM_BLOCKED_QP;
    return flow->cc.snd_next < flow->cc.size ? ASIM_BLOCKED_WINDOW : ASIM_BLOCKED_ACK;
}

/* Linear in the slots ever used. A flow whose queue pair has not opened (stage < 2) has no snd_una
 * of its own. */
size_t asim_fabric_unfinished(const struct asim_fabric *fabric, struct asim_unfinished *list,
                              size_t n)
{
    size_t found = 0;

    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_host *host = &fabric->host[v];

        for (uint32_t s = 0; s < host->n_chunks * ASIM_FLOW_CHUNK; s++) {
            const struct asim_flow *flow = asim_flow_of(fabric, v, s);
            const struct asim_msg *msg = &asim_rx_of(fabric, v, s)->msg;

            if ((!flow->live && !flow->aborted) || asim_msg_is_traffic(msg))
                continue;
            insert(list, found < n ? found : n, n,
                   &(struct asim_unfinished){.id = msg->id,
                                             .bytes = msg->bytes,
                                             .acked = flow->stage < 2 ? 0 : flow->snd_una,
                                             .window =
                                                 flow->window == ASIM_NO_WINDOW ? 0 : flow->window,
                                             .start_ns = asim_to_ns(fabric, flow->start),
                                             .ideal_ns = flow->ideal,
                                             .sport = flow->sport,
                                             .src = v,
                                             .dst = flow->dst,
                                             .timeouts = flow->timeouts,
                                             .aborted = flow->aborted,
                                             .blocked_reason = blocked_reason_of(host, flow)});
            found++;
        }
    }
    for (size_t i = 0; i < found && i < n; i++)
        list[i].cut_off = is_cut_off(fabric, &list[i]);
    return found;
}

/* Whether a message has begun and is not complete, also one of background traffic. */
static int has_open_flow(const struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        for (uint32_t s = 0; s < fabric->host[v].n_chunks * ASIM_FLOW_CHUNK; s++)
            if (asim_flow_of(fabric, v, s)->live | asim_flow_of(fabric, v, s)->aborted)
                return 1;
    return 0;
}

/* Only when no message is unfinished, else the receivers know more than the senders. */
static int audit_messages(const struct asim_fabric *fabric, struct asim_err *err)
{
    /* Several processes: sources and destinations are counted in different ones. */
    struct balance bytes = {"bytes of completed messages, of hosts", fabric->set.hosts, 0, 0};

    if (fabric->process_hooks || has_open_flow(fabric))
        return 0;
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        bytes.in += fabric->host[v].counts.in_order;
        bytes.out += fabric->host[v].counts.completed;
    }
    return check(&bytes, err);
}

/* Wires first: an error there explains errors of nodes. */
int asim_fabric_audit(const struct asim_fabric *fabric, struct asim_err *err)
{
    int code = 0;

    for (size_t w = 0; !code && w < fabric->set.topo->n_links * 2; w++)
        if (asim_fabric_owns(fabric, fabric->set.topo->links[w / 2].a) &&
            asim_fabric_owns(fabric, fabric->set.topo->links[w / 2].b))
            code = audit_wire(&fabric->wires[w], err);
    for (uint32_t v = 0; !code && v < fabric->set.hosts; v++)
        if (asim_fabric_owns(fabric, v))
            code = audit_host(fabric, &fabric->host[v], err);
    for (uint32_t v = fabric->set.hosts; !code && v < fabric->set.nodes; v++)
        if (asim_fabric_owns(fabric, v))
            code = audit_switch(&fabric->sw[v - fabric->set.hosts], err);
    return code ? code : audit_messages(fabric, err);
}
