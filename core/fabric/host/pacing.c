/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Between congestion control and the NIC: gaps between packets, the effect of a new rate on the
 * running gap, and the timers that an algorithm asks for (rdma-network.md#pacing).
 *
 * A NIC's wake-up and a flow's timer differ: the wake-up is the NIC's one "a frame may go now"; the
 * timer calls an algorithm's on_timer. A timer that was put off is not removed; it is recognised as
 * late when it fires.
 */
#include "fabric/host/qp.h"
#include "fabric/host/telemetry.h"
#include "net/watch.h"
#include "cc/cc.h"

/* "ChangeRate": the running gap becomes that of the new rate, and a wake-up planned for later comes
 * forward. */
static void retime(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow,
                   uint64_t old_bps)
{
    struct asim_nic *nic = &host->nics[flow->nic];
    uint64_t now = host->now;

    if (!flow->last_wire || flow->next_avail == ASIM_NEVER) /* held (hold.c) */
        return;
    flow->next_avail += asim_tx_ticks(fabric, flow->last_wire, flow->cc.rate_bps);
    flow->next_avail -= asim_tx_ticks(fabric, flow->last_wire, old_bps);
    if (nic->wake_at == ASIM_NEVER || flow->next_avail >= nic->wake_at)
        return;
    nic->wake_at = flow->next_avail > now ? flow->next_avail : now;
    nic->wake_tie = asim_timer_tie_key(host->tie, nic->wake_at - now);
    nic->wake_seq = asim_host_wake_seq(host, nic);
}

static void arm_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot,
                      struct asim_flow *flow)
{
    uint64_t payload = (uint64_t)flow->generation << 24 | slot, due;

    if (flow->cc.timer_at == ASIM_NEVER || flow->cc.timer_at == flow->timer_armed)
        return;
    flow->timer_armed = flow->cc.timer_at;
    due = asim_to_ticks(fabric, flow->cc.timer_at);
    if (asim_host_timer(host, due > host->now ? due : host->now,
                        (uint64_t)ASIM_TIMER_CC << 56 | payload))
        host->worker->failed = ASIM_ENOMEM;
}

static void report_rate(const struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_flow *flow)
{
    struct asim_fct row = {.start = asim_to_ns(fabric, flow->start),
                           .bytes = asim_rx_at(host, flow->slot)->msg.bytes,
                           .src = host->node,
                           .dst = flow->dst,
                           .sport = flow->sport};

    host->counts.rates_reported++;
    fabric->watch->rate(fabric->watch->self, asim_to_ns(fabric, host->now), &row,
                        flow->cc.rate_bps);
}

void asim_pacing_changed(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot,
                         uint64_t old_bps)
{
    struct asim_flow *flow = asim_own_flow(host, slot);

    if (flow->cc.rate_bps != old_bps && fabric->watch->rate)
        report_rate(fabric, host, flow);
    if (flow->cc.rate_bps != old_bps && fabric->set.cc->retimes)
        retime(fabric, host, flow, old_bps);
    if (flow->cc.rate_bps != old_bps || fabric->set.cc->own_window) {
        struct asim_nic *nic = &host->nics[flow->nic];

        if (flow->window) /* else it waits for another message */
            asim_flow_rewindow(fabric, flow);
        asim_qplist_mark_ready(&nic->qps, flow->place);
        /* There may be room in the window now, so the end of the frame must be an event. */
        asim_nic_is_busy(host, nic);
    }
    arm_timer(fabric, host, slot, flow);
}

void asim_pacing_ack(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow,
                     const struct asim_frame *frame)
{
    struct asim_cc_ack ack = {.now = asim_to_ns(fabric, host->now),
                              .seq = frame->seq,
                              .age = asim_to_ns(fabric, asim_tie_key_age(host->tie)),
                              .marked = frame->flags & ASIM_CNP};
    uint64_t old_bps = flow->cc.rate_bps;

    if (fabric->set.has_records)
        ack.seen = asim_telemetry_by(fabric, asim_rx_of(fabric, host->node, frame->slot), frame);
    fabric->set.cc->on_ack(&flow->cc, &ack, fabric->set.cc_config);
    asim_pacing_changed(fabric, host, frame->slot & 0xffffff, old_bps);
}

void asim_pacing_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload)
{
    uint32_t slot = payload & 0xffffff;
    struct asim_flow *flow = asim_own_flow(host, slot);
    uint64_t old_bps = flow->cc.rate_bps;

    if (!flow->live || flow->generation != payload >> 24 ||
        flow->cc.timer_at != asim_to_ns(fabric, host->now))
        return; /* the message has ended, or the timer was put off */
    flow->timer_armed = ASIM_NEVER;
    fabric->set.cc->on_timer(&flow->cc, asim_to_ns(fabric, host->now), fabric->set.cc_config);
    asim_pacing_changed(fabric, host, slot, old_bps);
}
