/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Go-back-N as in ASTRA-sim: the receiver drops packets beyond a gap and sends a NACK, which moves
 * snd_next back to snd_una (rdma-network.md#loss-recovery).
 */
#include "fabric/host/receiver.h"
#include "fabric/host/transport/transport.h"
#include "fabric/host/host.h"
#include "fabric/link/notification.h"

/* One NACK for each expected byte and NACK_INTERVAL. */
static void gap(struct asim_fabric *fabric, struct asim_host *host, const struct asim_frame *frame,
                struct asim_rx *rx)
{
    uint64_t chunk = fabric->set.net->l2_chunk_bytes;

    host->counts.discarded++;
    if (rx->nacked && host->now < rx->nack_until && rx->nack_seq == rx->next)
        return;
    rx->nacked = 1;
    rx->nack_until = host->now + asim_fs_to_ticks(fabric, fabric->set.net->nack_interval_fs);
    rx->nack_seq = rx->next;
    if (fabric->set.net->l2_back_to_zero && chunk) {
        host->counts.in_order -= rx->next % chunk;
        rx->next -= rx->next % chunk;
    }
    asim_receiver_answer(fabric, host, frame, rx, ASIM_NACK);
}

static void go_back(const struct asim_host *host, struct asim_flow *flow)
{
    flow->cc.snd_next = flow->snd_una;
    flow->last_gbn = host->now;
    flow->had_loss = 1;
}

static int answered(struct asim_host *host, struct asim_flow *flow, const struct asim_frame *frame)
{
    if (frame->type != ASIM_NACK || flow->snd_una >= flow->cc.size)
        return 0;
    go_back(host, flow);
    return 1;
}

/* Its bytes were not sent again since. */
static int is_missing(const struct asim_flow *flow, const struct asim_notification *note)
{
    return flow->last_gbn <= note->since;
}

/* Every packet up to the old end asks for an ACK, because the lost frame may have been one. */
static void repeat(struct asim_host *host, struct asim_flow *flow,
                   const struct asim_notification *note)
{
    (void)note;
    go_back(host, flow);
    flow->solicit_below = flow->snd_high;
}

const struct asim_transport asim_transport_go_back_n = {
    .member = {.name = "go_back_n", .about = "sends all packets from the gap on again"},
    .kind = ASIM_GO_BACK_N,
    .gap = gap,
    .answered = answered,
    .is_missing = is_missing,
    .repeat = repeat,
};
