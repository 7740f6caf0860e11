/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See frame_headers.h. Addresses are ASTRA-sim's: 11.x.y.1 for hosts, 10.a.b.1 and .2 for the
 * two ends of link number l (a = l / 254 + 1, b = l mod 254 + 1), which only PFC frames carry.
 *
 * RoCEv2 form: a message is an RC SEND of one or more packets, numbered by their place in the
 * message; the queue pair number is the flow's source port. A NACK is an acknowledge with syndrome
 * 0x60 (sequence error), an echoed congestion mark is the BECN bit. Checksums of IPv4 are right,
 * UDP has none, the ICRC is left 0: decoders do not check it.
 */
#include "fabric/frame_headers.h"

#include <string.h>

#include "fabric/node.h"
#include "fabric/switch/queue_watch.h"

/* Big endian, as everything on the wire; returns what is behind it. */
static uint8_t *put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    return at + bytes;
}

static uint32_t link_ip(const struct asim_fabric *fabric, const uint32_t node_port[2])
{
    const struct asim_port *port =
        fabric->ports[fabric->set.topo->first_port[node_port[0]] + node_port[1] - 1];
    uint32_t link = port->out->id / 2, end = port->out->id % 2 + 1;

    return 10u << 24 | (link / 254 + 1) << 16 | (link % 254 + 1) << 8 | end;
}

/* A frame seen where it leaves, or waits to leave, is on its way out of node_port; the source of
 * one that has arrived is at the other end. */
static void pfc_facts(const struct asim_fabric *fabric, const struct asim_frame *frame,
                      const uint32_t node_port[2], struct asim_decoded_headers *facts)
{
    const struct asim_port *port =
        fabric->ports[fabric->set.topo->first_port[node_port[0]] + node_port[1] - 1];
    uint32_t sender[2] = {node_port[0], node_port[1]};

    if (frame->dst == node_port[0]) {
        sender[0] = port->out->to;
        sender[1] = port->out->to_port + 1;
    }
    facts->protocol = ASIM_PROTOCOL_PFC;
    facts->priority = (uint8_t)frame->slot;
    facts->from = asim_topo_external_id(fabric->set.topo, sender[0]);
    facts->to = asim_topo_external_id(fabric->set.topo, frame->dst);
    facts->src_ip = link_ip(fabric, sender);
    facts->dst_ip = 0xffffffff;
    if (frame->type == ASIM_PAUSE)
        facts->pause_us = (uint32_t)(fabric->set.net->pause_time_fs / 1000000000);
}

void asim_fabric_decode_headers(const struct asim_fabric *fabric, const struct asim_frame *frame,
                                const uint32_t node_port[2], struct asim_decoded_headers *facts)
{
    const struct asim_rx *rx;
    int data = frame->type == ASIM_DATA;

    *facts = (struct asim_decoded_headers){
        .seq = frame->seq, .wire = (uint32_t)frame->wire, .mtu = fabric->set.net->payload_bytes};
    if (frame->type >= ASIM_PAUSE) {
        pfc_facts(fabric, frame, node_port, facts);
        return;
    }
    rx = asim_rx_of(fabric, frame->src, frame->slot);
    facts->protocol = data                       ? ASIM_PROTOCOL_DATA
                      : frame->type == ASIM_NACK ? ASIM_PROTOCOL_NACK
                                                 : ASIM_PROTOCOL_ACK;
    facts->priority = (uint8_t)fabric->set.net->priority_group;
    facts->size = rx->size;
    facts->from = asim_topo_external_id(fabric->set.topo, data ? rx->msg.src : rx->msg.dst);
    facts->to = asim_topo_external_id(fabric->set.topo, data ? rx->msg.dst : rx->msg.src);
    facts->src_ip = asim_host_ip(facts->from);
    facts->dst_ip = asim_host_ip(facts->to);
    facts->sport = data ? rx->sport : ASIM_DPORT;
    facts->dport = data ? ASIM_DPORT : rx->sport;
    facts->congested = (frame->flags & (data ? ASIM_CE : ASIM_CNP)) != 0;
    if (data)
        facts->payload = facts->wire - fabric->set.data_overhead;
}

uint64_t asim_fabric_queued(const struct asim_fabric *fabric, const uint32_t node_port[2],
                            uint32_t q)
{
    const struct asim_switch_port *port;

    if (node_port[0] < fabric->set.hosts || q >= ASIM_QUEUES)
        return 0;
    port = &fabric->sw[node_port[0] - fabric->set.hosts].ports[node_port[1] - 1];
    if (q)
        return port->occupancy[q].egress;
    return asim_queue_control_bytes(port);
}

/* Without options; the checksum is that of these 20 bytes. */
static uint8_t *put_ipv4(uint8_t *at, const struct asim_decoded_headers *facts, uint32_t length,
                         uint8_t protocol)
{
    uint8_t *begin = at;
    uint32_t sum = 0;
    /* Not congested: able to be marked (ECT(0)) on data, nothing on the others. */
    int data = facts->protocol == ASIM_PROTOCOL_DATA;
    uint8_t tos = data ? (facts->congested ? 3 : 2) : 0;

    at = put(at, 0x45, 1);
    at = put(at, tos, 1);
    at = put(at, length, 2);
    at = put(at, 0, 4);
    at = put(at, facts->protocol == ASIM_PROTOCOL_PFC ? 1 : 64, 1);
    at = put(at, protocol, 1);
    at = put(at, 0, 2);
    at = put(at, facts->src_ip, 4);
    at = put(at, facts->dst_ip, 4);
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)(begin[i] << 8 | begin[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    put(begin + 10, ~(sum + (sum >> 16)) & 0xffff, 2);
    return at;
}

/* PPP, IPv4, then what the protocol has (rdma-network.md#layers and rdma-network.md#frame-sizes);
 * telemetry counts as payload here. */
uint32_t asim_frame_head(const struct asim_decoded_headers *facts, uint8_t *head, uint32_t *total)
{
    uint8_t *at = put(head, 0x0021, 2);

    at = put_ipv4(at, facts, facts->wire - 2, facts->protocol);
    if (facts->protocol == ASIM_PROTOCOL_DATA) {
        at = put(put(at, facts->sport, 2), facts->dport, 2);
        at = put(put(at, facts->wire - 22, 2), 0, 2);
        at = put(put(at, facts->seq, 4), facts->priority, 2);
    } else if (facts->protocol == ASIM_PROTOCOL_PFC) {
        at = put(put(put(at, facts->pause_us, 4), 0, 4), facts->priority, 1);
    } else {
        at = put(put(at, facts->sport, 2), facts->dport, 2);
        at = put(put(at, facts->congested, 2), facts->priority, 2);
        at = put(at, facts->seq, 4);
    }
    *total = facts->wire;
    return (uint32_t)(at - head);
}

/* Locally administered, the node's number in it. */
static uint8_t *put_mac(uint8_t *at, uint32_t node)
{
    return put(put(at, 0x0200, 2), node, 4);
}

/* IEEE 802.1Qbb: one time per class in quanta of 512 bit times; the simulation knows us and no
 * timer, so a pause is the longest there is. */
static uint32_t roce_pfc(const struct asim_decoded_headers *facts, uint8_t *head, uint32_t *total)
{
    uint8_t *at = put_mac(put(head, 0x0180c2000001, 6), facts->from);

    at = put(put(put(at, 0x8808, 2), 0x0101, 2), 1u << facts->priority, 2);
    for (unsigned q = 0; q < ASIM_QUEUES; q++)
        at = put(at, q == facts->priority && facts->pause_us ? 0xffff : 0, 2);
    memset(at, 0, (size_t)(head + 60 - at));
    *total = 60;
    return 60;
}

/* RC SEND: first 0, middle 1, last 2, only 4. */
static uint8_t opcode(const struct asim_decoded_headers *facts)
{
    int last = facts->seq + facts->payload >= facts->size;

    if (facts->protocol != ASIM_PROTOCOL_DATA)
        return 0x11;
    if (!facts->seq)
        return last ? 4 : 0;
    return last ? 2 : 1;
}

uint32_t asim_frame_roce(const struct asim_decoded_headers *facts, uint8_t *head, uint32_t *total)
{
    int data = facts->protocol == ASIM_PROTOCOL_DATA, nack = facts->protocol == ASIM_PROTOCOL_NACK;
    uint32_t pad = data ? (4 - facts->payload % 4) % 4 : 0;
    uint32_t body = 8 + 12 + (data ? facts->payload + pad : 4) + 4;
    /* Of this packet; of the last one that is there; of the one that is missing. */
    uint64_t number = data || nack || !facts->seq ? facts->seq : facts->seq - 1;
    uint8_t *at = head;

    if (facts->protocol == ASIM_PROTOCOL_PFC)
        return roce_pfc(facts, head, total);
    at = put(put_mac(put_mac(at, facts->to), facts->from), 0x0800, 2);
    at = put_ipv4(at, facts, 20 + body, 17);
    at = put(put(at, data ? facts->sport : facts->dport, 2), 4791, 2);
    at = put(put(at, body, 2), 0, 2);
    at = put(put(at, opcode(facts), 1), pad << 4, 1);
    at = put(put(at, 0xffff, 2), !data && facts->congested ? 0x40 : 0, 1);
    at = put(at, data ? facts->sport : facts->dport, 3);
    at = put(put(at, data ? 0x80 : 0, 1), number / facts->mtu & 0xffffff, 3);
    if (!data) /* AETH; then the ICRC, which for data lies behind the payload */
        at = put(put(put(at, nack ? 0x60 : 0x1f, 1), 0, 3), 0, 4);
    *total = 14 + 20 + body;
    return (uint32_t)(at - head);
}
