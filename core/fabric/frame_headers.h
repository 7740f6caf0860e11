/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Frames as others know them: a frame of the core is 32 bytes that refer to a flow; traces,
 * captures and ns-3 packets want addresses, ports and headers. Two forms of bytes: the reference's
 * own (spec rdma-network.md, section 1: as many bytes as frame->wire counts), and RoCEv2 (Ethernet,
 * IPv4, UDP 4791, BTH, AETH) for tools that decode real captures.
 *
 * Only for frames that are being watched: nothing here is on the path of a run without watchers.
 */
#ifndef ASIM_FABRIC_FRAME_HEADERS_H
#define ASIM_FABRIC_FRAME_HEADERS_H

#include "fabric/fabric.h"

/* IPv4 protocol numbers by which the reference tells its frames apart. */
enum asim_protocol {
    ASIM_PROTOCOL_DATA = 0x11,
    ASIM_PROTOCOL_ACK = 0xfc,
    ASIM_PROTOCOL_NACK = 0xfd,
    ASIM_PROTOCOL_PFC = 0xfe
};

struct asim_decoded_headers {
    uint64_t seq, size; /* DATA: first byte; ACK: next expected. size: of the message */
    uint32_t src_ip, dst_ip;
    uint32_t from, to;     /* nodes at the ends of the frame's way; PFC: of its link */
    uint32_t wire;         /* bytes the simulation counts */
    uint32_t payload, mtu; /* bytes of data in it, and in a full one */
    uint32_t pause_us;     /* PFC: 0 = resume */
    uint16_t sport, dport;
    uint8_t protocol, priority;
    uint8_t congested; /* DATA: ECN mark; ACK, NACK: it echoes one */
};

/* node_port: where the frame was seen, as the frame hook says it. */
void asim_fabric_decode_headers(const struct asim_fabric *fabric, const struct asim_frame *frame,
                                const uint32_t node_port[2], struct asim_decoded_headers *facts);
/* Bytes waiting in queue q of a switch port (1-based), without the frame being sent; hosts: 0.
 * Queue 0 is summed frame by frame, the others are kept. */
uint64_t asim_fabric_queued(const struct asim_fabric *fabric, const uint32_t node_port[2],
                            uint32_t q);

enum { ASIM_FRAME_HEAD_MAX = 128 };
/* Writes the frame's head in one of the two forms and returns how many bytes it wrote; *total is
 * the whole frame. The rest is payload, all zero. */
uint32_t asim_frame_head(const struct asim_decoded_headers *facts, uint8_t *head, uint32_t *total);
uint32_t asim_frame_roce(const struct asim_decoded_headers *facts, uint8_t *head, uint32_t *total);

#endif
