/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of the packet network as a whole. The state of nodes is in host.h and switch.h: a
 * node's own functions change it, and the tails of its outgoing receive rings, and nothing else.
 */
#ifndef ASIM_FABRIC_NODE_H
#define ASIM_FABRIC_NODE_H

#include "base/heap.h"
#include "base/text.h"
#include "cc/cc.h"
#include "fabric/fabric.h"
#include "fabric/host/host.h"
#include "fabric/clock/livelock.h"
#include "fabric/clock/worker.h"
#include "fabric/link/loss.h"
#include "fabric/clock/workers_state.h"
#include "fabric/link/datagram.h"
#include "fabric/link/insertion.h"
#include "fabric/link/link.h"
#include "net/fast_path.h"
#include "net/net_events.h"
#include "fabric/switch/switch.h"

/* Set-up: constant once the network is open, but for `rto`. Times in ticks, sizes in bytes. */
struct asim_fabric_setup {
    const struct asim_topo *topo;
    struct asim_route *route; /* before any link event */
    const struct asim_netconf *net;
    const struct asim_net_events *planned; /* NULL: none */
    const struct asim_cc *cc;
    const struct asim_transport *transport;
    const struct asim_egress_scheduler *scheduler;
    struct asim_cc_config cc_config;
    struct asim_net_user user;
    int (*ranks_done)(void *self); /* of user.self; used with background traffic only */
    void (*held)(void *self, uint32_t rank, uint64_t by_ns); /* after a hold; may be NULL */
    uint64_t seed;
    uint32_t without;   /* fast paths turned off, enum asim_fast_path */
    uint64_t lookahead; /* the smallest link delay */
    uint32_t hosts, nodes;
    uint32_t data_overhead, ack_wire; /* with the telemetry of `cc` */
    uint32_t ack_queue;               /* whose pause stops a host's ACKs */
    uint32_t tick;                    /* ticks a ns: the network counts in ticks, its users in ns */
    int cc_idle;                      /* no ACK changes a rate */
    int cc_by_cnp;                    /* only an ACK with a CNP may change anything */
    uint32_t slow_acks;   /* flags of ACKs that may change a rate, or ASIM_EACH_ACK (host/fast/) */
    int several_queues;   /* beside queue 0 and the priority group (switch/queue.h) */
    uint32_t classes;     /* of traffic: 1, or ASIM_QUEUES (asim_fabric_use_classes) */
    int writes_telemetry; /* switches write into data packets as they leave */
    uint32_t qps;         /* of a connection; 0: one a message (host/connection.h) */
    uint64_t rto;         /* 0 = from the path */
    uint64_t max_rtt, max_bdp; /* of the worst pair, ns and bytes; with GLOBAL_T 1 only */
    uint8_t *half_of; /* [nodes] which half each node is in; NULL: there is one (half_steps.h) */
};

/* The run: what changes from window to window. */
struct asim_fabric_run {
    /* Earliest event of node v, except for worker->min_arrival: next[slot[v]]. block_min: the least
     * of each block of slots of hosts; 0: not known (next_event.c). */
    uint64_t *next, *block_min;
    uint32_t *slot; /* [nodes] */
    int per_event;
    int failed;                 /* first failure, enum asim_code; set between windows */
    struct asim_heap due_nodes; /* per-event mode: each value next[] ever had; stale ones stay */
    struct asim_err failure;    /* the sentence of `failed` */
    /* The caller writes these between windows, and workers read them. half: the half whose window
     * it is; shards_due: a sharded switch has work in it. */
    _Alignas(ASIM_LINE_BYTES) uint64_t until;       /* the window's end */
    int half, half_next_valid, shards_due, is_long; /* is_long: longer than set.lookahead */
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
    struct asim_wire_loss *losses;                /* [2 x links], NULL where nothing is ever lost */
    struct asim_fabric_events *events;            /* NULL where none is planned (events/) */
    struct asim_fabric_traffic *traffic;          /* NULL: no background traffic (host/traffic.h) */
    struct asim_datagrams *datagrams;             /* NULL: none (link/datagram.h) */
    struct asim_memo *memo;                       /* NULL: every frame is simulated (memo/memo.h) */
    const struct asim_memo_hooks *memo_hooks;     /* NULL likewise (host/memo_hooks.h) */
    const struct asim_window_hooks *window_hooks; /* NULL likewise (clock/hooks.h) */
    const struct asim_process_hooks *process_hooks;       /* NULL: one process */
    const struct asim_completion_hooks *completion_hooks; /* NULL: nobody wants to know of them */
    struct asim_insertion *insertion; /* NULL: tie keys order simultaneous events */
    struct asim_fabric_workers workers;
    struct asim_fabric_processes dist;
    struct asim_livelock livelock;
    struct asim_fabric_run run;
};

/* Whole ns, fractions cut: times that leave the fabric. */
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
/* The address of a host in hashes (link/hash.h). */
static inline uint32_t asim_fabric_ip(const struct asim_fabric *fabric, uint32_t host)
{
    return asim_host_ip(asim_topo_external_id(fabric->set.topo, host));
}

/* Whether node v lives in this process. */
static inline int asim_fabric_owns(const struct asim_fabric *fabric, uint32_t v)
{
    return !fabric->dist.process_of || fabric->dist.process_of[v] == fabric->dist.self;
}
/* The sender's and the receiver's side of a flow (host/flow.h), by the frame's source and slot. */
static inline struct asim_flow *asim_flow_of(const struct asim_fabric *fabric, uint32_t src,
                                             uint32_t slot)
{
    return asim_own_flow(&fabric->host[src], slot);
}
static inline struct asim_rx *asim_rx_of(const struct asim_fabric *fabric, uint32_t src,
                                         uint32_t slot)
{
    return asim_rx_at(&fabric->host[src], slot & 0xffffff);
}
/* Whether the destination is in this process and has begun the message: only then `next` is the
 * message's. */
static inline int asim_rx_has_begun(const struct asim_fabric *fabric, const struct asim_rx *rx)
{
    return rx->begun_generation == rx->generation && asim_fabric_owns(fabric, rx->dst);
}
/* The source of a flow is in the low bits of its name. */
static inline uint32_t asim_flow_source(const struct asim_flow *flow)
{
    return (uint32_t)flow->frame_word & ((1u << ASIM_NODE_BITS) - 1);
}
/* The receiver's side of a flow. */
static inline struct asim_rx *asim_rx_of_flow(const struct asim_fabric *fabric,
                                              const struct asim_flow *flow)
{
    return asim_rx_of(fabric, asim_flow_source(flow), flow->slot);
}
/* The queue that data of a traffic class takes. */
static inline uint32_t asim_class_queue(const struct asim_fabric *fabric, uint32_t traffic_class)
{
    return traffic_class ? traffic_class : fabric->set.net->priority_group;
}
/* The destination has counted frames of a flow (asim_rx_count), which the source's process must
 * learn. */
static inline void asim_flow_add_release(struct asim_worker *worker, uint32_t src, uint32_t slot)
{
    if (worker->fabric->dist.exchange)
        asim_flow_add_release_slow(worker, src, slot);
}

#endif
