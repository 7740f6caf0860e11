/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network as the spine sees it: its row of the network table (net/net.h). Every call is
 * about a rank, which lives on the host of its number, and comes in that host's own time: from a
 * callback of it, or before the start. Times are the spine's ns here and the fabric's ticks below.
 *
 * Costs: a wake is one entry of the host's agenda; a message is a slot, and mostly no entry at all.
 */
#include "fabric/node.h"
#include "fabric/runs.h"

/* The rank's clock is in ns; between two of them it says the later. */
static uint64_t now_up(const struct asim_fabric *fabric, uint32_t rank)
{
    uint64_t now = fabric->host[rank].now;

    return fabric->tick == 1 ? now : (now + fabric->tick - 1) / fabric->tick;
}

static uint64_t packet_now(const struct asim_net *net, uint32_t rank)
{
    return now_up(((const struct asim_fabric *)net), rank);
}

/* Saturates one below ASIM_NEVER: an absurd delay is an event that comes last, not one that never
 * does. */
static int packet_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    struct asim_fabric *fabric = (struct asim_fabric *)net;
    struct asim_host *host = &fabric->host[rank];
    uint64_t now = now_up(fabric, rank), most = ASIM_NEVER - 1, t;

    if (fabric->tick != 1) /* a division is not for every wake */
        most /= fabric->tick;
    t = (delay_ns < most - now ? now + delay_ns : most) * fabric->tick;

    asim_fabric_at(fabric, rank, t);
    return asim_host_timer(host, t, (uint64_t)ASIM_TIMER_WAKE << 56);
}

/* 1 if the timer of a start is to stand beside the agenda, because it is the first of its time. */
static inline int starts_beside(struct asim_host *host, uint32_t slot)
{
    struct asim_start *start = &host->start;

    if (!start->takes || start->full || (host->timers.n && host->timers.at->t <= host->now))
        return 0;
    *start = (struct asim_start){.tie = asim_tie(0, asim_tie_age(host->tie), ASIM_CLASS_TIMER),
                                 .seq = host->timer_seq++,
                                 .slot = slot,
                                 .takes = 1,
                                 .full = 1};
    return 1;
}

/* Only books the flow; start_flow in host.c makes the queue pair. */
static int packet_send(struct asim_net *net, const struct asim_msg *msg)
{
    struct asim_fabric *fabric = (struct asim_fabric *)net;
    struct asim_host *host = &fabric->host[msg->src];
    uint64_t sport, slot;

    if (fabric->runs && host->now >= fabric->runs->ask_from)
        return asim_runs_send(fabric, host, msg);
    sport = asim_flow_sport(host, msg->dst);
    slot = sport == ASIM_NEVER ? ASIM_NEVER : asim_flow_take(host, msg, (uint16_t)sport);
    if (slot == ASIM_NEVER)
        return ASIM_ENOMEM;
    if (starts_beside(host, (uint32_t)slot))
        return 0;
    asim_fabric_at(fabric, msg->src, host->now);
    return asim_host_timer(host, host->now, (uint64_t)ASIM_TIMER_START << 56 | slot);
}

static int packet_run(struct asim_net *net, struct asim_err *err)
{
    return asim_fabric_run((struct asim_fabric *)net, err);
}

static void packet_close(struct asim_net *net)
{
    asim_fabric_close((struct asim_fabric *)net);
}

const struct asim_net_backend asim_packet_backend = {
    .member = {.name = "packet", .about = "RDMA over 802.1Qbb, frame by frame"},
    .traits = ASIM_NET_LATE_RECEIVE_NOW,
    .now = packet_now,
    .wake_after = packet_wake_after,
    .send = packet_send,
    .run = packet_run,
    .close = packet_close,
};
