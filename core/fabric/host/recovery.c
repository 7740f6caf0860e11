/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sender's answer to losses. Go-back-N follows ASTRA-sim (rdma-network.md#loss-recovery): a
 * NACK moves snd_next back to snd_una; asim guards its dead-lock, an ACK that passes snd_next.
 * Selective repeat keeps the packets beyond the gap at the receiver (as IRN, Mittal et al., SIGCOMM
 * 2018: each NACK names the packet that caused it) and sends each missing packet once.
 *
 * NACKs cannot repair a lost tail, a lost ACK or a retransmission that is lost again; ASTRA-sim
 * hangs there. A timeout of the lost packet repairs them. Timeouts without progress double their
 * distance; after RTO_RETRIES of them the message is aborted, and the stall report names it.
 */
#include "fabric/host/recovery.h"
#include "fabric/host/completion.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/host/connection.h"
#include "fabric/events/events.h"
#include "fabric/host/traffic.h"

#include <stdlib.h>

enum { MAX_DOUBLINGS = 6 };

/* Latches a failure of a list. */
static int keep(struct asim_worker *worker, int code)
{
    if (code)
        worker->failed = ASIM_ENOMEM;
    return code;
}

/* A frame of the flow is lost, or its source thinks so. */
static void tell_memo(struct asim_fabric *fabric, const struct asim_flow *flow)
{
    if (fabric->memo_hooks)
        fabric->memo_hooks->lost(fabric, (uint32_t)flow->frame_word, flow->dst);
}

/* Packets begin at multiples of the payload; only the last one of a message is shorter. */
static uint64_t packet_end(const struct asim_fabric *fabric, const struct asim_flow *flow,
                           uint64_t seq)
{
    uint64_t end = seq + fabric->set.net->payload_bytes;

    return end < flow->cc.size ? end : flow->cc.size;
}

/* Allocated at the first gap of the slot's flows, kept for the next ones, freed by
 * asim_recovery_fini. */
static struct asim_sack *sack_of(struct asim_worker *worker, struct asim_flow *flow)
{
    if (!flow->sack)
        flow->sack = calloc(1, sizeof *flow->sack);
    if (!flow->sack)
        worker->failed = ASIM_ENOMEM;
    return flow->sack;
}

/* A NACK names a packet beyond a gap. The bytes before that packet are missing, unless an earlier
 * NACK asked for them. */
static void note_gap(struct asim_worker *worker, struct asim_flow *flow, uint64_t seq)
{
    struct asim_sack *sack = flow->sack;
    uint64_t from = sack->seen_to > flow->snd_una ? sack->seen_to : flow->snd_una;

    if (from >= seq)
        return;
    sack->seen_to = seq;
    if (keep(worker, asim_ranges_add(&sack->retransmit, (struct asim_range){from, seq})))
        return;
    for (size_t i = 0; i < sack->acked.n; i++)
        if (keep(worker, asim_ranges_cut(&sack->retransmit, sack->acked.at[i])))
            return;
}

/* The packet that the frame names beyond its seq has arrived. */
static void note_beyond(struct asim_worker *worker, struct asim_flow *flow,
                        const struct asim_frame *frame)
{
    const struct asim_fabric *fabric = worker->fabric;
    uint64_t seq = frame->seq + (uint64_t)(frame->dst - 1) * fabric->set.net->payload_bytes;
    struct asim_range packet = {seq, packet_end(fabric, flow, seq)};

    if (seq < flow->snd_una || !sack_of(worker, flow) ||
        keep(worker, asim_ranges_add(&flow->sack->acked, packet)))
        return;
    if (keep(worker, asim_ranges_cut(&flow->sack->retransmit, packet)))
        return;
    if (frame->type == ASIM_NACK)
        note_gap(worker, flow, seq);
}

/* With L2_BACK_TO_ZERO the acknowledged bytes are cut to whole chunks, because the receiver may
 * return to the start of its chunk. The end of the message counts as it is; ASTRA-sim cuts it too
 * and never finishes. */
static uint64_t acknowledged(const struct asim_fabric *fabric, const struct asim_flow *flow,
                             const struct asim_frame *frame)
{
    uint64_t chunk = fabric->set.net->l2_chunk_bytes;

    if (!fabric->set.net->l2_back_to_zero || !chunk || frame->seq >= flow->cc.size)
        return frame->seq;
    return frame->seq / chunk * chunk;
}

/* Called before congestion control, which then sees the new snd_una. Progress is counted in
 * acknowledged bytes. A NACK that acknowledges more bytes is progress too and resets the number of
 * timeouts. */
void asim_recovery_ack(struct asim_worker *worker, struct asim_flow *flow,
                       const struct asim_frame *frame, uint64_t t)
{
    const struct asim_fabric *fabric = worker->fabric;
    uint64_t seq = acknowledged(fabric, flow, frame);
    int selective = fabric->set.net->loss_recovery == ASIM_SELECTIVE_REPEAT;

    if (seq > flow->snd_una) {
        flow->snd_una = seq;
        flow->timeouts = 0;
        if (flow->sack) {
            keep(worker, asim_ranges_cut(&flow->sack->acked, (struct asim_range){0, seq}));
            keep(worker, asim_ranges_cut(&flow->sack->retransmit, (struct asim_range){0, seq}));
        }
    }
    /* After a go-back-N an ACK of packets sent earlier may pass snd_next. Bytes in flight would
     * then underflow, and the window would block the flow for ever (rdma-network.md#loss-recovery).
     */
    if (flow->cc.snd_next < flow->snd_una)
        flow->cc.snd_next = flow->snd_una;
    if (selective && frame->dst) {
        tell_memo(worker->fabric, flow);
        note_beyond(worker, flow, frame);
    } else if (frame->type == ASIM_NACK && !selective && flow->snd_una < flow->cc.size) {
        flow->cc.snd_next = flow->snd_una;
        flow->last_gbn = t;
        flow->had_loss = 1;
        tell_memo(worker->fabric, flow);
    }
}

/* Removes the packet from the list: it is sent once, and again only if it is lost again. The lowest
 * packet goes first, because the receiver waits for it. */
uint64_t asim_recovery_pop(struct asim_worker *worker, struct asim_flow *flow)
{
    uint64_t seq = flow->sack->retransmit.at[0].from;

    keep(worker, asim_ranges_cut(&flow->sack->retransmit,
                                 (struct asim_range){seq, packet_end(worker->fabric, flow, seq)}));
    return seq;
}

/* Whether the lost frame still matters: its bytes are not acknowledged and were not sent again
 * since. A lost ACK matters until a later ACK covers it. */
static int still_missing(const struct asim_fabric *fabric, const struct asim_flow *flow,
                         const struct asim_notification *note)
{
    if (note->type == ASIM_ACK ? note->at <= flow->snd_una : note->at < flow->snd_una)
        return 0;
    if (fabric->set.net->loss_recovery == ASIM_GO_BACK_N)
        return flow->last_gbn <= note->since;
    return note->type != ASIM_DATA || !flow->sack || !asim_ranges_has(&flow->sack->acked, note->at);
}

/* The rank gets no callback: its message stays open, and the stall report names it. The slot stays
 * as it is for the report; the flow sends no more frames. */
static void abort_flow(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow)
{
    flow->live = 0;
    flow->aborted = 1;
    if (fabric->set.qps && flow->snd_high < flow->cc.size)
        asim_connection_next(fabric, &host->nics[flow->nic], flow);
    asim_qplist_mark_finished(&host->nics[flow->nic].qps, flow->place);
    host->counts.aborted++;
    if (asim_msg_is_traffic(&asim_rx_at(host, flow->slot)->msg))
        asim_traffic_finished(fabric, host, flow);
}

/* Selective repeat sends one packet. Go-back-N starts again at snd_una; every packet from there to
 * the old end asks for an ACK, because the lost frame may have been one. */
static void retransmit(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow,
                       const struct asim_notification *note)
{
    if (fabric->set.net->loss_recovery == ASIM_GO_BACK_N) {
        flow->cc.snd_next = flow->snd_una;
        flow->last_gbn = host->now;
        flow->solicit_below = flow->snd_high;
        flow->had_loss = 1;
    } else {
        /* For a lost ACK any packet does that makes the receiver repeat it. */
        uint64_t seq = note->type == ASIM_DATA ? note->at : flow->snd_una;

        if (sack_of(host->worker, flow))
            keep(host->worker,
                 asim_ranges_add(&flow->sack->retransmit,
                                 (struct asim_range){seq, packet_end(fabric, flow, seq)}));
    }
    asim_qplist_mark_ready(&host->nics[flow->nic].qps, flow->place);
}

/* Earliest time of the next timeout. The distance doubles with each timeout, so a dead path is not
 * flooded. */
static uint64_t next_timeout(const struct asim_flow *flow, const struct asim_notification *note)
{
    uint32_t doublings = flow->timeouts < MAX_DOUBLINGS ? flow->timeouts : MAX_DOUBLINGS;

    return flow->timed_out + (note->rto << doublings);
}

/* A message is not given up while a link event is to come, nor for a loss from before the last one.
 * Losses from before the last timeout belong to it and do not count as further timeouts. */
int asim_recovery_lost(struct asim_fabric *fabric, struct asim_host *host,
                       const struct asim_notification *note)
{
    struct asim_flow *flow = asim_own_flow(host, note->slot);
    int is_new = note->since >= flow->timed_out, may_send = 0;

    if (flow->live && still_missing(fabric, flow, note)) {
        tell_memo(fabric, flow);
        if (is_new && flow->timeouts && next_timeout(flow, note) > host->now) {
            struct asim_notification later = *note;

            later.t = next_timeout(flow, note);
            later.tie = asim_tie_key(later.t - host->now, 0, ASIM_CLASS_TIMER);
            keep(host->worker, asim_notification_deliver(fabric, &later));
            return 0;
        }
        if (is_new) {
            flow->timed_out = host->now;
            flow->had_loss = 1;
            flow->timeouts++;
            host->counts.timeouts++;
        }
        may_send = flow->timeouts <= fabric->set.net->rto_retries ||
                   asim_fabric_events_next(fabric) != ASIM_NEVER ||
                   note->since < asim_fabric_events_last(fabric);
        if (may_send)
            retransmit(fabric, host, flow, note);
        else
            abort_flow(fabric, host, flow);
    }
    flow->tx_frames -= note->flags & ASIM_FINAL ? 2 : 1;
    return may_send;
}

void asim_recovery_fini(struct asim_flow *flow)
{
    if (flow->sack) {
        asim_ranges_fini(&flow->sack->acked);
        asim_ranges_fini(&flow->sack->retransmit);
        free(flow->sack);
    }
}
