/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of the packet network, laid out by what is touched together: on top of wires and
 * ports (port.h) a host has queue pairs and timers, a switch queues and the shared buffer. Only a
 * node's own functions change it; the one thing they touch elsewhere is the tail of an outgoing
 * wire's mailbox.
 */
#ifndef ASIM_FABRIC_NODE_H
#define ASIM_FABRIC_NODE_H

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "cc/cc.h"
#include "fabric/agenda.h"
#include "fabric/fabric.h"
#include "fabric/flow.h"
#include "fabric/loss.h"
#include "fabric/order.h"
#include "fabric/port.h"
#include "fabric/switch.h"

struct asim_nic {
    struct asim_port port;
    /* Strictly before data (spec 2.3), unbounded as in the reference. */
    struct asim_ring acks;
    uint32_t *qps; /* slots in the order of creation, finished ones until a scan meets them */
    size_t n_qps, cap_qps;
    /* Position in qps last served; the scan begins behind it. */
    uint32_t rr_last;
    uint64_t wake_tie, wake_seq;
    uint64_t wake_at; /* pending "next send"; ASIM_NEVER = none */
};

/* What one host will hear at time t of something that happened elsewhere: that msg is complete
 * (the destination), or that a frame of it was lost at `since` (the source, RTO later). */
struct asim_notice {
    uint64_t t, tie, seq;
    struct asim_msg msg;
    uint64_t since, at, rto; /* lost: when; its sequence number; the timeout */
    uint32_t slot;
    uint8_t lost, type, flags; /* type, flags: of the lost frame */
};

struct asim_host {
    /* Local time, ns, of the event being processed; messages completed as their source. */
    uint64_t now, messages;
    struct asim_host_counts counts;
    struct asim_nic *nics;
    uint32_t n_nics, node;
    struct asim_agenda timers; /* value = kind << 56 | payload */
    uint64_t timer_seq;
    uint64_t seq, age;         /* events so far; age of the present one (order.h) */
    struct asim_flow **chunks; /* flow of slot s: chunks[s / 16][s % 16] */
    size_t n_chunks, cap_chunks;
    ASIM_VEC(uint32_t) free_slots;
    uint32_t pcie_pauses; /* made, and whether one is running (pcie.c) */
    uint8_t pcie_busy;
    ASIM_VEC(uint32_t) lingering; /* finished, with frames still under way */
    struct asim_map sports;       /* destination -> messages sent so far */
    struct asim_notice *notices;  /* waiting in timers, by index */
    size_t n_notices, cap_notices;
    ASIM_VEC(uint32_t) free_notices;
};

enum asim_timer {
    ASIM_TIMER_WAKE = 1,
    ASIM_TIMER_START,
    ASIM_TIMER_NOTICE,
    ASIM_TIMER_CC,
    ASIM_TIMER_PCIE
};

struct asim_fabric {
    const struct asim_topo *topo;
    struct asim_route *route;
    const struct asim_netconf *net;
    const struct asim_cc *cc;
    struct asim_net_user user;
    struct asim_fabric_watch watch;
    /* window: smallest link delay; settled: everything before it has been told to the user. */
    uint64_t seed, window, settled;
    int per_event;
    uint32_t data_overhead, ack_wire; /* bytes, with the telemetry of `cc` */
    int failed;                       /* latched enum asim_code */
    /* Its sentence, where it is another than "out of memory". */
    struct asim_err failure;
    uint32_t hosts, nodes;
    struct asim_wire *wires; /* [2 x links] */
    struct asim_host *host;
    struct asim_switch *sw;   /* of node v: sw[v - hosts] */
    struct asim_port **ports; /* all ports of node v in order: ports[first_port[v] + i] */
    uint64_t *next;           /* [nodes] earliest event of each node */
    struct asim_heap
        agenda; /* W = 0 only: (time, node) that were once in next[]; stale ones stay */
    struct asim_rate_table *rates;
    size_t n_rates, cap_rates;
    /* Of the worst pair, ns and bytes; filled with GLOBAL_T 1 only. */
    uint64_t max_rtt, max_bdp;
    ASIM_VEC(struct asim_notice) outbox; /* notices made in this window */
    struct asim_wire_loss *losses;       /* [2 x links], NULL where nothing is ever lost */
    struct asim_linkstate *links;        /* NULL where no link ever goes down */
    uint64_t rto;                        /* ticks; 0 = from the path */
    uint32_t tick;   /* ticks a ns: all times in here are in ticks, all that leave it in ns */
    int keeps_ahead; /* receivers keep packets that come beyond a gap */
    uint64_t windows;
};

/* ns-3's own seed of Hash32, which picks among the NICs of a host. */
#define ASIM_NIC_HASH_SEED 0x8badf00du

/* Whole ns, fractions cut: what the outside is told of a time in ticks. */
static inline uint64_t asim_to_ns(const struct asim_fabric *fabric, uint64_t ticks)
{
    return fabric->tick == 1 || ticks == ASIM_NEVER ? ticks : ticks / fabric->tick;
}
static inline uint64_t asim_to_ticks(const struct asim_fabric *fabric, uint64_t ns)
{
    return ns < ASIM_NEVER / fabric->tick ? ns * fabric->tick : ASIM_NEVER;
}

/* --- hash.c --------------------------------------------------------------------------------- */
/* MurmurHash3 x86 32 over n words: the reference's ECMP and NIC choice (spec 2.1, 4.3). */
uint32_t asim_murmur3(const uint32_t *words, size_t n, uint32_t seed);
static inline uint32_t asim_fabric_ip(const struct asim_fabric *fabric, uint32_t host)
{
    return asim_host_ip(asim_topo_shown(fabric->topo, host));
}
/* Uniform in [0, 1) from what is drawn for: a counter-based generator (splitmix64 rounds). */
double asim_draw(uint64_t seed, uint64_t a, uint64_t b);

/* Node `v` has something at t: lowers next[v]. */
void asim_fabric_at_slow(struct asim_fabric *fabric, uint32_t v, uint64_t t);
static inline void asim_fabric_at(struct asim_fabric *fabric, uint32_t v, uint64_t t)
{
    if (t >= fabric->next[v])
        return;
    fabric->next[v] = t;
    if (fabric->per_event)
        asim_fabric_at_slow(fabric, v, t);
}

/* --- flow.c ---------------------------------------------------------------------------------- */
static inline struct asim_flow *asim_flow_of(const struct asim_fabric *fabric, uint32_t src,
                                             uint32_t slot)
{
    slot &= 0xffffff;
    return &fabric->host[src].chunks[slot / ASIM_FLOW_CHUNK][slot % ASIM_FLOW_CHUNK];
}
/* Takes a slot for *msg; ASIM_NEVER when out of memory. */
uint64_t asim_flow_take(struct asim_host *host, const struct asim_msg *msg);
/* The queue pair is out of its NIC's list: the slot is free once nothing is under way. */
void asim_flow_release(struct asim_host *host, uint32_t slot);
/* Sets window, rate and NIC; the flow is then ready to be scheduled. */
void asim_flow_open(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow);
/* Completion time on idle links, as fct.txt states it (spec 5.5). */
uint64_t asim_flow_ideal(const struct asim_fabric *fabric, const struct asim_flow *flow);
/* Recomputes flow->window after a change of rate. */
void asim_flow_rewindow(const struct asim_fabric *fabric, struct asim_flow *flow);
/* Index among n equal-cost NICs for a tuple (spec 2.1). */
uint32_t asim_flow_nic(struct asim_fabric *fabric, uint32_t host, uint32_t peer,
                       const uint16_t ports[2]);

/* --- host.c, qp.c, receiver.c ---------------------------------------------------------------- */
uint64_t asim_host_next(const struct asim_host *host);
/* Processes everything before `until`; returns what asim_host_next would. */
uint64_t asim_host_advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until);
static inline struct asim_moment asim_host_moment(const struct asim_host *host)
{
    return (struct asim_moment){host->now, host->age, host->seq};
}
/* A timer armed by the present event. 0 or ASIM_ENOMEM. */
int asim_host_timer(struct asim_host *host, uint64_t t, uint64_t value);
/* Sends if the port is idle and something may go (spec 2.3). */
void asim_nic_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   uint64_t t);
/* All bytes acknowledged, or given up; snd_next may still be behind after a go-back-N. */
static inline int asim_flow_is_over(const struct asim_flow *flow)
{
    return flow->snd_una >= flow->cc.size || flow->gave_up;
}
/* A new queue pair joins the round robin at its end. */
int asim_nic_add(struct asim_nic *nic, uint32_t slot);
/* A data frame reached its destination host. */
void asim_receiver_data(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame, uint64_t t);
/* An ACK or NACK came back to the flow's source. */
void asim_sender_ack(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_frame *frame, uint64_t t);

/* --- telemetry.c: INT, timestamps, PINT (spec 1.3, 3.3-3.5) ---------------------------------- */
/* Frame sizes for the congestion control chosen. */
void asim_telemetry_sizes(struct asim_fabric *fabric);
/* Record of the packet around byte seq, as this frame (or the one it answers) was sent; NULL if it
 * was sent again since, or is known to have arrived. Only where cc->needs is not 0. */
struct asim_telemetry *asim_telemetry_of(const struct asim_fabric *fabric,
                                         const struct asim_flow *flow,
                                         const struct asim_frame *frame, uint64_t seq);
/* A packet leaves its sender: an empty record, stamped, and frame->tries. 0 or ASIM_ENOMEM. */
int asim_telemetry_begin(struct asim_fabric *fabric, struct asim_flow *flow,
                         struct asim_frame *frame, uint64_t now);
/* A data frame leaves switch port p; call before asim_port_start. */
void asim_telemetry_stamp(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                          const struct asim_frame *frame, uint64_t now);

/* --- pacing.c: what congestion control changed ----------------------------------------------- */
/* Gap after a frame of that size at that rate (spec 2.5). */
uint64_t asim_pacing_gap(const struct asim_fabric *fabric, const struct asim_nic *nic, uint64_t bps,
                         uint32_t wire);
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
    return frame->type == ASIM_PAUSE && fabric->net->pause_time_fs >= 1000000000u;
}

/* --- window.c -------------------------------------------------------------------------------- */
/* Puts a notice among the timers of its host; between steps, or for the host that runs. */
int asim_notice_deliver(struct asim_fabric *fabric, const struct asim_notice *note);

/* --- switch.c, mmu.c -------------------------------------------------------------------------- */
uint64_t asim_switch_next(const struct asim_switch *sw);
uint64_t asim_switch_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until);
/* The link of port p went down, at t: empties its queues. Came up again: nothing is left to do. */
void asim_switch_port_down(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t t);
/* Sets headroom, shares and ECN thresholds of every port from the configuration. */
void asim_mmu_init(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t nic_bps);
/* 1 if the frame of that size may enter from ingress port p. */
int asim_mmu_admits(const struct asim_switch *sw, uint32_t p, uint32_t q, uint32_t bytes);
/* in_out_q: ingress port, egress port, queue. */
void asim_mmu_enter(struct asim_switch *sw, const uint32_t in_out_q[3], uint32_t bytes);
void asim_mmu_leave(struct asim_switch *sw, const uint32_t in_out_q[3], uint32_t bytes);
/* Whether ingress (p, q) should be paused, or let go, as things stand now. */
int asim_mmu_wants_pause(const struct asim_switch *sw, uint32_t p, uint32_t q);
int asim_mmu_wants_resume(const struct asim_switch *sw, uint32_t p, uint32_t q);

#endif
