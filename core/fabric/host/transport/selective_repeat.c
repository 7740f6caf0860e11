/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Selective repeat: the receiver keeps packets beyond a gap, and the sender sends each missing
 * packet once (as IRN, Mittal et al., SIGCOMM 2018: each NACK names the packet that caused it).
 */
#include "fabric/host/receiver.h"
#include "fabric/host/transport/transport.h"
#include "fabric/host/host.h"
#include "fabric/host/recovery.h"
#include "fabric/link/notification.h"

#include <stdlib.h>

static void gap(struct asim_fabric *fabric, struct asim_host *host, const struct asim_frame *frame,
                struct asim_rx *rx)
{
    asim_receiver_keep(fabric, host, frame, rx, ASIM_NACK);
}

/* Makes flow->sack at the first gap of the slot's flows; asim_recovery_fini frees it. */
static int make_sack(struct asim_flow *flow)
{
    if (!flow->sack)
        flow->sack = calloc(1, sizeof *flow->sack);
    return flow->sack ? 0 : ASIM_ENOMEM;
}

/* A NACK names a packet beyond a gap. The bytes before that packet are missing, unless an earlier
 * NACK asked for them. */
static int note_gap(const struct asim_flow *flow, uint64_t seq)
{
    struct asim_sack *sack = flow->sack;
    uint64_t from = sack->seen_to > flow->snd_una ? sack->seen_to : flow->snd_una;
    int code;

    if (from >= seq)
        return 0;
    sack->seen_to = seq;
    code = asim_ranges_add(&sack->retransmit, (struct asim_range){from, seq});
    for (size_t i = 0; !code && i < sack->acked.n; i++)
        code = asim_ranges_cut(&sack->retransmit, sack->acked.at[i]);
    return code;
}

/* The packet that the frame names beyond its seq has arrived. */
static int answered(struct asim_host *host, struct asim_flow *flow, const struct asim_frame *frame)
{
    const struct asim_fabric *fabric = host->worker->fabric;
    uint64_t seq = frame->seq + (uint64_t)(frame->dst - 1) * fabric->set.net->payload_bytes;
    struct asim_range packet = asim_recovery_packet(fabric, flow, seq);

    if (seq >= flow->snd_una && (make_sack(flow) || asim_ranges_add(&flow->sack->acked, packet) ||
                                 asim_ranges_cut(&flow->sack->retransmit, packet) ||
                                 (frame->type == ASIM_NACK && note_gap(flow, seq))))
        host->worker->failed = ASIM_ENOMEM;
    return 1;
}

static int is_missing(const struct asim_flow *flow, const struct asim_notification *note)
{
    return note->type != ASIM_DATA || !flow->sack || !asim_ranges_has(&flow->sack->acked, note->at);
}

/* For a lost ACK any packet does that makes the receiver repeat it. */
static void repeat(struct asim_host *host, struct asim_flow *flow,
                   const struct asim_notification *note)
{
    uint64_t seq = note->type == ASIM_DATA ? note->at : flow->snd_una;

    if (make_sack(flow) || asim_ranges_add(&flow->sack->retransmit,
                                           asim_recovery_packet(host->worker->fabric, flow, seq)))
        host->worker->failed = ASIM_ENOMEM;
}

const struct asim_transport asim_transport_selective_repeat = {
    .member = {.name = "selective_repeat", .about = "sends only the missing packets again"},
    .kind = ASIM_SELECTIVE_REPEAT,
    .solicits = 1,
    .gap = gap,
    .answered = answered,
    .is_missing = is_missing,
    .repeat = repeat,
};
