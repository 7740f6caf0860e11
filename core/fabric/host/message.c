/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ends messages: as their source learns of the last ACK, as their destination is notified, and as
 * they are given up. Tells the rank, the memo, background traffic, and the observer of messages.
 */
#include "fabric/host/memo_hooks.h"
#include "fabric/host/qp.h"
#include "fabric/host/traffic.h"
#include "net/watch.h"
#include "net/traffic_id.h"

/* The row of a finished flow. Inline, because most messages are those of ranks. */
static inline void report(const struct asim_fabric *fabric, const struct asim_host *host,
                          const struct asim_flow *flow, uint64_t id, uint32_t generator)
{
    const struct asim_fabric_watch *watch = fabric->watch;

    if (watch->fct) {
        struct asim_fct row = {.start = asim_to_ns(fabric, flow->start),
                               .end = asim_to_ns(fabric, host->now),
                               .bytes = asim_rx_at(host, flow->slot)->msg.bytes,
                               .id = id,
                               .ideal = flow->ideal,
                               .src = host->node,
                               .dst = flow->dst,
                               .sport = flow->sport,
                               .generator = (uint16_t)generator};

        watch->fct(watch->self, &row);
    }
}

void asim_message_report_traffic(const struct asim_fabric *fabric, const struct asim_host *host,
                                 const struct asim_flow *flow, uint32_t generator)
{
    report(fabric, host, flow, 0, generator);
}

/* A scan that meets the finished queue pair returns the slot. */
void asim_message_sent(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow)
{
    const struct asim_msg *msg = &asim_rx_at(host, flow->slot)->msg;

    flow->live = 0;
    asim_qplist_mark_finished(&host->nics[flow->nic].qps, flow->place);
    host->counts.completed += flow->cc.size;
    host->worker->open--;
    if (asim_msg_is_traffic(msg)) {
        asim_traffic_finished(fabric, host, flow);
        return;
    }
    host->messages++;
    if (fabric->completion_hooks)
        fabric->completion_hooks->sent(fabric, host, flow);
    if (host->worker->silent)
        return;
    report(fabric, host, flow, msg->id, 0);
    fabric->set.user.sent(fabric->set.user.self, msg);
}

/* Passes the first notification of a message to the rank. A repeated final ACK brings another one,
 * which is ignored. */
void asim_message_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                          uint32_t slot)
{
    struct asim_rx *rx = asim_rx_of(fabric, src, slot);

    host->worker->waiting--;
    if (!rx->notified) {
        rx->notified = 1;
        if (fabric->completion_hooks)
            fabric->completion_hooks->arrived(fabric, host, src, slot);
        /* The message stands in the slot, which stays taken while the notification counts as a
         * frame. */
        if (!asim_msg_is_traffic(&rx->msg) && !host->worker->silent)
            fabric->set.user.arrived(fabric->set.user.self, &rx->msg);
    }
    asim_rx_count(rx, -1u);
    asim_flow_add_release(host->worker, src, slot);
}

void asim_message_lost(struct asim_fabric *fabric, const struct asim_flow *flow)
{
    if (fabric->memo_hooks)
        fabric->memo_hooks->lost(fabric, asim_flow_source(flow), flow->dst);
}

/* The rank gets no callback: its message stays open, and the stall report names it. The slot stays
 * as it is for the report; the flow sends no more frames. */
void asim_message_abort(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow)
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
