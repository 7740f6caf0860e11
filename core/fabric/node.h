/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network as a whole, and the functions its files share. The state of nodes is in host.h
 * and switch.h; only a node's own functions change it, and the tails of its outgoing mailboxes.
 */
#ifndef ASIM_FABRIC_NODE_H
#define ASIM_FABRIC_NODE_H

#include "base/heap.h"
#include "cc/cc.h"
#include "fabric/fabric.h"
#include "fabric/link/hash.h"
#include "fabric/host/host.h"
#include "fabric/host/loss.h"
#include "fabric/switch/mmu.h"
#include "fabric/parallel/state.h"
#include "fabric/link/tie_key.h"
#include "fabric/link/port.h"
#include "net/fast_path.h"
#include "fabric/switch/switch.h"
#include "fabric/host/telemetry.h"

/* Set-up: constant once the network is open, but for `rto`. Times in ticks, sizes in bytes. */
struct asim_fabric_setup {
    const struct asim_topo *topo;
    struct asim_route *route; /* before any link event */
    const struct asim_netconf *net;
    const struct asim_cc *cc;
    struct asim_cc_config cc_config;
    struct asim_net_user user;
    uint64_t seed;
    uint32_t without;   /* fast paths turned off, enum asim_fast_path */
    uint64_t lookahead; /* the smallest link delay */
    uint32_t hosts, nodes;
    uint32_t data_overhead, ack_wire; /* with the telemetry of `cc` */
    uint32_t ack_queue;               /* whose pause stops a host's ACKs */
    uint32_t tick;                    /* ticks a ns: the network counts in ticks, its users in ns */
    int cc_idle;                      /* no ACK changes a rate */
    int writes_telemetry;             /* switches write into data packets as they leave */
    int keeps_out_of_order;           /* receivers keep packets that come beyond a gap */
    uint64_t rto;                     /* 0 = from the path */
    uint64_t max_rtt, max_bdp;        /* of the worst pair, ns and bytes; with GLOBAL_T 1 only */
    uint8_t *half_of; /* [nodes] which half each node is in; NULL: there is one (half_steps.h) */
};

/* The run: what changes from window to window. */
struct asim_fabric_run {
    /* Earliest event of node v, except for worker->min_arrival: next[slot[v]]. block_min: the least
     * of each block of slots of hosts; 0: not known (next_event.c). */
    uint64_t *next, *block_min;
    uint32_t *slot; /* [nodes] */
    int per_event;
    int failed;                 /* latched enum asim_code, between windows */
    struct asim_heap due_nodes; /* per-event mode: each value next[] ever had; stale ones stay */
    struct asim_err failure;    /* the sentence of `failed` */
    /* The caller writes these between windows, and workers read them. half: the half whose window
     * it is; shards_due: a sharded switch has work in it. */
    _Alignas(ASIM_LINE_BYTES) uint64_t until; /* the window's end */
    int half, half_next_valid, shards_due;
    /* Only the caller uses these. */
    _Alignas(ASIM_LINE_BYTES) uint64_t half_next[2]; /* earliest event of each half */
    uint64_t horizon[2];                             /* how far each half has advanced */
    uint64_t windows, committed; /* committed: the user knows of all before this time, ns */
};

struct asim_fabric {
    struct asim_fabric_setup set;
    /* The network. */
    struct asim_route *route;
    struct asim_fabric_watch watch;
    struct asim_wire *wires; /* [2 x links], those between other processes' nodes all 0 */
    void *wires_memory;      /* what to free: the wires begin at its first cache line */
    struct asim_host *host;
    struct asim_switch *sw;   /* of node v: sw[v - hosts] */
    struct asim_port **ports; /* all ports of node v in order: ports[first_port[v] + i] */
    struct asim_rate_table *rates;
    size_t n_rates, cap_rates;
    struct asim_wire_loss *losses;      /* [2 x links], NULL where nothing is ever lost */
    struct asim_linkstate *link_events; /* NULL where no link ever goes down */
    struct asim_memo *memo;             /* NULL: every frame is simulated (memo/memo.h) */
    const struct asim_memo_hooks *memo_hooks; /* NULL likewise (host/memo_hooks.h) */
    struct asim_fabric_workers workers;
    struct asim_fabric_processes dist;
    struct asim_fabric_run run;
};
/* ns-3's own seed of Hash32, which picks among the NICs of a host. */
#define ASIM_NIC_HASH_SEED 0x8badf00du

/* Whole ns, fractions cut: what the outside is told of a time in ticks. */
static inline uint64_t asim_to_ns(const struct asim_fabric *fabric, uint64_t ticks)
{
    return fabric->set.tick == 1 || ticks == ASIM_NEVER ? ticks : ticks / fabric->set.tick;
}
static inline uint64_t asim_to_ticks(const struct asim_fabric *fabric, uint64_t ns)
{
    return ns < ASIM_NEVER / fabric->set.tick ? ns * fabric->set.tick : ASIM_NEVER;
}
static inline uint64_t asim_fs_to_ticks(const struct asim_fabric *fabric, uint64_t fs)
{
    return fs / (ASIM_FS_PER_NS / fabric->set.tick);
}
/* As what hashes know a host (hash.h). */
static inline uint32_t asim_fabric_ip(const struct asim_fabric *fabric, uint32_t host)
{
    return asim_host_ip(asim_topo_external_id(fabric->set.topo, host));
}

/* Whether node v lives in this process. */
static inline int asim_fabric_owns(const struct asim_fabric *fabric, uint32_t v)
{
    return !fabric->dist.part_of || fabric->dist.part_of[v] == fabric->dist.self;
}
enum { ASIM_BLOCK = 32 };
static inline uint64_t *asim_next_of(const struct asim_fabric *fabric, uint32_t v)
{
    return &fabric->run.next[fabric->run.slot[v]];
}
/* Node `v` has something at t: lowers its next. */
void asim_fabric_at_slow(struct asim_fabric *fabric, uint32_t v, uint64_t t);
static inline void asim_fabric_at(struct asim_fabric *fabric, uint32_t v, uint64_t t)
{
    uint64_t *first = &fabric->run.half_next[fabric->set.half_of ? fabric->set.half_of[v] : 0];
    uint32_t at = fabric->run.slot[v];

    if (t >= fabric->run.next[at])
        return;
    fabric->run.next[at] = t;
    if (t < fabric->run.block_min[at / ASIM_BLOCK])
        fabric->run.block_min[at / ASIM_BLOCK] = t;
    if (fabric->run.half_next_valid && t < *first)
        *first = t;
    if (fabric->run.per_event)
        asim_fabric_at_slow(fabric, v, t);
}

/* --- flow.c ---------------------------------------------------------------------------------- */
static inline struct asim_flow *asim_flow_of(const struct asim_fabric *fabric, uint32_t src,
                                             uint32_t slot)
{
    return asim_own_flow(&fabric->host[src], slot);
}
static inline struct asim_rx *asim_rx_at(const struct asim_host *host, uint32_t slot)
{
    struct asim_rx **list;

    if (slot < ASIM_FLOW_CHUNK) /* made before any frame of it, and never moved */
        return &host->first_rx[slot];
    list = atomic_load_explicit(&host->rx, memory_order_acquire);
    return &list[slot / ASIM_FLOW_CHUNK][slot % ASIM_FLOW_CHUNK];
}
static inline struct asim_rx *asim_rx_of(const struct asim_fabric *fabric, uint32_t src,
                                         uint32_t slot)
{
    return asim_rx_at(&fabric->host[src], slot & 0xffffff);
}
/* Room for what others know of a slot. 0 or ASIM_ENOMEM. */
int asim_rx_reserve(struct asim_host *host, uint32_t slot);
/* The next source port towards dst; ASIM_NEVER when out of memory. */
uint64_t asim_flow_sport(struct asim_host *host, uint32_t dst);
/* The two together: the next port, and a slot. */
uint64_t asim_flow_create(struct asim_host *host, const struct asim_msg *msg);
/* Takes a slot for *msg; ASIM_NEVER when out of memory. */
uint64_t asim_flow_alloc(struct asim_host *host, const struct asim_msg *msg, uint16_t sport);
/* The queue pair is out of its NIC's list: the slot is free once nothing is under way. */
void asim_flow_release(struct asim_host *host, uint32_t slot);
/* Sets window, rate and NIC; the flow is then ready to be scheduled. */
void asim_flow_open(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot);
/* Recomputes flow->window after a change of rate. */
void asim_flow_rewindow(const struct asim_fabric *fabric, struct asim_flow *flow);
/* Index among n equal-cost NICs for a tuple (spec 2.1). */
uint32_t asim_flow_nic(struct asim_fabric *fabric, uint32_t host, uint32_t peer,
                       const uint16_t ports[2]);

/* --- host.c, qp.c, receiver.c ---------------------------------------------------------------- */
uint64_t asim_host_next(const struct asim_host *host);
/* Processes everything before `until`; returns what asim_host_next would. */
uint64_t asim_host_advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until);
/* A timer armed by the present event. 0 or ASIM_ENOMEM. */
int asim_host_timer(struct asim_host *host, uint64_t t, uint64_t value);
/* Sends if the port is idle and something may go (spec 2.3). */
void asim_nic_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   uint64_t t);
/* A new queue pair joins the round robin at its end. */
int asim_nic_add(struct asim_host *host, uint32_t nic, uint32_t slot);
/* A data frame reached its destination host. */
void asim_receiver_data(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame);
/* An ACK or NACK came back to the flow's source. */
void asim_sender_ack(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame);

/* --- pacing.c: what congestion control changed ----------------------------------------------- */
/* Gap after a frame of that size at that rate (spec 2.5). */
static inline uint64_t asim_pacing_gap(const struct asim_fabric *fabric, const struct asim_nic *nic,
                                       uint64_t bps, uint32_t wire)
{
    if (!fabric->set.net->rate_bound || bps == nic->rate_bps)
        return nic->port.out->tx[wire];
    return asim_tx_ticks(fabric, wire, bps);
}
/* Call after a hook of the flow's congestion control; old_bps is its rate before. */
void asim_pacing_changed(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot,
                         uint64_t old_bps);
/* The timer of a flow's congestion control is due. payload: as armed. */
void asim_pacing_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload);

/* --- pcie.c: a NIC that pauses its link now and then (spec 2.9) ------------------------------- */
void asim_pcie_pause(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic);
void asim_pcie_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload);
/* Whether a PFC frame stops its queue. parity: a PAUSE that states less than 1 us is a resume, as
 * the reference cuts it to whole us and holds the pause, however long it is, until a resume. */
static inline int asim_pause_holds(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    return frame->type == ASIM_PAUSE && fabric->set.net->pause_time_fs >= 1000000000u;
}

/* Puts a notice among the timers of its host; between steps, or for the host that runs. */
int asim_notification_deliver(struct asim_fabric *fabric, const struct asim_notification *note);

/* --- queue_watch.c: for the watcher of queues, which must be there ---------------------------- */
/* The bytes queued at port p have changed. */
void asim_queue_changed(const struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                        uint64_t t);
/* The end of a window; only where sw->samples is set. */
void asim_queue_flush_samples(const struct asim_fabric *fabric, struct asim_switch *sw);
/* Bytes in queue 0: PFC frames, and ACKs where they have priority. */
uint64_t asim_switch_control(const struct asim_switch_port *port);

/* --- switch.c, mmu.c -------------------------------------------------------------------------- */
/* ecmp.c: the port (1-based) a frame takes among n of equal cost, n > 1; 0 where it has not been
 * asked for lately. Forgets all ways, when routes change. */
uint32_t asim_ecmp_choose(const struct asim_fabric *fabric, struct asim_switch *sw,
                          const struct asim_frame *frame, const uint32_t *ports, uint32_t n);
uint32_t asim_ecmp_cached(const struct asim_fabric *fabric, struct asim_switch *sw,
                          const struct asim_frame *frame);
void asim_switch_forget_routes(struct asim_switch *sw);
uint64_t asim_switch_next(struct asim_switch *sw);
uint64_t asim_switch_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until);
/* The link of port p went down, at t: empties its queues. Came up again: nothing is left to do. */
void asim_switch_port_down(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t t);
/* Sets headroom, shares and ECN thresholds of every port from the configuration. */
void asim_mmu_init(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t nic_bps);

#endif
