/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ground on which nodes stand: set-up, routes, wires, what observers and rooms above want to
 * hear. Hosts (host/host.h) and switches (switch/switch.h) have their state to themselves: a node's
 * own functions change it, and the tails of its outgoing receive rings, and nothing else. What
 * advances the nodes is around this struct (clock/engine.h).
 */
#ifndef ASIM_FABRIC_GROUND_GROUND_H
#define ASIM_FABRIC_GROUND_GROUND_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/msg.h"
#include "base/mem.h"

struct asim_cc;
struct asim_cc_config;
struct asim_completion_hooks;
struct asim_datagrams;
struct asim_egress_scheduler;
struct asim_fabric_events;
struct asim_fabric_traffic;
struct asim_fabric_watch;
struct asim_frame_hooks;
struct asim_heap;
struct asim_host;
struct asim_insertion;
struct asim_memo;
struct asim_memo_hooks;
struct asim_net_events;
struct asim_netconf;
struct asim_port;
struct asim_process_hooks;
struct asim_rate_table;
struct asim_route;
struct asim_switch;
struct asim_topo;
struct asim_transport;
struct asim_window_hooks;
struct asim_wire;
struct asim_worker;
struct asim_wire_loss;

/* Set-up: constant once the network is open, but for `rto`. Times in ticks, sizes in bytes. */
struct asim_fabric_setup {
    const struct asim_topo *topo;
    struct asim_route *route; /* before any link event */
    const struct asim_netconf *net;
    const struct asim_net_events *planned; /* NULL: none */
    const struct asim_cc *cc;
    const struct asim_transport *transport;
    const struct asim_egress_scheduler *scheduler;
    const struct asim_cc_config *cc_config;
    struct asim_net_user user;
    int (*ranks_done)(void *self); /* of user.self; used with background traffic only */
    void (*held)(void *self, uint32_t rank, uint64_t by_ns); /* after a hold; may be NULL */
    uint64_t seed;
    uint32_t without;                    /* fast paths turned off, enum asim_way */
    uint64_t lookahead;                  /* the smallest link delay */
    uint32_t hosts, nodes, links, ports; /* numbers of them; ports: of all nodes */
    uint32_t data_overhead, ack_wire;    /* with the telemetry of `cc` */
    uint32_t ack_queue;                  /* whose pause stops a host's ACKs */
    uint32_t tick; /* ticks a ns: the network counts in ticks, its users in ns */
    uint32_t fs_per_tick;
    int cc_idle;          /* no ACK changes a rate */
    uint32_t slow_acks;   /* flags of ACKs that may change a rate, or ASIM_EACH_ACK (host/fast/) */
    uint32_t data_queue;  /* of data of traffic class 0 */
    int solicits;         /* the transport's, copied because each retransmission needs it */
    int has_records;      /* the needs of `cc` are not 0 */
    int pauses_hold;      /* PAUSE_TIME is long enough (link/link.h) */
    int several_queues;   /* beside queue 0 and the priority group (switch/queue.h) */
    int acks_first;       /* ACKs take queue 0 of switches */
    uint32_t classes;     /* of traffic: 1, or ASIM_QUEUES (asim_fabric_use_classes) */
    int writes_telemetry; /* switches write into data packets as they leave */
    uint32_t qps;         /* of a connection; 0: one a message (host/connection.c) */
    uint64_t rto;         /* 0 = from the path */
    uint64_t max_rtt, max_bdp; /* of the worst pair, ns and bytes; with GLOBAL_T 1 only */
    uint8_t *half_of; /* [nodes] the half of each node (clock/half_steps.h); NULL: there is one */
    const uint32_t *process_of; /* [nodes] the process of each node; NULL: one process */
    uint32_t process;           /* this one */
    uint32_t threads;
};

/* When each node has its next event (link/schedule.h). */
struct asim_fabric_schedule {
    /* Earliest event of node v, except for worker->min_arrival: next[slot[v]]. block_min: the least
     * of each block of slots of hosts; 0: not known (clock/next_event.c). */
    uint64_t *next, *block_min;
    uint32_t *slot; /* [nodes] */
    int per_event;
    struct asim_heap *due_nodes; /* per-event mode: each value next[] ever had; stale ones stay */
    /* The caller writes these between windows: the earliest event of each half. */
    _Alignas(ASIM_LINE_BYTES) int half_next_valid;
    uint64_t half_next[2];
};

struct asim_fabric {
    struct asim_fabric_setup set;
    uint32_t features, ways; /* enum asim_feature; those open to it (clock/ways.h) */
    /* The network. */
    struct asim_route *route;
    struct asim_fabric_watch *watch; /* what observers want to hear (net/watch.h) */
    struct asim_wire *wires;         /* [2 x links], those between other processes' nodes all 0 */
    void *wires_memory;              /* what to free: the wires begin at its first cache line */
    struct asim_host *host;
    struct asim_switch *sw;     /* of node v: sw[v - hosts] */
    struct asim_port **ports;   /* all ports of node v in order: ports[first_port[v] + i] */
    const uint32_t *first_port; /* [nodes + 1] the topology's */
    struct asim_rate_table *rates;
    size_t n_rates, cap_rates;
    struct asim_wire_loss *losses;       /* [2 x links], NULL where nothing is ever lost */
    struct asim_fabric_events *events;   /* NULL where none is planned (events/events.h) */
    uint64_t event_last, event_next;     /* ticks; 0: none was applied; ASIM_NEVER: none is left */
    struct asim_fabric_traffic *traffic; /* NULL: no background traffic (host/traffic.h) */
    struct asim_datagrams *datagrams;    /* NULL: none (link/datagram.h) */
    struct asim_insertion *insertion;    /* NULL: tie keys order simultaneous events */
    uint64_t listed_until;               /* ticks: when `insertion` ended; 0: it has not */
    /* What rooms above want to hear. */
    const struct asim_frame_hooks *frame_hooks;           /* hosts (link/link.h) */
    const struct asim_completion_hooks *completion_hooks; /* NULL: nobody (host/memo_hooks.h) */
    const struct asim_memo_hooks *memo_hooks;             /* NULL: nobody (host/memo_hooks.h) */
    const struct asim_window_hooks *window_hooks;         /* NULL: nobody (clock/hooks.h) */
    const struct asim_process_hooks *process_hooks;       /* NULL: one process (clock/hooks.h) */
    struct asim_memo *memo;     /* of these hooks; NULL: every frame is simulated */
    uint64_t memo_from;         /* it hears of sends from then on; ASIM_NEVER without one */
    struct asim_worker *caller; /* the worker of the thread that asks for steps */
    int failed;                 /* first failure, enum asim_code; set between windows */
    struct asim_err failure;    /* the sentence of `failed` */
    struct asim_fabric_schedule schedule;
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
    return fs / fabric->set.fs_per_tick;
}

/* Whether node v lives in this process. */
static inline int asim_fabric_owns(const struct asim_fabric *fabric, uint32_t v)
{
    return !fabric->set.process_of || fabric->set.process_of[v] == fabric->set.process;
}

/* The queue that data of a traffic class takes. */
static inline uint32_t asim_class_queue(const struct asim_fabric *fabric, uint32_t traffic_class)
{
    return traffic_class ? traffic_class : fabric->set.data_queue;
}

#endif
