/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the headers that a frame would have on a real link. Addresses are ASTRA-sim's: 11.x.y.1 for
 * hosts, 10.a.b.1 and .2 for the two ends of link number l (a = l / 254 + 1, b = l mod 254 + 1),
 * which only PFC frames carry.
 *
 * RoCEv2 form: a message is an RC SEND of one or more packets, numbered by their place in the
 * message; the queue pair number is the flow's source port. A NACK is an acknowledge with syndrome
 * 0x60 (sequence error), an echoed congestion mark is the BECN bit. Checksums of IPv4 are right,
 * UDP has none, the ICRC is left 0: decoders do not check it. A datagram of another simulator is
 * IPv4 of protocol 255 (reserved) with zeros, because its bytes are not known here.
 */
#include "conf/netconf_keys.h"
#include "fabric/observe/frame_headers.h"

#include <string.h>

#include "fabric/switch/queue.h"
#include "fabric/host/host.h"
#include "topo/topo.h"

/* PPP and IPv4 headers: the rest of a datagram's frame is its own. */
enum { LINK_AND_IP = 22 };

/* Big endian; returns the byte behind it. */
static uint8_t *put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    return at + bytes;
}

static uint32_t link_ip(const struct asim_fabric *fabric, struct asim_port_id at)
{
    const struct asim_port *port =
        fabric->ports[fabric->set.topo->first_port[at.node] + at.port - 1];
    uint32_t link = port->out->id / 2, end = port->out->id % 2 + 1;

    return 10u << 24 | (link / 254 + 1) << 16 | (link % 254 + 1) << 8 | end;
}

/* at is the sender of a frame that leaves or is queued; a frame that has arrived there comes
 * from the far end of the link. */
static void decode_pfc(const struct asim_fabric *fabric, const struct asim_frame *frame,
                       struct asim_port_id at, struct asim_decoded_headers *headers)
{
    const struct asim_port *port =
        fabric->ports[fabric->set.topo->first_port[at.node] + at.port - 1];
    struct asim_port_id sender = at;

    if (frame->dst == at.node) {
        sender.node = port->out->to;
        sender.port = port->out->to_port + 1;
    }
    headers->protocol = ASIM_PROTOCOL_PFC;
    headers->priority = (uint8_t)frame->slot;
    headers->from = asim_topo_external_id(fabric->set.topo, sender.node);
    headers->to = asim_topo_external_id(fabric->set.topo, frame->dst);
    headers->src_ip = link_ip(fabric, sender);
    headers->dst_ip = 0xffffffff;
    if (frame->type == ASIM_PAUSE)
        headers->pause_us = (uint32_t)(fabric->set.net->pause_time_fs / 1000000000);
}

static void decode_datagram(const struct asim_fabric *fabric, const struct asim_frame *frame,
                            struct asim_decoded_headers *headers)
{
    headers->protocol = ASIM_PROTOCOL_DATAGRAM;
    headers->priority = (uint8_t)frame->tries;
    headers->seq = frame->slot;
    headers->size = headers->payload =
        headers->wire - LINK_AND_IP - fabric->set.net->frame_extra_bytes;
    headers->from = asim_topo_external_id(fabric->set.topo, frame->dst);
    headers->to = asim_topo_external_id(fabric->set.topo, frame->src);
    headers->src_ip = asim_host_ip(headers->from);
    headers->dst_ip = asim_host_ip(headers->to);
    headers->sport = (uint16_t)frame->seq;
    headers->dport = (uint16_t)(frame->seq >> 16);
    headers->congested = (frame->flags & ASIM_CE) != 0;
}

void asim_fabric_decode_headers(const struct asim_fabric *fabric, const struct asim_frame *frame,
                                struct asim_port_id at, struct asim_decoded_headers *headers)
{
    const struct asim_rx *rx;
    int data = frame->type == ASIM_DATA;

    *headers = (struct asim_decoded_headers){
        .seq = frame->seq, .wire = (uint32_t)frame->wire, .mtu = fabric->set.net->payload_bytes};
    if (frame->type >= ASIM_PAUSE) {
        decode_pfc(fabric, frame, at, headers);
        return;
    }
    if (frame->type == ASIM_DATAGRAM) {
        decode_datagram(fabric, frame, headers);
        return;
    }
    rx = asim_rx_of(fabric, frame->src, frame->slot);
    headers->protocol = data                       ? ASIM_PROTOCOL_DATA
                        : frame->type == ASIM_NACK ? ASIM_PROTOCOL_NACK
                                                   : ASIM_PROTOCOL_ACK;
    headers->priority = (uint8_t)asim_class_queue(fabric, frame->traffic_class);
    headers->size = rx->size;
    headers->from = asim_topo_external_id(fabric->set.topo, data ? rx->msg.src : rx->msg.dst);
    headers->to = asim_topo_external_id(fabric->set.topo, data ? rx->msg.dst : rx->msg.src);
    headers->src_ip = asim_host_ip(headers->from);
    headers->dst_ip = asim_host_ip(headers->to);
    headers->sport = data ? rx->sport : ASIM_DPORT;
    headers->dport = data ? ASIM_DPORT : rx->sport;
    headers->congested = (frame->flags & (data ? ASIM_CE : ASIM_CNP)) != 0;
    if (data)
        headers->payload = headers->wire - fabric->set.data_overhead;
}

uint64_t asim_fabric_queued(const struct asim_fabric *fabric, struct asim_port_id at, uint32_t q)
{
    const struct asim_switch_port *port;

    if (at.node < fabric->set.hosts || q >= ASIM_QUEUES)
        return 0;
    port = &fabric->sw[at.node - fabric->set.hosts].ports[at.port - 1];
    if (q)
        return port->occupancy[q].egress;
    return asim_queue_control_bytes(port);
}

/* 20 bytes, without options. */
static uint8_t *put_ipv4(uint8_t *at, const struct asim_decoded_headers *headers, uint32_t length,
                         uint8_t protocol)
{
    uint8_t *begin = at;
    uint32_t sum = 0;
    /* Data frames are ECT(0), or CE where marked; others are not ECN-capable. */
    int data = headers->protocol == ASIM_PROTOCOL_DATA;
    uint8_t tos = data ? (headers->congested ? 3 : 2) : 0;

    at = put(at, 0x45, 1);
    at = put(at, tos, 1);
    at = put(at, length, 2);
    at = put(at, 0, 4);
    at = put(at, headers->protocol == ASIM_PROTOCOL_PFC ? 1 : 64, 1);
    at = put(at, protocol, 1);
    at = put(at, 0, 2);
    at = put(at, headers->src_ip, 4);
    at = put(at, headers->dst_ip, 4);
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)(begin[i] << 8 | begin[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    put(begin + 10, ~(sum + (sum >> 16)) & 0xffff, 2);
    return at;
}

/* PPP, IPv4, then the header of the protocol (rdma-network.md#layers and
 * rdma-network.md#frame-sizes); telemetry counts as payload here. */
uint32_t asim_frame_head(const struct asim_decoded_headers *headers, uint8_t *head, uint32_t *total)
{
    uint8_t *at = put(head, 0x0021, 2);

    at = put_ipv4(at, headers, headers->wire - 2, headers->protocol);
    if (headers->protocol == ASIM_PROTOCOL_DATA) {
        at = put(put(at, headers->sport, 2), headers->dport, 2);
        at = put(put(at, headers->wire - 22, 2), 0, 2);
        at = put(put(at, headers->seq, 4), headers->priority, 2);
    } else if (headers->protocol == ASIM_PROTOCOL_PFC) {
        at = put(put(put(at, headers->pause_us, 4), 0, 4), headers->priority, 1);
    } else if (headers->protocol != ASIM_PROTOCOL_DATAGRAM) {
        at = put(put(at, headers->sport, 2), headers->dport, 2);
        at = put(put(at, headers->congested, 2), headers->priority, 2);
        at = put(at, headers->seq, 4);
    }
    *total = headers->wire;
    return (uint32_t)(at - head);
}

/* A locally administered address that holds the node's number. */
static uint8_t *put_mac(uint8_t *at, uint32_t node)
{
    return put(put(at, 0x0200, 2), node, 4);
}

/* IEEE 802.1Qbb: one time per class, in quanta of 512 bit times. A simulated pause lasts until a
 * resume, so it gets the longest time. */
static uint32_t roce_pfc(const struct asim_decoded_headers *headers, uint8_t *head, uint32_t *total)
{
    uint8_t *at = put_mac(put(head, 0x0180c2000001, 6), headers->from);

    at = put(put(put(at, 0x8808, 2), 0x0101, 2), 1u << headers->priority, 2);
    for (unsigned q = 0; q < ASIM_QUEUES; q++)
        at = put(at, q == headers->priority && headers->pause_us ? 0xffff : 0, 2);
    memset(at, 0, (size_t)(head + 60 - at));
    *total = 60;
    return 60;
}

/* RC SEND: first 0, middle 1, last 2, only 4. */
static uint8_t opcode(const struct asim_decoded_headers *headers)
{
    int last = headers->seq + headers->payload >= headers->size;

    if (headers->protocol != ASIM_PROTOCOL_DATA)
        return 0x11;
    if (!headers->seq)
        return last ? 4 : 0;
    return last ? 2 : 1;
}

uint32_t asim_frame_roce(const struct asim_decoded_headers *headers, uint8_t *head, uint32_t *total)
{
    int data = headers->protocol == ASIM_PROTOCOL_DATA,
        nack = headers->protocol == ASIM_PROTOCOL_NACK;
    uint32_t pad = data ? (4 - headers->payload % 4) % 4 : 0;
    uint32_t body = 8 + 12 + (data ? headers->payload + pad : 4) + 4;
    /* DATA: this packet. ACK: the last packet received. NACK: the missing packet. */
    uint64_t number = data || nack || !headers->seq ? headers->seq : headers->seq - 1;
    uint8_t *at = head;

    if (headers->protocol == ASIM_PROTOCOL_PFC)
        return roce_pfc(headers, head, total);
    at = put(put_mac(put_mac(at, headers->to), headers->from), 0x0800, 2);
    if (headers->protocol == ASIM_PROTOCOL_DATAGRAM) {
        *total = 14 + 20 + headers->payload;
        return (uint32_t)(put_ipv4(at, headers, 20 + headers->payload, headers->protocol) - head);
    }
    at = put_ipv4(at, headers, 20 + body, 17);
    at = put(put(at, data ? headers->sport : headers->dport, 2), 4791, 2);
    at = put(put(at, body, 2), 0, 2);
    at = put(put(at, opcode(headers), 1), pad << 4, 1);
    at = put(put(at, 0xffff, 2), !data && headers->congested ? 0x40 : 0, 1);
    at = put(at, data ? headers->sport : headers->dport, 3);
    at = put(put(at, data ? 0x80 : 0, 1), number / headers->mtu & 0xffffff, 3);
    if (!data) /* AETH; then the ICRC, which for data lies behind the payload */
        at = put(put(put(at, nack ? 0x60 : 0x1f, 1), 0, 3), 0, 4);
    *total = 14 + 20 + body;
    return (uint32_t)(at - head);
}
