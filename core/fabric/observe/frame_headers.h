/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The headers of a frame. Inside the fabric a frame is 32 bytes that refer to a flow; traces,
 * captures and ns-3 packets need addresses, ports and headers. asim/packet.h declares the two forms
 * of bytes: ASTRA-sim's own (rdma-network.md#frames), as many as frame->wire counts, and RoCEv2
 * (Ethernet, IPv4, UDP 4791, BTH, AETH) for tools that decode real captures.
 *
 * A run without watchers of frames uses none of this.
 */
#ifndef ASIM_FABRIC_OBSERVE_FRAME_HEADERS_H
#define ASIM_FABRIC_OBSERVE_FRAME_HEADERS_H

#include <stdint.h>

struct asim_decoded_headers;
struct asim_fabric;
struct asim_frame;
struct asim_port_id;

/* at: the port where the frame was seen, as the frame hook reports it. */
void asim_fabric_decode_headers(const struct asim_fabric *fabric, const struct asim_frame *frame,
                                struct asim_port_id at, struct asim_decoded_headers *headers);
/* Bytes in queue q of a switch port (1-based), without the frame being sent; 0 for hosts. Queue 0
 * costs a look at each of its frames. */
uint64_t asim_fabric_queued(const struct asim_fabric *fabric, struct asim_port_id at, uint32_t q);

#endif
