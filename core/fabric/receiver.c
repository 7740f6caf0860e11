/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The receiving side of a host: go-back-N with cumulative ACKs, spec rdma-network.md section 2.7.
 * The reference resets its ACK milestone on every packet, so the rule is "ACK an in-order packet
 * whose end offset reaches L2_ACK_INTERVAL, or is a multiple of L2_CHUNK_SIZE". Where that rule
 * would never acknowledge the end of a message (the reference hangs), the last packet is ACKed.
 *
 * The receiving half of a flow lies in the sender's slot and is written by this host only. Nothing
 * tells it that a message begins: the first frame of a new generation does.
 */
#include "fabric/node.h"

#define FS_PER_NS 1000000u

/* Appends an ACK or NACK to the host's FIFO of the NIC that leads back, and kicks it. A packet kept
 * beyond a gap is named by it. An ACK of the whole message also brings the destination's notice,
 * which counts as a frame under way. */
static void reply(struct asim_fabric *fabric, struct asim_host *host, const struct asim_frame *data,
                  enum asim_frame_type type)
{
    struct asim_flow *flow = asim_flow_of(fabric, data->src, data->slot);
    const uint16_t ports[2] = {100, flow->sport};
    struct asim_nic *nic =
        &host->nics[host->n_nics == 1 ? 0 : asim_flow_nic(fabric, host->node, data->src, ports)];
    struct asim_frame ack = {.seq = flow->rx_next,
                             .wire = fabric->ack_wire,
                             .src = data->src,
                             .slot = data->slot,
                             .type = type,
                             .tries = data->tries,
                             .flags = data->flags & ASIM_CE ? ASIM_CNP : 0};
    uint64_t size = flow->msg.bytes ? flow->msg.bytes : 1;

    if (type == ASIM_ACK && flow->rx_next >= size)
        ack.flags |= ASIM_FINAL;
    if (data->seq + data->wire - fabric->data_overhead < flow->rx_next)
        ack.tries =
            ASIM_NO_RECORD; /* it closed a gap, or was known: seq - 1 is not of this packet */
    if (data->seq > flow->rx_next)
        ack.dst = (uint32_t)((data->seq - flow->rx_next) / fabric->net->payload_bytes) + 1;
    flow->rx_frames += ack.flags & ASIM_FINAL ? 2 : 1;
    host->counts.acks_made++;
    if (!asim_ring_push(&nic->acks, &ack))
        fabric->failed = ASIM_ENOMEM;
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_ENQUEUE,
                            (const uint32_t[2]){host->node, (uint32_t)(nic - host->nics) + 1}, &ack,
                            asim_to_ns(fabric, host->now));
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

/* Packets beyond a gap are kept by selective repeat, and where packets of a flow take several ways
 * at once: then a gap says nothing of losses, and the answer is an ACK. */
static void ahead(struct asim_fabric *fabric, struct asim_host *host,
                  const struct asim_frame *frame, struct asim_flow *flow)
{
    struct asim_range packet = {frame->seq, frame->seq + frame->wire - fabric->data_overhead};

    if (asim_ranges_has(&flow->rx_ahead, frame->seq))
        host->counts.duplicates++;
    else if (asim_ranges_add(&flow->rx_ahead, packet))
        fabric->failed = ASIM_ENOMEM;
    reply(fabric, host, frame, fabric->net->load_balance == ASIM_SPRAY ? ASIM_ACK : ASIM_NACK);
}

/* A gap: one NACK per expected byte and NACK_INTERVAL. */
static void out_of_order(struct asim_fabric *fabric, struct asim_host *host,
                         const struct asim_frame *frame, struct asim_flow *flow)
{
    uint64_t chunk = fabric->net->l2_chunk_bytes;

    host->counts.discarded++;
    if (flow->rx_nacked && host->now < flow->rx_nack_until && flow->rx_nack_seq == flow->rx_next)
        return;
    flow->rx_nacked = 1;
    flow->rx_nack_until = host->now + fabric->net->nack_interval_fs / (FS_PER_NS / fabric->tick);
    flow->rx_nack_seq = flow->rx_next;
    if (fabric->net->l2_back_to_zero && chunk) {
        host->counts.in_order -= flow->rx_next % chunk;
        flow->rx_next -= flow->rx_next % chunk;
    }
    reply(fabric, host, frame, ASIM_NACK);
}

/* The expected packet: takes in what was kept behind it, too. */
static void in_order(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame, struct asim_flow *flow)
{
    uint64_t before = flow->rx_next;

    flow->rx_next += frame->wire - fabric->data_overhead;
    if (flow->rx_ahead.n && flow->rx_ahead.at[0].from == flow->rx_next) {
        flow->rx_next = flow->rx_ahead.at[0].to;
        if (asim_ranges_cut(&flow->rx_ahead, (struct asim_range){0, flow->rx_next}))
            fabric->failed = ASIM_ENOMEM;
    }
    host->counts.in_order += flow->rx_next - before;
    if (wants_ack(fabric->net, flow) || frame->flags & ASIM_SOLICIT)
        reply(fabric, host, frame, ASIM_ACK);
}

/* In the event of the frame's arrival; hosts have no processing delay (spec 2.4). The slot is not
 * reused while a frame of its last message is under way; the test of the generation stays, because
 * a stranger's state would be the worst thing to touch. */
void asim_receiver_data(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame, uint64_t t)
{
    struct asim_flow *flow = asim_flow_of(fabric, frame->src, frame->slot);
    uint8_t generation = (uint8_t)(frame->slot >> 24);

    (void)t;
    host->counts.got_data++;
    if (flow->generation != generation) {
        host->counts.duplicates++;
        return;
    }
    flow->rx_frames--;
    if (flow->rx_generation != generation) {
        flow->rx_generation = generation;
        flow->rx_next = 0;
        flow->rx_nacked = flow->rx_told = 0;
    }
    if (frame->seq > flow->rx_next) {
        if (fabric->keeps_ahead)
            ahead(fabric, host, frame, flow);
        else
            out_of_order(fabric, host, frame, flow);
    } else if (frame->seq < flow->rx_next) {
        host->counts.duplicates++;
        if (frame->flags & ASIM_SOLICIT)
            reply(fabric, host, frame, ASIM_ACK);
    } else {
        in_order(fabric, host, frame, flow);
    }
}
