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
#include "fabric/link/tie_key.h"
#include "fabric/link/port.h"
#include "fabric/switch/switch.h"
#include "fabric/host/telemetry.h"

struct asim_fabric {
    const struct asim_topo *topo;
    struct asim_route *route;
    struct asim_route *planned; /* before any link event */
    const struct asim_netconf *net;
    const struct asim_cc *cc;
    struct asim_net_user user;
    struct asim_fabric_watch watch;
    /* window: smallest link delay. */
    uint64_t seed, window;
    int per_event;
    uint32_t data_overhead, ack_wire; /* bytes, with the telemetry of `cc` */
    uint32_t ack_queue;               /* whose pause stops a host's ACKs */
    int cc_idle;                      /* nothing an ACK says changes a rate */
    int stamps;                       /* switches write into data packets as they leave */
    int failed;                       /* latched enum asim_code, between windows */
    struct asim_err failure;          /* its sentence, likewise */
    uint32_t hosts, nodes;
    struct asim_wire *wires; /* [2 x links], those between other processes' nodes all 0 */
    void *wires_held;        /* what to free: they begin at a cache line of it */
    struct asim_host *host;
    struct asim_switch *sw;   /* of node v: sw[v - hosts] */
    struct asim_port **ports; /* all ports of node v in order: ports[first_port[v] + i] */
    /* Earliest event of node v, but for lane->lowered: next[place[v]]; of each block of places, as
     * far as hosts have them: least, 0 where that is not known (next_event.c). */
    uint64_t *next, *least;
    uint32_t *place;        /* [nodes] */
    uint8_t *side;          /* which of two each node is on, NULL: there is one, 0 (half_steps.h) */
    struct asim_lane *lane; /* [n_lanes] */
    uint32_t n_lanes;
    uint16_t *lane_of;           /* [nodes] NULL: one lane */
    struct asim_crew *crew;      /* of n_lanes threads, NULL: one */
    uint32_t crowd;              /* active nodes from which on the crew is called */
    struct asim_switch **shared; /* n_shared: those with desks of several lanes (switch_shard.h) */
    uint32_t n_shared, least_star; /* ports from which on a switch is shared */
    uint64_t stride; /* how far lanes may go on their own: the window or more, ticks */
    /* Several processes (distributed.c): part_of[v] has node v; NULL where there is one. No event
     * at or after `bound` is due yet. */
    struct asim_remote *remote;
    const uint32_t *part_of;
    uint32_t self;
    uint64_t bound;
    struct asim_heap agenda; /* W = 0 only: what was once in next[]; stale ones stay */
    struct asim_rate_table *rates;
    size_t n_rates, cap_rates;
    uint64_t max_rtt, max_bdp;     /* of the worst pair, ns and bytes; with GLOBAL_T 1 only */
    struct asim_wire_loss *losses; /* [2 x links], NULL where nothing is ever lost */
    struct asim_linkstate *links;  /* NULL where no link ever goes down */
    struct asim_memo *memo;        /* NULL: all is frame by frame (memo.h) */
    uint64_t rto;                  /* ticks; 0 = from the path */
    uint32_t tick;   /* ticks a ns: all times in here are in ticks, all that leave it in ns */
    int keeps_ahead; /* receivers keep packets that come beyond a gap */
    /* Written between windows. What lanes read of it: the end of the window; whose it is; whether
     * `first` is known; whether a shared switch has something to do. */
    _Alignas(ASIM_LINE_BYTES) uint64_t until;
    int side_now, first_known, share_due;
    _Alignas(ASIM_LINE_BYTES) uint64_t first[2]; /* earliest event of each side, once asked for */
    uint64_t reach[2];         /* how far both have come since one went on alone */
    uint64_t windows, settled; /* everything before `settled` has been told to the user */
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
static inline uint64_t asim_fs_to_ticks(const struct asim_fabric *fabric, uint64_t fs)
{
    return fs / (ASIM_FS_PER_NS / fabric->tick);
}
/* As what hashes know a host (hash.h). */
static inline uint32_t asim_fabric_ip(const struct asim_fabric *fabric, uint32_t host)
{
    return asim_host_ip(asim_topo_external_id(fabric->topo, host));
}

/* Whether node v lives in this process. */
static inline int asim_fabric_owns(const struct asim_fabric *fabric, uint32_t v)
{
    return !fabric->part_of || fabric->part_of[v] == fabric->self;
}
enum { ASIM_BLOCK = 32 };
static inline uint64_t *asim_next_of(const struct asim_fabric *fabric, uint32_t v)
{
    return &fabric->next[fabric->place[v]];
}
/* Node `v` has something at t: lowers its next. */
void asim_fabric_at_slow(struct asim_fabric *fabric, uint32_t v, uint64_t t);
static inline void asim_fabric_at(struct asim_fabric *fabric, uint32_t v, uint64_t t)
{
    uint64_t *first = &fabric->first[fabric->side ? fabric->side[v] : 0];
    uint32_t at = fabric->place[v];

    if (t >= fabric->next[at])
        return;
    fabric->next[at] = t;
    if (t < fabric->least[at / ASIM_BLOCK])
        fabric->least[at / ASIM_BLOCK] = t;
    if (fabric->first_known && t < *first)
        *first = t;
    if (fabric->per_event)
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
    if (!fabric->net->rate_bound || bps == nic->rate_bps)
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
    return frame->type == ASIM_PAUSE && fabric->net->pause_time_fs >= 1000000000u;
}

/* --- window.c -------------------------------------------------------------------------------- */
/* As asim_fabric_next, in ticks. */
uint64_t asim_fabric_next_tick(struct asim_fabric *fabric);
/* Time of a node's next event, asked of the node itself; between windows. */
uint64_t asim_node_next(const struct asim_fabric *fabric, uint32_t node);
/* Everything a node has to do before `until`; returns the time of its next event. */
uint64_t asim_node_advance(struct asim_fabric *fabric, uint32_t node, uint64_t until);
/* Puts a notice among the timers of its host; between steps, or for the host that runs. */
int asim_notification_deliver(struct asim_fabric *fabric, const struct asim_notification *note);
/* Advances all nodes to `until`, window by window; the user is told nothing of windows. */
void asim_fabric_advance(struct asim_fabric *fabric, uint64_t until);

/* --- queue_watch.c: for the watcher of queues, which must be there ---------------------------- */
/* The bytes queued at port p have changed. */
void asim_queue_changed(const struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                        uint64_t t);
/* The end of a window; only where sw->samples is set. */
void asim_queue_settle(const struct asim_fabric *fabric, struct asim_switch *sw);
/* Bytes in queue 0: PFC frames, and ACKs where they have priority. */
uint64_t asim_switch_control(const struct asim_switch_port *port);

/* --- switch.c, mmu.c -------------------------------------------------------------------------- */
/* ecmp.c: the port (1-based) a frame takes among n of equal cost, n > 1; 0 where it has not been
 * asked for lately. Forgets all ways, when routes change. */
uint32_t asim_switch_spread(const struct asim_fabric *fabric, struct asim_switch *sw,
                            const struct asim_frame *frame, const uint32_t *ports, uint32_t n);
uint32_t asim_switch_known(const struct asim_fabric *fabric, struct asim_switch *sw,
                           const struct asim_frame *frame);
void asim_switch_forget(struct asim_switch *sw);
uint64_t asim_switch_next(struct asim_switch *sw);
uint64_t asim_switch_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until);
/* The link of port p went down, at t: empties its queues. Came up again: nothing is left to do. */
void asim_switch_port_down(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                           uint64_t t);
/* Sets headroom, shares and ECN thresholds of every port from the configuration. */
void asim_mmu_init(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t nic_bps);

#endif
