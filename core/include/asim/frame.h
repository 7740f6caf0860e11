/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The frames of the packet network (asim/packet.h): watch each, and decode its headers.
 */
#ifndef ASIM_FRAME_H
#define ASIM_FRAME_H

#include <stdint.h>
#include "asim/export.h"

ASIM_C_BEGIN

/* A frame starts to be sent; has arrived; was queued by a switch, or an ACK by a host; was dropped
 * by a switch. */
enum asim_frame_event { ASIM_FRAME_TX, ASIM_FRAME_RX, ASIM_FRAME_ENQUEUE, ASIM_FRAME_DROP };

/* IPv4 protocol numbers of the kinds of frames. */
enum asim_protocol {
    ASIM_PROTOCOL_DATA = 0x11,
    ASIM_PROTOCOL_ACK = 0xfc,
    ASIM_PROTOCOL_NACK = 0xfd,
    ASIM_PROTOCOL_PFC = 0xfe,
    ASIM_PROTOCOL_DATAGRAM = 0xff /* asim/datagram.h: its own headers are not known here */
};

/* What the headers of a frame say. */
struct asim_decoded_headers {
    /* DATA: offset of its first byte; ACK, NACK: next byte expected; DATAGRAM: its token. */
    uint64_t seq;
    uint64_t size;              /* of the message, bytes */
    uint32_t src_ip, dst_ip;    /* hosts: 11.x.y.1 */
    uint32_t from, to;          /* nodes at the ends of the flow; PFC: of the link */
    uint32_t wire;              /* bytes that the simulation counts */
    uint32_t payload, mtu;      /* bytes of data in this frame, and in a full one */
    uint32_t pause_us;          /* PFC; 0 = resume */
    uint16_t sport, dport;      /* UDP */
    uint8_t protocol, priority; /* enum asim_protocol; PFC priority */
    uint8_t congested;          /* DATA: ECN mark; ACK, NACK: echo of one */
};

struct asim_err;
struct asim_frame;
struct asim_world;

/* One observation, valid during the hook only. */
struct asim_frame_seen {
    enum asim_frame_event event;
    uint32_t node, port;
    uint64_t time_ns;
    const struct asim_frame *frame; /* for asim_packet_decode */
};
typedef void asim_frame_seen_hook(void *self, const struct asim_frame_seen *seen);

/* Calls hook for every frame from now on, at the frame's own time: the network changes to per-event
 * mode, with the same results but slower. ASIM_ENOMEM where four hooks watch already. */
ASIM_API int asim_packet_watch_frames(struct asim_world *world, asim_frame_seen_hook *hook,
                                      void *self, struct asim_err *err);
/* Call it inside a hook. */
ASIM_API void asim_packet_decode(const struct asim_world *world, const struct asim_frame_seen *seen,
                                 struct asim_decoded_headers *headers);

enum { ASIM_FRAME_HEAD_MAX = 128 };
/* Writes the first bytes of the frame, its headers, and returns how many; *total is the length of
 * the whole frame, whose payload is all zero. The first function writes PPP, IPv4 and UDP or the
 * header of an ACK or PFC frame, as long as the simulation counts; the second RoCEv2 (Ethernet,
 * IPv4, UDP 4791, BTH, AETH) for tools that decode real captures. */
ASIM_API uint32_t asim_frame_head(const struct asim_decoded_headers *headers, uint8_t *head,
                                  uint32_t *total);
ASIM_API uint32_t asim_frame_roce(const struct asim_decoded_headers *headers, uint8_t *head,
                                  uint32_t *total);

ASIM_C_END
#endif
