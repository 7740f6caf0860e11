/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sender's answer to losses (rdma-network.md#loss-recovery), as far as all transports have it
 * in common; transport/ has the rest.
 *
 * NACKs cannot repair a lost tail, a lost ACK or a retransmission that is lost again; ASTRA-sim
 * hangs there. A timeout of the lost packet repairs them. Timeouts without progress double their
 * distance; after RTO_RETRIES of them the message is aborted, and the stall report names it.
 */
#include "conf/netconf_keys.h"
#include "fabric/host/recovery.h"
#include "fabric/host/completion.h"
#include "fabric/host/transport/transport.h"
#include "fabric/host/host.h"
#include "fabric/link/notification.h"

#include <stdlib.h>

enum { MAX_DOUBLINGS = 6 };

void asim_recovery_open(struct asim_fabric *fabric)
{
    size_t i = 0;

    do
        fabric->set.transport = (const struct asim_transport *)asim_transport_table[i++];
    while (fabric->set.transport->kind != fabric->set.net->loss_recovery);
    fabric->set.solicits = fabric->set.transport->solicits;
}

/* Latches a failure of a list. */
static int keep(struct asim_worker *worker, int code)
{
    if (code)
        worker->failed = ASIM_ENOMEM;
    return code;
}

struct asim_range asim_recovery_packet(const struct asim_fabric *fabric,
                                       const struct asim_flow *flow, uint64_t seq)
{
    uint64_t end = seq + fabric->set.net->payload_bytes;

    return (struct asim_range){seq, end < flow->cc.size ? end : flow->cc.size};
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
void asim_recovery_ack(struct asim_host *host, struct asim_flow *flow,
                       const struct asim_frame *frame)
{
    struct asim_fabric *fabric = host->worker->fabric;
    uint64_t seq = acknowledged(fabric, flow, frame);

    if (seq > flow->snd_una) {
        flow->snd_una = seq;
        flow->timeouts = 0;
        if (flow->sack) {
            keep(host->worker, asim_ranges_cut(&flow->sack->acked, (struct asim_range){0, seq}));
            keep(host->worker,
                 asim_ranges_cut(&flow->sack->retransmit, (struct asim_range){0, seq}));
        }
    }
    /* After a go-back-N an ACK of packets sent earlier may pass snd_next. Bytes in flight would
     * then underflow, and the window would block the flow for ever. ASTRA-sim has this dead-lock.
     */
    if (flow->cc.snd_next < flow->snd_una)
        flow->cc.snd_next = flow->snd_una;
    if (frame->dst && fabric->set.transport->answered(host, flow, frame))
        asim_message_lost(fabric, flow);
}

/* Removes the packet from the list: it is sent once, and again only if it is lost again. The lowest
 * packet goes first, because the receiver waits for it. */
uint64_t asim_recovery_pop(struct asim_worker *worker, struct asim_flow *flow)
{
    uint64_t seq = flow->sack->retransmit.at[0].from;

    keep(worker,
         asim_ranges_cut(&flow->sack->retransmit, asim_recovery_packet(worker->fabric, flow, seq)));
    return seq;
}

/* Whether the lost frame still matters. A lost ACK matters until a later ACK covers it. */
static int still_missing(const struct asim_fabric *fabric, const struct asim_flow *flow,
                         const struct asim_notification *note)
{
    if (note->type == ASIM_ACK ? note->at <= flow->snd_una : note->at < flow->snd_una)
        return 0;
    return fabric->set.transport->is_missing(flow, note);
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
        asim_message_lost(fabric, flow);
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
                   fabric->event_next != ASIM_NEVER || note->since < fabric->event_last;
        if (may_send) {
            fabric->set.transport->repeat(host, flow, note);
            asim_qplist_mark_ready(&host->nics[flow->nic].qps, flow->place);
        } else {
            asim_message_abort(fabric, host, flow);
        }
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

void asim_recovery_gap(struct asim_fabric *fabric, struct asim_host *host,
                       const struct asim_frame *frame, struct asim_rx *rx)
{
    fabric->set.transport->gap(fabric, host, frame, rx);
}
