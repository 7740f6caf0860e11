/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A frame has arrived at a host: passes it to the receiver, to the sender whose packet it answers,
 * to its datagrams, or pauses a queue.
 */
#include "fabric/host/advance.h"
#include "fabric/host/hold.h"
#include "fabric/host/qp.h"
#include "fabric/host/receiver.h"
#include "fabric/host/traffic.h"
#include "net/watch.h"

/* Applies a pause or resume frame for the queue in frame->slot. */
static void handle_pfc(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                       const struct asim_frame *frame)
{
    uint8_t bit = (uint8_t)(1u << (frame->slot % ASIM_QUEUES));
    int pause = asim_pause_holds(fabric, frame);

    host->counts.pfc_received++;
    nic->port.paused = (uint8_t)(pause ? nic->port.paused | bit : nic->port.paused & ~bit);
    if (fabric->watch->pfc)
        fabric->watch->pfc(fabric->watch->self, asim_to_ns(fabric, host->now), host->node,
                           (uint32_t)(nic - host->nics) + 1, pause);
    if (!pause)
        asim_nic_kick(fabric, host, nic, host->now);
}

/* Reads the frame in the ring and drops it last: until then nobody writes its place. */
void asim_host_handle_frame(struct asim_fabric *fabric, struct asim_host *host,
                            struct asim_nic *nic)
{
    struct asim_wire *in = nic->port.in;
    const struct asim_frame *frame = asim_link_ring_oldest(in);

    asim_link_ring_count_in(in, frame, host->seq);
    if (fabric->watch->frame)
        fabric->watch->frame(fabric->watch->frame_self, ASIM_FRAME_RX,
                             (struct asim_port_id){host->node, (uint32_t)(nic - host->nics) + 1},
                             frame, asim_to_ns(fabric, host->now));
    if (frame->type == ASIM_DATA && fabric->set.net->nic_total_pause_count)
        asim_pcie_pause(fabric, host, nic);
    if (frame->type == ASIM_DATA)
        asim_receiver_data(fabric, host, frame);
    else if (frame->type == ASIM_ACK || frame->type == ASIM_NACK)
        asim_sender_ack(fabric, host, frame);
    else if (frame->type == ASIM_DATAGRAM)
        asim_host_take_datagram(fabric, host, nic, frame);
    else
        handle_pfc(fabric, host, nic, frame);
    asim_link_ring_drop(in);
    asim_nic_update_arrival(nic);
}
