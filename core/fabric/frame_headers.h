/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Frames as others know them: a frame of the core is 32 bytes that refer to a flow; traces,
 * captures and ns-3 packets want addresses, ports and headers. Two forms of bytes: ASTRA-sim's
 * own (rdma-network.md#frames: as many bytes as frame->wire counts), and RoCEv2 (Ethernet,
 * IPv4, UDP 4791, BTH, AETH) for tools that decode real captures.
 *
 * Only for frames that are being watched: nothing here is on the path of a run without watchers.
 */
#ifndef ASIM_FABRIC_FRAME_HEADERS_H
#define ASIM_FABRIC_FRAME_HEADERS_H

#include "fabric/fabric.h"

/* node_port: where the frame was seen, as the frame hook says it. */
void asim_fabric_decode_headers(const struct asim_fabric *fabric, const struct asim_frame *frame,
                                const uint32_t node_port[2], struct asim_decoded_headers *facts);
/* Bytes waiting in queue q of a switch port (1-based), without the frame being sent; hosts: 0.
 * Queue 0 is summed frame by frame, the others are kept. */
uint64_t asim_fabric_queued(const struct asim_fabric *fabric, const uint32_t node_port[2],
                            uint32_t q);

#endif
