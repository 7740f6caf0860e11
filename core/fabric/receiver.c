/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The receiving side of a host: go-back-N with cumulative ACKs, spec rdma-network.md section 2.7.
 * The reference resets its ACK milestone on every packet, so the rule is "ACK an in-order packet
 * whose end offset reaches L2_ACK_INTERVAL, or is a multiple of L2_CHUNK_SIZE". Where that rule
 * would never acknowledge the end of a message (the reference hangs), the last packet is ACKed.
 */
#include "fabric/node.h"

enum { NACK_INTERVAL_NS = 500000 };

/* Appends an ACK or NACK to the host's FIFO of the NIC that leads back, and kicks it. */
static void reply(struct asim_fabric *fabric, struct asim_host *host, const struct asim_frame *data,
                  enum asim_frame_type type)
{
    const struct asim_flow *flow = asim_flow_of(fabric, data->src, data->slot);
    const uint16_t ports[2] = {100, flow->sport};
    struct asim_nic *nic =
        &host->nics[host->n_nics == 1 ? 0 : asim_flow_nic(fabric, host->node, data->src, ports)];
    struct asim_frame ack = {.seq = flow->rx_next,
                             .wire = fabric->ack_wire,
                             .src = data->src,
                             .slot = data->slot,
                             .dst = data->src,
                             .type = type,
                             .flags = data->flags & ASIM_CE ? ASIM_CNP : 0};
    uint64_t size = flow->msg.bytes ? flow->msg.bytes : 1;

    if (type == ASIM_ACK && flow->rx_next >= size)
        ack.flags |= ASIM_FINAL;
    if (!asim_ring_push(&nic->acks, &ack))
        fabric->failed = ASIM_ENOMEM;
    asim_nic_kick(fabric, host, nic, host->now);
}

/* The last line is ours (spec 2.7, consequences): an interval of 0, or a message shorter than the
 * interval, never finishes in the reference. */
static int wants_ack(const struct asim_netconf *net, const struct asim_flow *flow)
{
    if (flow->rx_next >= net->l2_ack_interval_bytes && net->l2_ack_interval_bytes)
        return 1;
    if (net->l2_chunk_bytes && flow->rx_next % net->l2_chunk_bytes == 0)
        return 1;
    return flow->rx_next >= flow->msg.bytes;
}

/* A gap: one NACK per expected byte and 500 us. */
static void out_of_order(struct asim_fabric *fabric, struct asim_host *host,
                         const struct asim_frame *frame, struct asim_flow *flow)
{
    uint64_t chunk = fabric->net->l2_chunk_bytes;

    if (flow->rx_nacked && host->now < flow->rx_nack_until && flow->rx_nack_seq == flow->rx_next)
        return;
    flow->rx_nacked = 1;
    flow->rx_nack_until = host->now + NACK_INTERVAL_NS;
    flow->rx_nack_seq = flow->rx_next;
    if (fabric->net->l2_back_to_zero && chunk)
        flow->rx_next = flow->rx_next / chunk * chunk;
    if (fabric->cc->needs) /* the NACK brings back what this packet saw */
        *asim_telemetry_of(fabric, flow, flow->rx_next) =
            *asim_telemetry_of(fabric, flow, frame->seq);
    reply(fabric, host, frame, ASIM_NACK);
}

/* In the event of the frame's arrival; hosts have no processing delay (spec 2.4). */
void asim_receiver_data(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame, uint64_t t)
{
    struct asim_flow *flow = asim_flow_of(fabric, frame->src, frame->slot);
    uint8_t generation = (uint8_t)(frame->slot >> 24);

    (void)t;
    /* A duplicate of a message that is through (go-back-N repeats what was under way), and the slot
     * has a new owner, whose state it must not touch. */
    if (flow->generation != generation)
        return;
    if (flow->rx_generation != generation) {
        flow->rx_generation = generation;
        flow->rx_next = 0;
        flow->rx_nacked = 0;
    }
    if (frame->seq > flow->rx_next) {
        out_of_order(fabric, host, frame, flow);
        return;
    }
    if (frame->seq < flow->rx_next)
        return; /* duplicate: nothing is sent */
    flow->rx_next += frame->wire - fabric->data_overhead;
    if (wants_ack(fabric->net, flow))
        reply(fabric, host, frame, ASIM_ACK);
}
