/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The receiving side of a host: cumulative ACKs (rdma-network.md#receiver). The transport answers
 * packets beyond a gap (transport/).
 * ASTRA-sim resets its ACK milestone on every packet, so its rule is "ACK an in-order packet whose
 * end offset reaches L2_ACK_INTERVAL or is a multiple of L2_CHUNK_SIZE". Where that rule would
 * never acknowledge the end of a message (ASTRA-sim hangs), the last packet is ACKed.
 *
 * The receiver's half of a flow lies in the sender's slot, and this host alone writes it. No event
 * tells the receiver that a message begins; the first frame of a new generation does.
 */
#include "fabric/host/receiver.h"
#include "fabric/host/qp.h"
#include "fabric/host/recovery.h"
#include "fabric/link/transmit.h"
#include "net/watch.h"

/* Writes the ACK or NACK to *data into its final place. The frame names a packet kept beyond a gap.
 * It leads back to no telemetry record if the packet closed a gap or was a duplicate, because the
 * byte before `seq` then belongs to another packet. */
static inline void write_ack(const struct asim_fabric *fabric, const struct asim_frame *data,
                             struct asim_frame *ack, enum asim_frame_type type, uint32_t recency)
{
    const struct asim_rx *rx = asim_rx_of(fabric, data->src, data->slot);
    uint64_t end = data->seq + data->wire - fabric->set.data_overhead, beyond = 0;
    unsigned flags = data->flags & ASIM_CE ? ASIM_CNP : 0;

    if (type == ASIM_ACK && rx->next >= rx->size)
        flags |= ASIM_FINAL;
    if (data->seq > rx->next)
        beyond = (data->seq - rx->next) / fabric->set.net->payload_bytes + 1;
    ack->word1 = asim_frame_word1(rx->next, end < rx->next ? ASIM_NO_RECORD : data->tries,
                                  fabric->set.ack_wire);
    ack->flow = data->flow;
    ack->word2 = asim_frame_word2((uint32_t)beyond, type, flags) | (uint64_t)recency << 32;
}

/* Puts the ACK into the NIC's FIFO; out of line, because most ACKs find the port idle. */
static void queue_ack(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                      const struct asim_frame *data, enum asim_frame_type type)
{
    struct asim_frame *ack = asim_ring_slot(&nic->acks);

    if (!ack) {
        host->worker->failed = ASIM_ENOMEM;
        return;
    }
    write_ack(fabric, data, ack, type, 0);
    if (fabric->watch->frame)
        fabric->watch->frame(fabric->watch->frame_self, ASIM_FRAME_ENQUEUE,
                             (struct asim_port_id){host->node, (uint32_t)(nic - host->nics) + 1},
                             ack, asim_to_ns(fabric, host->now));
    if (!asim_nic_is_busy(host, nic))
        asim_nic_kick(fabric, host, nic, host->now);
}

/* Sends an ACK or NACK by the NIC that leads back, at once if the port is free. The ACK of a whole
 * message also causes the destination's notification, which counts as a frame under way. */
static inline void send_ack(struct asim_fabric *fabric, struct asim_host *host,
                            const struct asim_frame *data, struct asim_rx *rx,
                            enum asim_frame_type type)
{
    struct asim_nic *nic = asim_nic_for_reply(fabric, host, data, rx);
    struct asim_frame *ack;

    asim_rx_count(rx, type == ASIM_ACK && rx->next >= rx->size ? 2 : 1);
    host->counts.acks_generated++;
    host->counts.nacks += type == ASIM_NACK;
    if (asim_nic_is_busy(host, nic) || nic->acks.n || nic->port.down || fabric->watch->frame ||
        nic->port.paused >> fabric->set.ack_queue & 1) {
        queue_ack(fabric, host, nic, data, type);
        return;
    }
    ack =
        asim_port_begin(host->worker, &nic->port, fabric->set.ack_wire, asim_host_event_key(host));
    if (!ack)
        return;
    write_ack(fabric, data, ack, type, nic->port.start_recency);
    host->counts.acks++;
    asim_port_commit(host->worker, &nic->port, ack);
}

void asim_receiver_answer(struct asim_fabric *fabric, struct asim_host *host,
                          const struct asim_frame *data, struct asim_rx *rx,
                          enum asim_frame_type type)
{
    send_ack(fabric, host, data, rx, type);
}

void asim_receiver_keep(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame, struct asim_rx *rx,
                        enum asim_frame_type answer)
{
    struct asim_range packet = {frame->seq, frame->seq + frame->wire - fabric->set.data_overhead};

    if (asim_ranges_has(&rx->out_of_order, frame->seq))
        host->counts.duplicates++;
    else if (asim_ranges_add(&rx->out_of_order, packet))
        host->worker->failed = ASIM_ENOMEM;
    asim_receiver_answer(fabric, host, frame, rx, answer);
}

/* A packet retransmitted from the start of a chunk (L2_BACK_TO_ZERO) may begin before the expected
 * byte and end behind it. This happens only after a timeout, which ASTRA-sim does not have; it
 * would discard the packet as a duplicate. */
static int has_new_bytes(const struct asim_fabric *fabric, const struct asim_frame *frame,
                         const struct asim_rx *rx)
{
    return frame->flags & ASIM_SOLICIT && fabric->set.net->l2_back_to_zero && !rx->out_of_order.n &&
           frame->seq + frame->wire - fabric->set.data_overhead > rx->next;
}

/* The expected packet, and with it the packets kept behind it. */
static void in_order(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame, struct asim_rx *rx)
{
    uint64_t before = rx->next;

    rx->next = frame->seq + frame->wire - fabric->set.data_overhead;
    if (rx->out_of_order.n && rx->out_of_order.at[0].from == rx->next) {
        rx->next = rx->out_of_order.at[0].to;
        if (asim_ranges_cut(&rx->out_of_order, (struct asim_range){0, rx->next}))
            host->worker->failed = ASIM_ENOMEM;
    }
    host->counts.in_order += rx->next - before;
    if (asim_wants_ack(fabric->set.net, rx->next, rx->size) || frame->flags & ASIM_SOLICIT)
        send_ack(fabric, host, frame, rx, ASIM_ACK);
}

/* Runs in the event of the frame's arrival; hosts have no processing delay. A slot is not reused
 * while a frame of its last message is under way, but the test of the generation stays: writing
 * into another message's state would be the worst failure. */
void asim_receiver_data(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame)
{
    struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    uint8_t generation = (uint8_t)(frame->slot >> 24);

    host->counts.data_received++;
    if (rx->generation != generation) {
        host->counts.duplicates++;
        return;
    }
    if (rx->begun_generation != generation)
        asim_rx_begin(rx, generation);
    if (frame->seq > rx->next) {
        if (fabric->set.net->load_balance == ASIM_SPRAY)
            asim_receiver_keep(fabric, host, frame, rx, ASIM_ACK);
        else
            asim_recovery_gap(fabric, host, frame, rx);
    } else if (frame->seq < rx->next && !has_new_bytes(fabric, frame, rx)) {
        host->counts.duplicates++;
        if (frame->flags & ASIM_SOLICIT)
            send_ack(fabric, host, frame, rx, ASIM_ACK);
    } else {
        in_order(fabric, host, frame, rx);
    }
    asim_rx_count(rx, -1u);
    asim_flow_add_release(host->worker, frame->src, frame->slot);
}
