/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network as a backend of the spine: its row of the network table (net/net.h). Every
 * call names a rank, which lives on the host of the same number, and comes in that host's own time:
 * from one of its callbacks, or before the start. The spine counts in ns, the fabric in ticks.
 *
 * Costs: a wake is one entry of the host's event heap; a message is a slot, and mostly no entry.
 */
#include "fabric/observe/frame_headers.h"
#include "fabric/observe/link_diagnostics.h"
#include "fabric/processes/exchange.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/memo/region/use.h"
#include "fabric/host/traffic.h"
#include "fabric/link/schedule.h"
#include "fabric/clock/step.h"
#include "fabric/clock/livelock.h"
#include "fabric/fabric.h"
#include "fabric/host/host.h"
#include "fabric/observe/observe.h"
#include "net/net.h"

/* Rounds up to whole ns. */
static uint64_t now_up(const struct asim_fabric *fabric, uint32_t rank)
{
    uint64_t now = fabric->host[rank].now;

    return fabric->set.tick == 1 ? now : (now + fabric->set.tick - 1) / fabric->set.tick;
}

static uint64_t packet_now(const struct asim_net *net, uint32_t rank)
{
    return now_up(((const struct asim_fabric *)net), rank);
}

/* The host counts in ticks: its clock is the rank's only where a tick is a ns. */
static const uint64_t *packet_clock(const struct asim_net *net, uint32_t rank)
{
    const struct asim_fabric *fabric = (const struct asim_fabric *)net;

    return fabric->set.tick == 1 ? &fabric->host[rank].now : NULL;
}

/* The time in delay_ns, in ticks. Saturates one below ASIM_NEVER, so that even the event of an
 * absurd delay happens. */
static uint64_t saturated(const struct asim_fabric *fabric, uint32_t rank, uint64_t delay_ns)
{
    uint64_t now = now_up(fabric, rank), most = (ASIM_NEVER - 1) / fabric->set.tick;

    return (delay_ns < most - now ? now + delay_ns : most) * fabric->set.tick;
}

/* asim_host_timer inline: mostly the heap holds one wake of the rank. */
static int packet_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    struct asim_fabric *fabric = (struct asim_fabric *)net;
    struct asim_host *host = &fabric->host[rank];
    uint64_t t = host->now + delay_ns;
    uint64_t tie;

    if (fabric->set.tick != 1 || t < delay_ns || t == ASIM_NEVER)
        t = saturated(fabric, rank, delay_ns);
    tie = asim_timer_tie_key(host->tie, t - host->now);
    asim_node_schedule(fabric, rank, t);
    return asim_event_heap_push(&host->timers,
                                asim_host_entry(host, t, tie, (uint64_t)ASIM_TIMER_WAKE << 56));
}

/* 1 if the start waits in host->start instead of the heap, because it is the first of its time. */
static inline int fill_inline_start(struct asim_host *host, uint32_t slot)
{
    struct asim_inline_start *start = &host->start;

    if (*host->insertion || !start->is_open || start->is_filled ||
        (host->timers.n && host->timers.at->t <= host->now))
        return 0;
    start->tie = asim_timer_tie_key(host->tie, 0);
    start->seq = host->timer_seq++;
    start->slot = slot;
    start->is_filled = 1;
    return 1;
}

/* Creates the flow; start_flow in host/advance.c makes the queue pair. ASIM_EINVAL: a traffic class
 * that the network does not use. */
static int packet_send(struct asim_net *net, const struct asim_msg *msg)
{
    struct asim_fabric *fabric = (struct asim_fabric *)net;
    struct asim_host *host = &fabric->host[msg->src];
    uint64_t slot;
    int code;

    if (msg->traffic_class >= fabric->set.classes)
        return ASIM_EINVAL;
    if (host->now >= fabric->memo_from &&
        (code = fabric->memo_hooks->inject(fabric, host, msg)) <= 0)
        return code;
    slot = asim_flow_create(host, msg);
    if (slot == ASIM_NEVER)
        return ASIM_ENOMEM;
    if (fill_inline_start(host, (uint32_t)slot))
        return 0;
    asim_node_schedule(fabric, msg->src, host->now);
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

static const struct asim_packet_network network = {
    .open = asim_fabric_open,
    .diagnose = asim_fabric_diagnostics,
    .diagnose_end = asim_links_diagnose_end,
    .hooks = asim_fabric_watcher,
    .watch_queues = asim_fabric_watch_queues,
    .watch_frames = asim_fabric_watch_frames,
    .decode_headers = asim_fabric_decode_headers,
    .queued = asim_fabric_queued,
    .use_memo = asim_fabric_use_memo,
    .use_classes = asim_fabric_use_classes,
    .memo_use = asim_memo_get_use,
    .is_quiet = asim_fabric_is_quiet,
    .stats = asim_fabric_stats,
    .link_use = asim_fabric_link_use,
    .host_use = asim_fabric_host_use,
    .traffic_use = asim_fabric_traffic_use,
    .path = asim_fabric_path,
    .audit = asim_fabric_audit,
    .unfinished = asim_fabric_unfinished,
    .no_progress = asim_fabric_no_progress,
    .pause_waits = asim_fabric_pause_waits,
    .use_threads = asim_fabric_threads,
    .worker_of = asim_fabric_worker_of,
    .join = asim_exchange_open,
    .common_lookahead = asim_exchange_lookahead,
    .pack = asim_exchange_pack,
    .unpack = asim_exchange_unpack,
};

static const struct asim_net_extras extras = {.packets = &network};

const struct asim_net_backend asim_packet_backend = {
    .member = {.name = "packet", .about = "RDMA over 802.1Qbb, frame by frame"},
    .traits = ASIM_NET_LATE_RECEIVE_NOW | ASIM_NET_PACKETS,
    .now = packet_now,
    .clock = packet_clock,
    .wake_after = packet_wake_after,
    .send = packet_send,
    .run = packet_run,
    .close = packet_close,
    .extras = &extras,
};
